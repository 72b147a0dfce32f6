/* summary.c: see summary.h. */
#include "narrate/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "judge/store_use.h"
#include "symbols/describe.h"
#include "symbols/line.h"

static void add_function(struct summary *summary, const struct heddle_function *record)
{
	summary->plain[record->plain]++;
	summary->skipped_count += record->skipped_count;
	summary->asm_count += record->asm_count;
	summary->asm_function_count += record->asm_count > 0;
	if (record->plain != HEDDLE_PLAIN_NOT)
		return;
	summary->varargs_count += (record->flags & HEDDLE_FUNCTION_VARARGS) != 0;
	summary->setjmp_count += (record->flags & HEDDLE_FUNCTION_RETURNS_TWICE) != 0;
	summary->exceptions_count += (record->flags & HEDDLE_FUNCTION_EXCEPTIONS) != 0;
}

void summary_make(struct summary *summary, const struct woven *woven)
{
	*summary = (struct summary){ .build = *woven_build(woven), .code = woven_code(woven) };
	for (uint32_t i = 0; i < woven_function_count(woven); i++) {
		struct woven_function function;
		if (woven_function(woven, i, &function))
			add_function(summary, &function.record);
	}
	for (uint32_t i = 0; i < woven_site_count(woven); i++) {
		struct woven_site site;
		if (!woven_site(woven, i, &site))
			continue;
		summary->site_count++;
		summary->sites[site.record.access]++;
		summary->proved_count += (site.record.flags & HEDDLE_SITE_PROVED) != 0;
		summary->with_line_count += site.file && site.record.line && !line_is_near(site.record.line);
		/* What has no address has no variable to name. */
		summary->with_variable_count += site.variable || site.record.access >= HEDDLE_ACCESS_FENCE;
	}
}

static void line(struct buf *out, const char *name, uint64_t number)
{
	buf_format(out, "%-44s %10" PRIu64 "\n", name, number);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100.0;
}

static void share(struct buf *out, const char *name, uint64_t part, uint64_t whole)
{
	buf_format(out, "%-44s %10" PRIu64 "  %5.1f %%\n", name, part, percent(part, whole));
}

void summary_text(struct buf *out, const struct summary *summary, const char *path)
{
	char name[96];
	uint64_t plain_count = 0;
	for (int i = 1; i < HEDDLE_PLAIN_COUNT; i++)
		plain_count += summary->plain[i];
	buf_add_string(out, "object  ");
	text_terminal(out, path);
	char *identity = store_identity(path);
	if (identity)
		buf_format(out, "\nbuild   %s", identity);
	free(identity);
	buf_add_string(out, "\nweave   ");
	describe_build(out, summary->build.id);
	buf_add_string(out, "\n\n");
	line(out, "units compiled by heddle-cc", summary->build.unit_count);
	line(out, "functions woven", summary->plain[HEDDLE_PLAIN_NOT]);
	line(out, "  with variable arguments", summary->varargs_count);
	line(out, "  that call setjmp or similar functions", summary->setjmp_count);
	line(out, "  with exceptions", summary->exceptions_count);
	line(out, "functions left plain", plain_count);
	for (int i = 1; i < HEDDLE_PLAIN_COUNT; i++) {
		snprintf(name, sizeof name, "  %s", heddle_plain_names[i]);
		line(out, name, summary->plain[i]);
	}
	line(out, "functions from other compilers", summary->build.foreign_count);
	line(out, "functions the linker dropped", summary->build.discarded_count);
	line(out, "inline assembly statements (opaque)", summary->asm_count);
	line(out, "  in functions", summary->asm_function_count);
	line(out, "accesses skipped (provably not shared)", summary->skipped_count);
	line(out, "sites", summary->site_count);
	for (int i = 1; i < HEDDLE_ACCESS_COUNT; i++) {
		snprintf(name, sizeof name, "  %s", heddle_access_names[i]);
		line(out, name, summary->sites[i]);
	}
	share(out, "sites not announced (proved)", summary->proved_count, summary->site_count);
	share(out, "sites with a line", summary->with_line_count, summary->site_count);
	share(out, "sites with a variable", summary->with_variable_count, summary->site_count);
	if (summary->code.is_known) {
		share(out, "bytes of code in clones", summary->code.clone_bytes,
		      summary->code.clone_bytes + summary->code.other_bytes);
		line(out, "bytes of other code", summary->code.other_bytes);
	}
}

static void member(struct buf *out, const char *name, uint64_t number)
{
	buf_format(out, ",\"%s\":%" PRIu64, name, number);
}

void summary_json(struct buf *out, const struct summary *summary)
{
	buf_format(out, ",\"summary\":{\"functions_woven\":%" PRIu64, summary->plain[HEDDLE_PLAIN_NOT]);
	member(out, "functions_with_varargs", summary->varargs_count);
	member(out, "functions_with_setjmp", summary->setjmp_count);
	member(out, "functions_with_exceptions", summary->exceptions_count);
	buf_add_string(out, ",\"functions_plain\":{");
	for (int i = 1; i < HEDDLE_PLAIN_COUNT; i++) {
		buf_add_string(out, i > 1 ? "," : "");
		text_json(out, heddle_plain_words[i]);
		buf_format(out, ":%" PRIu64, summary->plain[i]);
	}
	buf_add_string(out, "},\"sites_by_access\":{");
	for (int i = 1; i < HEDDLE_ACCESS_COUNT; i++) {
		buf_add_string(out, i > 1 ? "," : "");
		text_json(out, heddle_access_names[i]);
		buf_format(out, ":%" PRIu64, summary->sites[i]);
	}
	buf_add_string(out, "}");
	member(out, "sites", summary->site_count);
	member(out, "sites_proved", summary->proved_count);
	member(out, "sites_with_line", summary->with_line_count);
	member(out, "sites_with_variable", summary->with_variable_count);
	member(out, "skipped", summary->skipped_count);
	member(out, "inline_assembly", summary->asm_count);
	member(out, "functions_with_inline_assembly", summary->asm_function_count);
	if (summary->code.is_known) {
		member(out, "clone_bytes", summary->code.clone_bytes);
		member(out, "other_bytes", summary->code.other_bytes);
	}
	buf_add_string(out, "}");
}
