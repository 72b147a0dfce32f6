/* mark.c: heddle mark: keeps a person's own verdict on a finding. A later classification that shows harm revokes "benign". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/word.h"
#include "cmd/opt.h"
#include "judge/store_use.h"
#include "store/verdict.h"

static struct {
	const char *store, *why;
} settings;

static const char *const mark_words[] = { "benign", "harmful", "none", NULL };

static int usage(struct err *err)
{
	err_hint(err, "heddle mark --help");
	err_print(err, "heddle");
	return EXIT_USAGE;
}

static int check_words(char **operands, struct err *err)
{
	char *word = text_terminal_copy(operands[1]);
	int code = 0;
	const bool is_known = word_is_among(operands[1], mark_words);
	const bool is_none = strcmp(operands[1], "none") == 0;
	if (!store_read_id(operands[0], err))
		code = -EINVAL;
	else if (!is_known)
		code = err_set(err, EINVAL, "a mark is benign, harmful or none, not \"%s\"", word);
	else if (!is_none && (!settings.why || !*settings.why))
		code = err_set(err, EINVAL, "a mark needs a reason: --why TEXT");
	else if (is_none && settings.why)
		code = err_set(err, EINVAL, "--why is for benign and harmful");
	free(word);
	return code;
}

static int mark_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct store *store = NULL;
	(void)count;
	if (check_words(operands, &err) < 0)
		return usage(&err);
	int code = store_use_existing(settings.store, &store, &err);
	if (code == 0)
		code = store_set_mark(store, store_parse_id(operands[0]),
				      strcmp(operands[1], "none") == 0 ? NULL : operands[1], settings.why, &err);
	if (code < 0)
		err_print(&err, "heddle");
	store_close(store);
	return code == 0 ? EXIT_FOUND_NOTHING : EXIT_CANNOT;
}

static const struct opt options[] = {
	{ "why", "TEXT", "the reason, which heddle show prints", OPT_TEXT, &settings.why },
	OPT_ROW_STORE(&settings.store),
	OPT_END,
};

const struct command command_mark = {
	.name = "mark",
	.operands = "ID benign|harmful|none",
	.summary = "keep your own verdict on a finding",
	.details = "The mark is shown by heddle list and heddle show; none removes it. A classification that shows a "
		   "failure\n"
		   "revokes the mark benign. A mark does not change the exit status of heddle test: --suppressions "
		   "does.\n\n"
		   "Exit status: 0; 2 for wrong usage; 3 if there is no such finding.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.operands_min = 2,
	.operands_max = 2,
	.run = mark_main,
};
