/* test_reports.c: what heddle test found, in the formats that were asked for. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/interleaving.h"
#include "cmd/test_priv.h"

/* Findings have their runs replayed for their interleavings, as long as that takes no longer than this. */
#define SECONDS_MOST 20.0

static int add_interleaving(struct finding *finding, struct err *err)
{
	struct interleaving_mark *marks = mem_alloc((finding->site_count + 1) * sizeof *marks);
	for (size_t i = 0; i < finding->site_count; i++) {
		const struct finding_site *site = &finding->sites[i];
		marks[i] = (struct interleaving_mark){ site->event, site->thread, site->line, site->file };
	}
	int code = interleaving_json(&finding->interleaving, finding->trace, marks, finding->site_count, err);
	free(marks);
	return code;
}

static void add_interleavings(struct test *self)
{
	double began = test_now();
	size_t left = 0;
	for (size_t i = 0; i < self->judge.findings.count; i++) {
		struct finding *finding = self->judge.findings.items[i];
		struct err err = ERR_INIT;
		if (!finding->trace || finding->is_slow)
			continue;
		if (test_now() - began > SECONDS_MOST)
			left++;
		else if (add_interleaving(finding, &err) < 0)
			test_note(&self->notes, "%s is reported without its interleaving: %s", finding->name,
				  err.message);
	}
	if (left)
		test_note(&self->notes, "%zu finding%s reported without interleaving: that would take too long", left,
			  left == 1 ? " is" : "s are");
}

int test_write_reports(struct test *self, struct err *err)
{
	struct buf json = { 0 };
	struct document document = { .is_own = true };
	if (!outputs_is_any(&test_asked.outputs))
		return 0;
	add_interleavings(self);
	test_json(self, &json);
	int code = document_read(&document, json.data, json.size, ".", err);
	if (code == 0)
		code = outputs_write(&test_asked.outputs, &json, &document, err);
	document_release(&document);
	buf_release(&json);
	return code;
}
