/*
 * sites.c: heddle sites: what heddle-cc knows about a program: every memory access of its woven functions, as text or
 * as JSON, or the sums of it. Output is written as it is made, so that a program of many sites needs little memory.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opt.h"
#include "cmd/outputs.h"
#include "judge/store_use.h"
#include "narrate/summary.h"
#include "symbols/describe.h"

static struct {
	const char *json; /* where to; null: text */
	bool is_summary;
	const char *function, *file;
} settings;

/* Columns wider than these spoil the rest of the table for a few long names. */
enum { PLACE_WIDTH_MAX = 56, FUNCTION_WIDTH_MAX = 40, ACCESS_WIDTH_MAX = 36 };

/* Whether the pattern is the whole text or what follows one of its slashes. */
static bool matches_file(const char *pattern, const char *file)
{
	while (file) {
		if (fnmatch(pattern, file, 0) == 0)
			return true;
		file = strchr(file, '/');
		if (file)
			file++;
	}
	return false;
}

/* The function it is written in or the one it was compiled into. */
static bool is_wanted(struct description *self, const struct woven_site *site)
{
	struct woven_function function;
	if (settings.file && !matches_file(settings.file, site->file))
		return false;
	if (!settings.function || names_match(&self->names, settings.function, describe_written_in(self, site)))
		return true;
	return woven_function(self->woven, site->function, &function) &&
	       names_match(&self->names, settings.function, function.name);
}

/* One line of the table; the columns are in one buffer, each ending where ends says. */
struct row {
	struct buf text;
	size_t ends[4];
};

static void fill_row(struct row *row, struct description *self, uint32_t id, const struct woven_site *site)
{
	row->text.size = 0;
	buf_format(&row->text, "%" PRIu32, id);
	row->ends[0] = row->text.size;
	describe_place(&row->text, site->file, site->record.line, site->record.column);
	row->ends[1] = row->text.size;
	describe_function(&row->text, self, describe_written_in(self, site));
	row->ends[2] = row->text.size;
	describe_access(&row->text, &site->record);
	row->ends[3] = row->text.size;
}

static size_t column_width(const struct row *row, int column)
{
	size_t start = column ? row->ends[column - 1] : 0;
	return text_width(row->text.data + start, row->ends[column] - start);
}

static void print_row(const struct row *row, const size_t widths[4], bool has_variable)
{
	for (int column = 0; column < 4; column++) {
		size_t start = column ? row->ends[column - 1] : 0, width = column_width(row, column);
		bool is_last = column == 3 && !has_variable;
		fwrite(row->text.data + start, 1, row->ends[column] - start, stdout);
		for (; width < widths[column] && !is_last; width++)
			putchar(' ');
		if (!is_last)
			fputs("  ", stdout);
	}
}

/* Twice over the sites: first how wide the columns are, then the lines. */
static void print_text(struct description *self)
{
	static const size_t widest[4] = { 10, PLACE_WIDTH_MAX, FUNCTION_WIDTH_MAX, ACCESS_WIDTH_MAX };
	size_t widths[4] = { 0 };
	uint32_t count = woven_site_count(self->woven), shown = 0;
	struct row row = { 0 };
	struct woven_site site;
	for (uint32_t id = 0; id < count; id++) {
		if (!woven_site(self->woven, id, &site) || !is_wanted(self, &site))
			continue;
		shown++;
		fill_row(&row, self, id, &site);
		for (int column = 0; column < 4; column++) {
			size_t width = column_width(&row, column);
			if (width > widths[column])
				widths[column] = width < widest[column] ? width : widest[column];
		}
	}
	for (uint32_t id = 0; id < count && !ferror(stdout); id++) {
		if (!woven_site(self->woven, id, &site) || !is_wanted(self, &site))
			continue;
		fill_row(&row, self, id, &site);
		print_row(&row, widths, site.variable != NULL);
		row.text.size = 0;
		if (site.variable)
			text_terminal(&row.text, site.variable);
		buf_add_string(&row.text, "\n");
		describe_inlining(&row.text, self, &site, "        ");
		fwrite(row.text.data, 1, row.text.size, stdout);
	}
	buf_release(&row.text);
	if (!shown)
		fprintf(stderr, settings.function || settings.file
					? "heddle: no sites match\n"
					: "heddle: there are no sites: no access can be shared between threads\n");
}

