/* json_test.c: each argument is one call of the writer: { } [ ] " begin and end (the quote in turn), "KEY=" is the key of the next value,
 * s: string, n: number, i: signed, d: decimal, v: vector with commas, j: raw, m: members, r: bytes in an open string, and words; the last
 * one may be "reread". Prints the document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"

static bool is_in_string;

static void add_vector(struct json_writer *out, const char *key, const char *words)
{
	struct strings list = { 0 };
	char *copy = mem_copy_string(words);
	for (char *word = strtok(copy, ","); word; word = strtok(NULL, ","))
		strings_add(&list, word);
	json_add_strings(out, key, &list);
	strings_release(&list);
	free(copy);
}

static void add_members(struct json_writer *out, const char *text)
{
	struct buf object = { 0 };
	buf_add_string(&object, text);
	json_add_members(out, &object);
	buf_release(&object);
}

static void add_prefixed(struct json_writer *out, const char *key, const char *word)
{
	const char *value = word + 2;
	switch (word[0]) {
	case 's':
		json_add_string(out, key, value);
		break;
	case 'n':
		json_add_number(out, key, strtoull(value, NULL, 10));
		break;
	case 'i':
		json_add_signed(out, key, strtoll(value, NULL, 10));
		break;
	case 'd':
		json_add_decimal(out, key, strtod(value, NULL), 2);
		break;
	case 'v':
		add_vector(out, key, value);
		break;
	case 'j':
		json_add_raw(out, key, value);
		break;
	case 'm':
		add_members(out, value);
		break;
	case 'r':
		buf_add_string(out->out, value);
		break;
	}
}

static void add_word(struct json_writer *out, const char *key, const char *word)
{
	if (strcmp(word, "{") == 0)
		json_open_object(out, key);
	else if (strcmp(word, "}") == 0)
		json_close_object(out);
	else if (strcmp(word, "[") == 0)
		json_open_array(out, key);
	else if (strcmp(word, "]") == 0)
		json_close_array(out);
	else if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
		json_add_bool(out, key, word[0] == 't');
	else if (strcmp(word, "null") == 0)
		json_add_null(out, key);
	else if (strcmp(word, "none") == 0)
		json_add_string(out, key, NULL);
	else if (strcmp(word, "line") == 0)
		json_line(out);
	else if (strcmp(word, "\"") != 0)
		add_prefixed(out, key, word);
	else if ((is_in_string = !is_in_string))
		json_open_string(out, key);
	else
		json_close_string(out);
}

static void write_again(struct json_writer *out, const char *key, const struct json *value)
{
	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY) {
		const bool is_object = value->kind == JSON_OBJECT;
		is_object ? json_open_object(out, key) : json_open_array(out, key);
		for (size_t i = 0; i < value->count; i++)
			write_again(out, value->items[i].key, &value->items[i]);
		is_object ? json_close_object(out) : json_close_array(out);
	} else if (value->kind == JSON_STRING) {
		json_add_string(out, key, value->text);
	} else if (value->kind == JSON_NUMBER) {
		json_add_raw(out, key, value->text);
	} else if (value->kind == JSON_NULL) {
		json_add_null(out, key);
	} else {
		json_add_bool(out, key, value->kind == JSON_TRUE);
	}
}

static const char *reread(const struct buf *text)
{
	struct err err = ERR_INIT;
	struct json *tree;
	struct json_writer out;
	struct buf again = { 0 };
	if (json_parse(&tree, text->data, text->size, &err) < 0)
		return "it is no JSON";
	json_begin(&out, &again);
	write_again(&out, NULL, tree);
	json_end(&out);
	bool is_same = again.size == text->size && memcmp(again.data, text->data, text->size) == 0;
	json_free(tree);
	buf_release(&again);
	return is_same ? "same" : "it differs";
}

int main(int count, char **arguments)
{
	struct buf text = { 0 };
	struct json_writer out;
	char *key = NULL;
	const bool is_reread = count > 1 && strcmp(arguments[count - 1], "reread") == 0;
	json_begin(&out, &text);
	for (int i = 1; i < count - is_reread; i++) {
		size_t size = strlen(arguments[i]);
		if (size > 1 && arguments[i][size - 1] == '=' && arguments[i][1] != ':') {
			key = mem_copy_string(arguments[i]);
			key[size - 1] = '\0';
			continue;
		}
		add_word(&out, key, arguments[i]);
		free(key);
		key = NULL;
	}
	json_end(&out);
	puts(is_reread ? reread(&text) : text.data);
	buf_release(&text);
	return 0;
}
