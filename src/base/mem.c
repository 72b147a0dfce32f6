/* mem.c: see mem.h. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static void (*last_words)(void);

void mem_on_exhaustion(void (*function)(void))
{
	last_words = function;
}

static void out_of_memory(size_t size_bytes)
{
	void (*function)(void) = last_words;
	last_words = NULL;
	if (function)
		function();
	fprintf(stderr, "heddle: error: out of memory (%zu bytes requested)\n", size_bytes);
	exit(EXIT_CANNOT);
}

void *mem_alloc(size_t size_bytes)
{
	void *block = calloc(1, size_bytes ? size_bytes : 1);
	if (!block)
		out_of_memory(size_bytes);
	return block;
}

void *mem_resize(void *block, size_t size_bytes)
{
	block = realloc(block, size_bytes ? size_bytes : 1);
	if (!block)
		out_of_memory(size_bytes);
	return block;
}

char *mem_copy_string(const char *string)
{
	size_t size = strlen(string) + 1;
	return memcpy(mem_alloc(size), string, size);
}

char *mem_format(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *string = mem_format_list(format, args);
	va_end(args);
	return string;
}

char *mem_format_list(const char *format, va_list arguments)
{
	char *string = NULL;
	if (vasprintf(&string, format, arguments) < 0)
		out_of_memory(0);
	return string;
}

static void buf_reserve(struct buf *buf, size_t more)
{
	if (more > SIZE_MAX / 4 - buf->size)
		out_of_memory(more);
	if (buf->size + more + 1 <= buf->room)
		return;
	size_t room = buf->room ? buf->room : 64;
	while (room < buf->size + more + 1)
		room *= 2;
	buf->data = mem_resize(buf->data, room);
	buf->room = room;
}

void buf_add(struct buf *buf, const void *data, size_t size_bytes)
{
	if (size_bytes && !data)
		BUG("%zu bytes of nothing are added", size_bytes);
	buf_reserve(buf, size_bytes);
	if (size_bytes)
		memcpy(buf->data + buf->size, data, size_bytes);
	buf->size += size_bytes;
	buf->data[buf->size] = '\0';
}

void buf_add_string(struct buf *buf, const char *string)
{
	buf_add(buf, string, strlen(string));
}

void buf_format(struct buf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (size < 0)
		BUG("bad format \"%s\"", format);
	buf_reserve(buf, (size_t)size);
	va_start(args, format);
	vsnprintf(buf->data + buf->size, (size_t)size + 1, format, args);
	va_end(args);
	buf->size += (size_t)size;
}

void buf_release(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){ 0 };
}

void strings_insert(struct strings *list, size_t at, const char *string)
{
	if (at > list->count)
		BUG("insert at %zu of %zu", at, list->count);
	if (list->count + 2 > list->room) {
		list->room = list->room ? list->room * 2 : 16;
		list->items = mem_resize(list->items, list->room * sizeof *list->items);
	}
	memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof *list->items);
	list->items[at] = mem_copy_string(string);
	list->items[++list->count] = NULL;
}

void strings_add(struct strings *list, const char *string)
{
	strings_insert(list, list->count, string);
}

void strings_set(struct strings *list, size_t at, const char *string)
{
	if (at >= list->count)
		BUG("set %zu of %zu", at, list->count);
	char *copy = mem_copy_string(string);
	free(list->items[at]);
	list->items[at] = copy;
}

void strings_remove(struct strings *list, size_t at, size_t count)
{
	if (at + count > list->count)
		BUG("remove %zu at %zu of %zu", count, at, list->count);
	for (size_t i = at; i < at + count; i++)
		free(list->items[i]);
	memmove(list->items + at, list->items + at + count, (list->count - at - count) * sizeof *list->items);
	list->count -= count;
	if (list->items)
		list->items[list->count] = NULL;
}

void strings_copy(struct strings *to, const struct strings *from)
{
	for (size_t i = 0; i < from->count; i++)
		strings_add(to, from->items[i]);
}

bool strings_has(const struct strings *list, const char *string)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], string) == 0)
			return true;
	return false;
}

void strings_note(struct strings *list, const char *format, ...)
{
	char text[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (!strings_has(list, text))
		strings_add(list, text);
}

void strings_release(struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct strings){ 0 };
}
