/* forget.c: heddle forget: removes findings and their evidence. Found again, they are new ones. */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "judge/store_use.h"
#include "store/read.h"
#include "store/sweep.h"

static const char *store_path;

static int forget(struct store *store, const struct running *running, int64_t id, struct err *err)
{
	struct strings traces = { 0 };
	int code = store_forget(store, id, &traces, err);
	if (code == 0)
		store_remove(store, running, &traces);
	strings_release(&traces);
	return code;
}

static int forget_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct store *store = NULL;
	struct running running = { .fd = -1 };
	for (size_t i = 0; i < count; i++)
		if (!store_read_id(operands[i], &err)) {
			err_hint(&err, "heddle list --all");
			err_print(&err, "heddle");
			return EXIT_USAGE;
		}
	int code = store_use_existing(store_path, &store, &err);
	if (code == 0)
		running_open(&running, store_folder(store_path));
	for (size_t i = 0; i < count && code == 0; i++)
		code = forget(store, &running, store_parse_id(operands[i]), &err);
	if (code == 0)
		code = store_sweep(store, &running, SWEEP_ALL, &err);
	running_stop(&running);
	if (code < 0)
		err_print(&err, "heddle");
	store_close(store);
	return code == 0 ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static const struct opt options[] = {
	OPT_ROW_STORE(&store_path),
	OPT_END,
};

const struct command command_forget = {
	.name = "forget",
	.operands = "ID...",
	.summary = "remove findings and their evidence",
	.details = "A finding that is found again later is new and gets another id.\n\n"
		   "Exit status: 0, or 3 if there is no such finding; the findings named before it have been removed "
		   "by then.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = forget_main,
};
