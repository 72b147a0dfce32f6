/*
 * sarif_flow.c: the interleaving of a finding as codeFlows: one thread flow for each thread (3.36, 3.37), and the order in which
 * their places were reached as executionOrder (3.38.11).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/sarif_priv.h"

/* A place of a flow: a row of the interleaving, or when there is none a site. */
struct flow {
	struct document *document;
	const struct json *rows, *sites, *threads;
	size_t from, to; /* of rows */
};

/* The site of a row; null: it has none. */
static const struct json *site_of(const struct flow *self, const struct json *row)
{
	const struct json *number = json_member(row, "site");
	if (!number || number->kind != JSON_NUMBER || json_number(row, "site") >= json_count(self->sites))
		return NULL;
	return &self->sites->items[json_number(row, "site")];
}

/* Where it is; null: not known. Where a thread waits, the code is a library's; the site is the program's own. */
static const struct json *place_of(const struct flow *self, const struct json *row)
{
	const struct json *site = site_of(self, row);
	if (!json_number(row, "thread"))
		return NULL;
	if (document_text(row, "file")[0])
		return row;
	return site && document_text(site, "file")[0] ? site : NULL;
}

static void add_kinds(struct json_writer *out, const char *what)
{
	const bool is_unlock = strstr(what, "unlock") != NULL;
	if (!is_unlock && strstr(what, "lock ") != what && !strstr(what, " lock ") && strcmp(what, "lock") != 0)
		return;
	json_open_array(out, "kinds");
	json_add_string(out, NULL, is_unlock ? "release" : "acquire");
	json_add_string(out, NULL, "lock");
	json_close_array(out);
}

/* What the variable was and became (3.38.9). */
static void add_state(struct json_writer *out, const struct json *site)
{
	const char *before = json_string(site, "before"), *after = json_string(site, "after");
	const char *variable = json_string(site, "variable");
	if (!before)
		return;
	char *value = after ? mem_format("%s -> %s", before, after) : mem_copy_string(before);
	json_open_object(out, "state");
	sarif_message(out, variable ? variable : "value", value);
	json_close_object(out);
	free(value);
}

/* Rows are in the order in which it was done, which numbers of events need not be; sites alone have no other. order: from 1. */
static void add_row(struct json_writer *out, const struct flow *self, const struct json *row, bool is_site,
		    size_t order)
{
	const struct json *site = is_site ? row : site_of(self, row);
	const struct json *place = place_of(self, row);
	const char *what = json_string(row, "what");
	struct buf words = { 0 };
	const bool is_event = is_site || json_number(row, "count");
	if (what && site && is_event) {
		buf_format(&words, "%s (", what);
		sarif_add_site(&words, site, false);
		buf_add_string(&words, ")");
	} else if (what) {
		buf_add_string(&words, what);
	} else {
		sarif_add_site(&words, row, false);
	}
	json_open_object(out, NULL);
	json_open_object(out, "location");
	sarif_place(out, self->document, json_string(place, "file"), json_number(place, "line"),
		    json_number(place, "column"));
	sarif_message(out, "message", words.data);
	json_close_object(out);
	if (!is_site)
		json_add_number(out, "executionOrder", order);
	else if (json_number(row, "event"))
		json_add_number(out, "executionOrder", json_number(row, "event"));
	if (site || json_string(row, "act"))
		json_add_string(out, "importance", "essential");
	add_kinds(out, what ? what : document_text(row, "access"));
	add_state(out, site);
	json_close_object(out);
	buf_release(&words);
}

static void add_thread(struct json_writer *out, const struct flow *self, uint64_t thread, bool is_sites)
{
	char number[32];
	snprintf(number, sizeof number, "%" PRIu64, thread);
	const char *name = json_string(self->threads, number);
	for (size_t i = 0; (!name || !*name) && i < json_count(self->sites); i++)
		if (json_number(&self->sites->items[i], "thread") == thread)
			name = json_string(&self->sites->items[i], "thread_name");
	char *words = mem_format("thread %s%s%s", number, name && *name ? " " : "", name ? name : "");
	json_open_object(out, NULL);
	json_add_string(out, "id", number);
	sarif_message(out, "message", words);
	free(words);
	json_open_array(out, "locations");
	for (size_t i = self->from; i < self->to; i++) {
		const struct json *row = &self->rows->items[i];
		if (!place_of(self, row) || json_number(row, "thread") != thread)
			continue;
		add_row(out, self, row, is_sites, i + 1);
	}
	json_close_array(out);
	json_close_object(out);
}

static bool is_first_of_thread(const struct flow *self, size_t at)
{
	for (size_t i = self->from; i < at; i++)
		if (place_of(self, &self->rows->items[i]) &&
		    json_number(&self->rows->items[i], "thread") == json_number(&self->rows->items[at], "thread"))
			return false;
	return place_of(self, &self->rows->items[at]);
}

void sarif_flows(struct json_writer *out, struct document *document, const struct json *finding)
{
	struct flow self = { .document = document,
			     .sites = json_array(finding, "sites"),
			     .rows = json_array(finding, "interleaving"),
			     .threads = json_member(finding, "threads") };
	bool is_sites = !json_count(self.rows), is_open = false;
	if (is_sites)
		self.rows = self.sites;
	self.to = json_count(self.rows);
	if (self.to > FORMAT_MAX_FLOW)
		self.from = self.to - FORMAT_MAX_FLOW;
	for (size_t i = self.from; i < self.to; i++) {
		if (!is_first_of_thread(&self, i))
			continue;
		if (!is_open) {
			json_open_array(out, "codeFlows");
			json_open_object(out, NULL);
			json_open_array(out, "threadFlows");
			is_open = true;
		}
		add_thread(out, &self, json_number(&self.rows->items[i], "thread"), is_sites);
	}
	if (is_open) {
		json_close_array(out);
		json_close_object(out);
		json_close_array(out);
	}
}
