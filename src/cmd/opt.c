/* opt.c: see opt.h. */
#include "cmd/opt.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

static const struct opt help_option = { "help", NULL, "print this help", OPT_FLAG, NULL };

/* See opt_before: options, and the operands after them, as they were given. */
enum { MAX_LOOSE = 8 };
static struct {
	const struct opt *opt;
	const char *operand;
} loose[MAX_LOOSE];
static size_t loose_count;

const char *opt_before(const char *operand)
{
	for (size_t i = 0; i < loose_count; i++)
		if (strcmp(loose[i].operand, operand) == 0)
			return loose[i].opt->name;
	return NULL;
}

static void note_loose(const struct opt *opt, const char *next)
{
	if (!next || (next[0] == '-' && next[1] != '\0') || loose_count == MAX_LOOSE)
		return;
	loose[loose_count].opt = opt;
	loose[loose_count++].operand = next;
}

/* written: with its dashes, and without a value. */
static int unknown_option(const struct command *command, const char *written, struct err *err)
{
	const char *name = written + strspn(written, "-");
	const char *names[32] = { help_option.name };
	size_t count = 1;
	for (const struct opt *opt = command->options; opt->name && count < 31; opt++)
		if (opt->help)
			names[count++] = opt->name;
	const char *nearest = text_nearest(name, names);
	err_set(err, EINVAL, "unknown option \"%s\"", written);
	if (command->is_foreign && *command->is_foreign && written[1] != '-')
		err_hint(err, "%s", command->foreign_hint);
	else if (nearest)
		err_hint(err, "did you mean --%s?", nearest);
	else
		err_hint(err, "heddle %s --help lists the options", command->name);
	return -EINVAL;
}

static int unknown_long(const struct command *command, const char *name, struct err *err)
{
	char *written = mem_format("--%s", name);
	int code = unknown_option(command, written, err);
	free(written);
	return code;
}

static const struct opt *find_option(const struct command *command, const char *name)
{
	if (strcmp(name, help_option.name) == 0)
		return &help_option;
	for (const struct opt *opt = command->options; opt->name; opt++)
		if (strcmp(name, opt->name) == 0)
			return opt;
	return NULL;
}

static int set_number(const struct opt *opt, const char *value, struct err *err)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	if (errno || *value < '0' || *value > '9' || *end)
		return err_set(err, EINVAL, "--%s expects a number, not \"%s\"", opt->name, value);
	*(uint64_t *)opt->value = number;
	return 0;
}

static int add_second(const struct opt *opt, char ***at, struct err *err)
{
	struct strings *pair = opt->value;
	if (pair->count > 2)
		return err_set(err, EINVAL, "--%s can be given only once", opt->name);
	if (!**at || strcmp(**at, "--") == 0)
		return err_set(err, EINVAL, "--%s requires two values: --%s %s", opt->name, opt->name, opt->argument);
	strings_add(pair, *(*at)++);
	return 0;
}

/* Whether the word after an option without "=" is the file that it writes to. */
static bool is_output(const struct command *command, const char *word)
{
	if (!word || (word[0] == '-' && word[1] != '\0'))
		return false;
	if (command->operand_kind != OPERAND_FILE && store_parse_id(word))
		return false;
	return command->stops_at_operand || command->operands_min == 0;
}

