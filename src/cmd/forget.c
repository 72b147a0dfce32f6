/* forget.c: heddle forget: removes findings and their evidence. Found again, they are new ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/opt.h"
#include "cmd/store_use.h"
#include "store/read.h"
#include "trace/trace.h"

static const char *asked_store;

/* A store from elsewhere may have a link where its evidence should be: nothing but a trace is removed. */
static bool is_trace(const char *path)
{
	char magic[sizeof TRACE_MAGIC - 1];
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
		  memcmp(magic, TRACE_MAGIC, sizeof magic) == 0;
	if (fd >= 0)
		close(fd);
	return is;
}

static int forget(struct store *store, int64_t id, struct err *err)
{
	struct strings traces = { 0 };
	int code = store_forget(store, id, &traces, err);
	for (size_t i = 0; i < traces.count && code == 0; i++) {
		char *path = mem_format("%s/%s", store_folder(asked_store), traces.items[i]);
		if (is_trace(path))
			unlink(path);
		free(path);
	}
	strings_release(&traces);
	return code;
}

static int forget_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct store *store = NULL;
	for (size_t i = 0; i < count; i++)
		if (!store_parse_id(operands[i])) {
			char *shown = text_terminal_copy(operands[i]);
			err_set(&err, EINVAL, "\"%s\" is no id of a finding, like H1", shown);
			err_hint(&err, "heddle list --all");
			err_print(&err, "heddle");
			free(shown);
			return EXIT_USAGE;
		}
	/* Only to write to one that is there. */
	int code = store_use(asked_store, STORE_READ, &store, &err);
	store_close(store);
	if (code == 0)
		code = store_use(asked_store, STORE_WRITE, &store, &err);
	for (size_t i = 0; i < count && code == 0; i++)
		code = forget(store, store_parse_id(operands[i]), &err);
	if (code < 0)
		err_print(&err, "heddle");
	store_close(store);
	return code == 0 ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static const struct opt options[] = {
	{ "store", "DIR", "where findings are kept (default: HEDDLE_STORE, or .heddle)", OPT_TEXT, &asked_store },
	{ NULL, NULL, NULL, OPT_FLAG, NULL },
};

const struct command command_forget = {
	.name = "forget",
	.operands = "H1...",
	.summary = "remove findings and their evidence",
	.details =
		"A finding that is found again later is a new one, with another id. Exit status: 0, or 3 when there is "
		"no\n"
		"such finding; those before it are forgotten then.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.operands_min = 1,
	.operands_max = SIZE_MAX,
	.run = forget_main,
};
