/* mark.c: heddle mark: keeps a person's own verdict on a finding. A later classification that shows harm revokes "benign". */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/word.h"
#include "cmd/opt.h"
#include "judge/store_use.h"
#include "model/verdict.h"
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

/* Heddle's own verdict may be another. */
static void note_worse(struct store *store, int64_t id)
{
	struct store_verdict verdict;
	struct err ignored = ERR_INIT;
	if (store_get_verdict(store, id, &verdict, &ignored) == 0 && verdict.class &&
	    verdict_is_worse(verdict_find(verdict.class), VERDICT_HARMLESS)) {
		char *text = text_terminal_copy(verdict.text);
		fprintf(stderr, "heddle: note: H%" PRId64 " %s\n", id, text);
		free(text);
	}
	store_verdict_release(&verdict);
}

static void say_mark(int64_t id, const char *word)
{
	if (word)
		printf("H%" PRId64 " is marked %s\n", id, word);
	else
		printf("H%" PRId64 " has no mark\n", id);
}

static int mark_main(char **operands, size_t count)
{
	struct err err = ERR_INIT;
	struct store *store = NULL;
	(void)count;
	if (check_words(operands, &err) < 0)
		return usage(&err);
	const int64_t id = store_parse_id(operands[0]);
	const char *word = strcmp(operands[1], "none") == 0 ? NULL : operands[1];
	int code = store_use_existing(settings.store, &store, &err);
	if (code == 0)
		code = store_set_mark(store, id, word, settings.why, &err);
	if (code == 0)
		say_mark(id, word);
	if (code == 0 && word && strcmp(word, "benign") == 0)
		note_worse(store, id);
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
	.details =
		"The mark is shown by heddle list, heddle show and heddle test; none removes it. It hides nothing: the "
		"exit\n"
		"status of heddle test is the same, and only a suppression (heddle test --suppressions) hides a "
		"finding.\n"
		"A classification that shows a failure revokes the mark benign.\n\n"
		"Exit status: 0 the finding is marked, 2 usage error, 3 there is no such finding or no store.",
	.options = options,
	.operand_kind = OPERAND_FINDING,
	.operands_min = 2,
	.operands_max = 2,
	.run = mark_main,
};