/* Sets one option; **at is the argument after it, and *at moves on when that is its value. */
static int set_option(const struct command *command, const char *written, char ***at, bool *is_help, struct err *err)
{
	const char *equals = strchr(written, '=');
	char *name = mem_format("%.*s", equals ? (int)(equals - written) : (int)strlen(written), written);
	const struct opt *opt = find_option(command, name);
	const char *value = equals ? equals + 1 : NULL;
	int code = 0;
	if (!opt)
		code = unknown_long(command, name, err);
	else if (opt == &help_option)
		*is_help = true;
	else if (opt->kind == OPT_FLAG && value)
		code = err_set(err, EINVAL, "--%s takes no value", name);
	else if (opt->kind == OPT_FLAG)
		*(bool *)opt->value = true;
	else if (opt->kind == OPT_OUTPUT && !value && !is_output(command, **at)) {
		value = equals = "-";
		note_loose(opt, **at);
	} else if (!value && (!(value = **at) || strcmp(value, "--") == 0))
		code = err_set(err, EINVAL, "--%s requires a value: --%s %s", name, name, opt->argument);
	else if (!equals)
		++*at;
	if (opt && value && code == 0 && opt->kind == OPT_OUTPUT && !*value)
		code = err_set(err, EINVAL, "--%s= requires a file name", opt->name);
	if (opt && value && code == 0 && (opt->kind == OPT_TEXT || opt->kind == OPT_OUTPUT))
		*(const char **)opt->value = value;
	if (opt && value && code == 0 && (opt->kind == OPT_TEXTS || opt->kind == OPT_PAIR))
		strings_add(opt->value, value);
	if (opt && value && code == 0 && opt->kind == OPT_PAIR)
		code = add_second(opt, at, err);
	if (opt && value && code == 0 && opt->kind == OPT_NUMBER)
		code = set_number(opt, value, err);
	free(name);
	return code;
}

int opt_parse(const struct command *command, char **arguments, struct strings *operands, bool *is_help, struct err *err)
{
	bool is_over = false;
	*is_help = false;
	loose_count = 0;
	while (*arguments && !*is_help) {
		char *argument = *arguments++;
		int code = 0;
		if (is_over || argument[0] != '-' || argument[1] == '\0') {
			strings_add(operands, argument);
			is_over = is_over || command->stops_at_operand;
		} else if (strcmp(argument, "--") == 0) {
			is_over = true;
		} else if (argument[1] == '-') {
			code = set_option(command, argument + 2, &arguments, is_help, err);
		} else if (strcmp(argument, "-h") == 0) {
			*is_help = true;
		} else if (strcmp(argument, "-o") == 0 && find_option(command, "out")) {
			code = set_option(command, "out", &arguments, is_help, err);
		} else if (strcmp(argument, "-k") == 0 && find_option(command, "witnesses")) {
			code = set_option(command, "witnesses", &arguments, is_help, err);
		} else {
			code = unknown_option(command, argument, err);
		}
		if (code < 0)
			return code;
	}
	if (*is_help || (operands->count >= command->operands_min && operands->count <= command->operands_max))
		return 0;
	for (size_t i = 0; i < operands->count && operands->count > command->operands_max; i++)
		if (opt_before(operands->items[i]))
			err_hint(err, "to name a file for --%s, write --%s=FILE", opt_before(operands->items[i]),
				 opt_before(operands->items[i]));
	err_hint(err, "heddle %s --help", command->name);
	if (operands->count < command->operands_min)
		return err_set(err, EINVAL, "heddle %s requires %s", command->name, command->operands);
	return err_set(err, EINVAL, "heddle %s: unexpected operand \"%s\"", command->name,
		       operands->items[command->operands_max]);
}

static void print_option(FILE *to, const struct opt *opt)
{
	char left[64];
	snprintf(left, sizeof left,
		 opt->kind == OPT_OUTPUT ? "--%s[=%s]"
		 : opt->argument         ? "--%s %s"
					 : "--%s%s",
		 opt->name, opt->argument ? opt->argument : "");
	fprintf(to, "  %-18s %s\n", left, opt->help);
}

void opt_help(FILE *to, const struct command *command)
{
	fprintf(to, "usage: heddle %s [OPTIONS]%s%s\n\n%c%s.\n\n", command->name, *command->operands ? " " : "",
		command->operands, toupper((unsigned char)command->summary[0]), command->summary + 1);
	for (const struct opt *opt = command->options; opt->name; opt++)
		if (opt->help)
			print_option(to, opt);
	print_option(to, &help_option);
	if (command->details)
		fprintf(to, "\n%s\n", command->details);
}
