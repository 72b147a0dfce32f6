/*
 * html.c: see formats.h. The page is page.html with its style, its script and the data in it. The data is JSON in an element that is
 * not run; no byte of it can end that element. A nonce lets only our own script and style in (Content Security Policy, level 3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "formats/excerpt.h"
#include "formats/formats.h"
#include "formats/level.h"
#include "formats/page.h"

static void add_json(struct buf *out, const struct json *value)
{
	static const char *const words[] = { [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true" };
	const bool is_object = value->kind == JSON_OBJECT;
	switch (value->kind) {
	case JSON_NUMBER:
		buf_add_string(out, value->text);
		return;
	case JSON_STRING:
		text_json(out, value->text);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	default:
		buf_add_string(out, words[value->kind]);
		return;
	}
	buf_add_string(out, is_object ? "{" : "[");
	for (size_t i = 0; i < value->count; i++) {
		buf_add_string(out, i ? "," : "");
		if (is_object) {
			text_json(out, value->items[i].key);
			buf_add_string(out, ":");
		}
		add_json(out, &value->items[i]);
	}
	buf_add_string(out, is_object ? "}" : "]");
}

static void add_kinds(struct buf *out)
{
	buf_add_string(out, "{");
	for (size_t i = 0; i < FINDING_ALL_COUNT; i++) {
		buf_format(out, "%s\"%s\":{\"level\":\"%s\",\"help\":", i ? "," : "", kinds[i].word,
			   kind_level_words[kinds[i].level]);
		char *help = mem_format("%s %s", kinds[i].title, kinds[i].help);
		text_json(out, help);
		free(help);
		buf_add_string(out, "}");
	}
	buf_add_string(out, "}");
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

/* Who could put markup into the data could not know the hash of that data. */
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
	char nonce[33];
	buf_add_string(&json, "{\"kinds\":");
	add_kinds(&json);
	buf_add_string(&json, ",\"document\":");
	add_json(&json, document->tree);
	buf_add_string(&json, ",\"sources\":");
	excerpt_json(&json, document);
	buf_add_string(&json, "}");
	make_nonce(nonce, &json);
	add_page(out, &json, nonce);
	buf_release(&json);
}
