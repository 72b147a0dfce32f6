/*
 * mem.h: allocation for the tools. Running out of memory ends the tool with exit status 3: no caller could do better.
 * Also the two containers the tools share: a growable byte buffer and a vector of strings.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t size_bytes);               /* zeroed; never null */
void *mem_resize(void *block, size_t size_bytes); /* as realloc; never null */
char *mem_copy_string(const char *string);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_format_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Called once before the tool exits for lack of memory; it may allocate memory that it has reserved for that. */
void mem_on_exhaustion(void (*function)(void));

/* A growable byte buffer, always followed by a 0 byte that size does not count. Start with { 0 }. */
struct buf {
	char *data;
	size_t size, room;
};

void buf_add(struct buf *buf, const void *data, size_t size_bytes);
void buf_add_string(struct buf *buf, const char *string);
void buf_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_release(struct buf *buf);

/* A vector of strings it owns, always followed by a null pointer, so that items is an argv. Start with { 0 }. */
struct strings {
	char **items;
	size_t count, room;
};

void strings_add(struct strings *list, const char *string);
void strings_insert(struct strings *list, size_t at, const char *string);
void strings_set(struct strings *list, size_t at, const char *string);
void strings_remove(struct strings *list, size_t at, size_t count);
void strings_copy(struct strings *to, const struct strings *from);
bool strings_has(const struct strings *list, const char *string);
/* Adds the text, cut to 1023 bytes, unless the list already has it. */
void strings_note(struct strings *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strings_release(struct strings *list);

#endif
