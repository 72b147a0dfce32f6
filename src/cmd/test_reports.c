/* test_reports.c: what heddle test found, in the formats that were asked for. */
#include "cmd/advice.h"
#include "cmd/test_priv.h"

int test_write_reports(struct test *self, struct err *err)
{
	struct buf json = { 0 };
	struct document document = { .is_own = true };
	if (!outputs_is_any(&test_asked.outputs))
		return 0;
	/* What was not shown, since it was interrupted or is suppressed, has no advice yet. */
	for (size_t i = 0; i < self->judge.findings.count; i++)
		if (!self->judge.findings.items[i]->advice.count)
			advice_collect(&self->judge.findings.items[i]->advice, self->judge.findings.items[i], NULL,
				       &self->judge.findings);
	test_json(self, &json);
	int code = document_read(&document, json.data, json.size, NULL, err);
	if (code == 0)
		code = outputs_write(&test_asked.outputs, &json, &document, err);
	document_release(&document);
	buf_release(&json);
	return code;
}