static void put(struct buf *out)
{
	fwrite(out->data, 1, out->size, stdout);
	out->size = 0;
}

static void add_functions(struct json_writer *out, struct description *self)
{
	json_line(out);
	json_open_array(out, "functions");
	for (uint32_t id = 0; id < woven_function_count(self->woven) && !ferror(stdout); id++) {
		struct woven_function function;
		if (!woven_function(self->woven, id, &function) ||
		    (settings.function && !names_match(&self->names, settings.function, function.name)) ||
		    (settings.file && !matches_file(settings.file, function.file)))
			continue;
		json_line(out);
		describe_function_json(out, self, id, &function);
		put(out->out);
	}
	json_close_array(out);
}

static void add_sites(struct json_writer *out, struct description *self)
{
	json_line(out);
	json_open_array(out, "sites");
	for (uint32_t id = 0; id < woven_site_count(self->woven) && !ferror(stdout); id++) {
		struct woven_site site;
		if (!woven_site(self->woven, id, &site) || !is_wanted(self, &site))
			continue;
		json_line(out);
		describe_site_json(out, self, id, &site, NULL);
		put(out->out);
	}
	json_close_array(out);
}

static void print_json(struct description *self, const char *path)
{
	struct buf text = { 0 };
	struct json_writer writer, *out = &writer;
	const struct heddle_build *build = woven_build(self->woven);
	char *identity = store_identity(path);
	json_begin_report(out, &text);
	json_add_string(out, "program", path);
	json_add_string(out, "build", identity);
	free(identity);
	describe_build_json(out, "weave", build->id);
	json_add_number(out, "units", build->unit_count);
	json_add_number(out, "foreign_functions", build->foreign_count);
	json_add_number(out, "discarded_functions", build->discarded_count);
	if (settings.is_summary) {
		struct summary summary;
		summary_make(&summary, self->woven);
		summary_json(out, &summary);
	} else {
		add_functions(out, self);
		add_sites(out, self);
	}
	json_end_file(out);
	put(&text);
	buf_release(&text);
}

static int sites_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct woven *woven;
	(void)count;
	if (settings.is_summary && (settings.function || settings.file)) {
		err_set(&err, EINVAL,
			"--summary covers the whole program and cannot be combined with --function "
			"or --file");
		err_print(&err, "heddle");
		return EXIT_USAGE;
	}
	if (woven_open(operands[0], &woven, &err) < 0) {
		err_print(&err, "heddle");
		return EXIT_CANNOT;
	}
	struct description self = { .woven = woven };
	if (outputs_redirect(settings.json, &err) < 0) {
		err_print(&err, "heddle");
		woven_free(woven);
		return EXIT_CANNOT;
	}
	if (settings.json) {
		print_json(&self, operands[0]);
	} else if (settings.is_summary) {
		struct summary summary;
		struct buf out = { 0 };
		summary_make(&summary, woven);
		summary_text(&out, &summary, operands[0]);
		put(&out);
		buf_release(&out);
	} else {
		print_text(&self);
	}
	names_release(&self.names);
	woven_free(woven);
	return EXIT_FOUND_NOTHING;
}

static const struct opt options[] = {
	{ "json", "FILE", "print JSON instead of text (without FILE, or -: to standard output)", OPT_OUTPUT,
	  &settings.json },
	{ "summary", NULL, "print only totals: what was woven, what was not, and why", OPT_FLAG, &settings.is_summary },
	{ "function", "GLOB", "only sites in functions with this name, as in the source or as linked", OPT_TEXT,
	  &settings.function },
	{ "file", "GLOB", "only sites in files with this name, with or without directories", OPT_TEXT, &settings.file },
	OPT_END,
};

const struct command command_sites = {
	.name = "sites",
	.operands = "PROG",
	.summary = "list the memory accesses of a program or library built with heddle-cc",
	.details = "Prints one line for each site: its number, its place in the source, the function, the kind of "
		   "access (with its size\n"
		   "in bytes, or n if it is known only at run time), and the variable or field. Accesses that are "
		   "provably not shared\n"
		   "between threads are not sites; --summary counts them.",
	.options = options,
	.operands_min = 1,
	.operands_max = 1,
	.run = sites_main,
};
