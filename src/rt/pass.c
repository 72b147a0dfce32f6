/*
 * pass.c: mode pass. The program runs as it would without Heddle; the clones call no hooks, or with count=FILE hooks
 * that count each site. It shows what woven code costs and what it does.
 */
#include "rt/count.h"
#include "rt/mode.h"
#include "rt/option.h"

static int pass_start(void)
{
	const char *path = options.count_path[0] ? options.count_path : options.note_path;
	return path[0] ? count_start(path) : 0;
}

static int pass_attach(const struct object *object, struct heddle_hooks *hooks)
{
	if (options.count_path[0])
		return count_attach(object, hooks);
	return options.note_path[0] ? count_attach(object, NULL) : 0;
}

static void pass_attached(const struct object *object, const struct patch_result *result)
{
	(void)object;
	count_switched(result->switched_count);
}

const struct mode mode_pass = {
	.name = "pass",
	.start = pass_start,
	.attach = pass_attach,
	.attached = pass_attached,
};
