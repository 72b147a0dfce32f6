/*
 * html.c: see formats.h. The page is page.html with its style, its script and the data in it. The data is JSON in an element that is
 * not run; no byte of it can end that element. A nonce lets only our own script and style in (Content Security Policy, level 3).
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "formats/excerpt.h"
#include "formats/formats.h"
#include "formats/level.h"
#include "formats/page.h"

static void add_json(struct json_writer *out, const char *key, const struct json *value)
{
	switch (value->kind) {
	case JSON_NULL:
		json_add_null(out, key);
		return;
	case JSON_FALSE:
	case JSON_TRUE:
		json_add_bool(out, key, value->kind == JSON_TRUE);
		return;
	case JSON_NUMBER:
		json_add_raw(out, key, value->text);
		return;
	case JSON_STRING:
		json_add_string(out, key, value->text);
		return;
	case JSON_ARRAY:
		json_open_array(out, key);
		for (size_t i = 0; i < value->count; i++)
			add_json(out, NULL, &value->items[i]);
		json_close_array(out);
		return;
	case JSON_OBJECT:
		json_open_object(out, key);
		for (size_t i = 0; i < value->count; i++)
			add_json(out, value->items[i].key, &value->items[i]);
		json_close_object(out);
		return;
	}
}

static void add_kinds(struct json_writer *out, const char *key)
{
	json_open_object(out, key);
	for (size_t i = 0; i < FINDING_ALL_COUNT; i++) {
		json_open_object(out, kinds[i].word);
		json_add_string(out, "level", kind_level_words[kinds[i].level]);
		json_add_format(out, "help", "%s %s", kinds[i].title, kinds[i].help);
		json_close_object(out);
	}
	json_close_object(out);
}

static void add_classes(struct json_writer *out, const char *key)
{
	json_open_object(out, key);
	for (size_t i = 0; i < VERDICT_COUNT; i++)
		json_add_string(out, verdict_classes[i].word, kind_level_words[verdict_classes[i].level]);
	json_close_object(out);
}

/* In JSON these can only be in strings, where they may be written so. */
static void add_safe(struct buf *out, const struct buf *json)
{
	const char *at = json->data, *end = json->data + json->size;
	while (at < end) {
		size_t run = strcspn(at, "<>&");
		buf_add(out, at, run);
		at += run;
		if (at < end)
			buf_format(out, "\\u%04x", (unsigned char)*at++);
	}
}

/* Someone able to put markup into the data cannot know the hash of that data. */
static void make_nonce(char nonce[33], const struct buf *data)
{
	struct hash hash;
	uint8_t id[16];
	hash_init(&hash);
	hash_add(&hash, data->data, data->size);
	hash_end(&hash, id);
	for (size_t i = 0; i < sizeof id; i++)
		snprintf(nonce + 2 * i, 3, "%02x", id[i]);
}

/* Appends the page: what stands for something else is replaced. */
static void add_page(struct buf *out, const struct buf *json, const char *nonce)
{
	const struct {
		const char *name, *text; /* null: the data */
	} parts[] = { { "@NONCE@", nonce },
		      { "@STYLE@", report_page_style },
		      { "@SCRIPT@", report_page_script },
		      { "@DATA@", NULL } };
	const size_t count = sizeof parts / sizeof *parts;
	const char *at = report_page_html;
	while (*at) {
		size_t run = strcspn(at, "@"), part = 0;
		buf_add(out, at, run);
		at += run;
		while (part < count && strncmp(at, parts[part].name, strlen(parts[part].name)) != 0)
			part++;
		if (part == count && !*at)
			return;
		if (part == count)
			BUG("the page contains an unknown @ placeholder");
		at += strlen(parts[part].name);
		if (parts[part].text)
			buf_add_string(out, parts[part].text);
		else
			add_safe(out, json);
	}
}

void format_html(struct buf *out, struct document *document)
{
	struct buf json = { 0 };
	struct json_writer writer;
	char nonce[33];
	json_begin(&writer, &json);
	json_open_object(&writer, NULL);
	add_kinds(&writer, "kinds");
	add_classes(&writer, "classes");
	add_json(&writer, "document", document->tree);
	excerpt_json(&writer, "sources", document);
	json_close_object(&writer);
	json_end(&writer);
	make_nonce(nonce, &json);
	add_page(out, &json, nonce);
	buf_release(&json);
}
