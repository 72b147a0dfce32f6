/*
 * completion.c: see man.h: the completion of bash. The script is a function with what the tables say, one case a command,
 * between two parts that are the same for all.
 */
#include <string.h>

#include "cmd/man.h"

static const char head[] =
	"# Completion of heddle's command line for bash. Made by heddle " HEDDLE_VERSION
	" from its tables of options.\n"
	"_heddle()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
	"\tlocal prefix='' commands='' options='' valued='' outputs='' operands='' action='' first='' store='' word i\n"
	"\tCOMPREPLY=()\n";

/*
 * valued are options that the next word belongs to; outputs are those that have a file only after =, or where that word
 * is not an option. --name=VALUE comes as three words, or as one where = does not separate words. _command_offset is
 * bash-completion's: it completes the rest as if that were the whole line.
 */
static const char tail[] =
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$commands help --help --version\" -- \"$cur\")\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tcase $word in\n"
	"\t\t--) first=$((i + 1)) ;;\n"
	"\t\t=) ((++i)) ;;\n"
	"\t\t--store) store=${COMP_WORDS[i + 1]} && [[ $store != = ]] && ((++i)) || store=${COMP_WORDS[i + 2]} ;;\n"
	"\t\t--store=*) store=${word#*=} ;;\n"
	"\t\t-*) if [[ \" $valued \" == *\" $word \"* && ${COMP_WORDS[i + 1]} != = ]]; then\n"
	"\t\t\t((++i))\n"
	"\t\telif [[ \" $outputs \" == *\" $word \"* && $operands != *file && ${COMP_WORDS[i + 1]} != [-=]* ]]; then\n"
	"\t\t\t((++i))\n"
	"\t\tfi ;;\n"
	"\t\t*) [[ $operands != program ]] || first=$i ;;\n"
	"\t\tesac\n"
	"\t\t[[ -z $first ]] || break\n"
	"\tdone\n"
	"\tif [[ -z $first ]]; then\n"
	"\t\tif [[ $cur == --*=* ]]; then\n"
	"\t\t\tprev=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=} valued+=\" $outputs\"\n"
	"\t\telif [[ $cur == = ]]; then\n"
	"\t\t\tcur='' valued+=\" $outputs\"\n"
	"\t\telif [[ $prev == = && $COMP_CWORD -gt 3 ]]; then\n"
	"\t\t\tprev=${COMP_WORDS[COMP_CWORD - 2]} valued+=\" $outputs\"\n"
	"\t\telif [[ $cur != -* && $operands != file ]]; then\n"
	"\t\t\tvalued+=\" $outputs\"\n"
	"\t\tfi\n"
	"\tfi\n"
	"\tif [[ -z $first && \" $valued \" == *\" $prev \"* ]]; then\n"
	"\t\t_heddle_value \"$command\" \"$prev\"\n"
	"\telif [[ -z $first && -n $prefix ]]; then\n"
	"\t\treturn 0\n"
	"\telif [[ -z $first && $cur == -* ]]; then\n"
	"\t\taction=\"-W '$options'\"\n"
	"\telif [[ $operands == program ]]; then\n"
	"\t\tfirst=${first:-$COMP_CWORD}\n"
	"\t\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t\t_command_offset \"$first\"\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\t\taction=-f\n"
	"\t\t((COMP_CWORD > first)) || [[ $cur == */* ]] || action='-c -f'\n"
	"\telif [[ $operands == finding* ]]; then\n"
	"\t\taction=\"-W '$(\"${COMP_WORDS[0]}\" help --findings ${store:+\"$store\"} 2>/dev/null)'\"\n"
	"\t\t[[ $operands != finding-or-file ]] || action+=' -f'\n"
	"\telif [[ $operands == file ]]; then\n"
	"\t\taction=-f\n"
	"\telif [[ $operands == command ]]; then\n"
	"\t\taction=\"-W '$commands'\"\n"
	"\tfi\n"
	"\t[[ -n $action ]] || return 0\n"
	"\tcase $action in *-f | *-d) compopt -o filenames 2>/dev/null ;; esac\n"
	"\t# The action has quotes for the shell, and is one of ours: no word of the user's is in it.\n"
	"\tmapfile -t COMPREPLY < <(eval \"compgen -P \\\"\\$prefix\\\" $action -- \\\"\\$cur\\\"\")\n"
	"}\n"
	"complete -F _heddle heddle\n";

static void put_values(FILE *to, const char *const values[])
{
	fputs("action=\"-W '", to);
	for (size_t i = 0; values[i]; i++)
		fprintf(to, "%s%s", i ? " " : "", values[i]);
	fputs("'\"", to);
}

/* The action for what an option's value is, by how --help names it. */
static const char *action_of(const char *argument)
{
	static const struct {
		const char *argument, *action;
	} actions[] = { { "FILE", "action=-f" },
			{ "TRACE", "action=-f" },
			{ "PROG", "action=-f" },
			{ "DIR", "action=-d" },
			{ "CMD", "action='-c -f'" } };
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(argument, actions[i].argument) == 0)
			return actions[i].action;
	return NULL;
}

static void put_option_values(FILE *to, const struct command *command, const struct opt *opt)
{
	const char *const *values = NULL;
	for (const struct opt_values *at = command->values; at && at->option; at++)
		if (strcmp(at->option, opt->name) == 0)
			values = at->values;
	const char *action = opt->argument ? action_of(opt->argument) : NULL;
	if (!values && !action)
		return;
	fprintf(to, "\t'%s --%s') ", command->name, opt->name);
	if (values)
		put_values(to, values);
	else
		fputs(action, to);
	fputs(" ;;\n", to);
}

/* The options that have a value, or those that are OPT_OUTPUT. */
static void put_names(FILE *to, const struct command *command, bool is_output)
{
	const char *separator = "";
	for (const struct opt *opt = command->options; opt->name; opt++)
		if (opt->argument && (opt->kind == OPT_OUTPUT) == is_output) {
			fprintf(to, "%s--%s", separator, opt->name);
			separator = " ";
		}
}

static void put_command(FILE *to, const struct command *command)
{
	fprintf(to, "\t%s)\n\t\toptions='", command->name);
	for (const struct opt *opt = command->options; opt->name; opt++)
		if (opt->help)
			fprintf(to, "--%s ", opt->name);
	fputs("--help' valued='", to);
	put_names(to, command, false);
	fputs("' outputs='", to);
	put_names(to, command, true);
	static const char *const kinds[] = {
		[OPERAND_FILE] = "file", [OPERAND_FINDING] = "finding", [OPERAND_FINDING_OR_FILE] = "finding-or-file"
	};
	const char *operands = command->operands_max == 0  ? ""
			       : command->stops_at_operand ? "program"
							   : kinds[command->operand_kind];
	fprintf(to, "' operands='%s'\n\t\t;;\n", operands);
}

void man_completion(FILE *to, const struct command *const commands[])
{
	fputs(head, to);
	fputs("\tcommands='", to);
	for (size_t i = 0; commands[i]; i++)
		fprintf(to, "%s%s", i ? " " : "", commands[i]->name);
	fputs("'\n\tcase $command in\n\thelp) operands=command ;;\n", to);
	for (size_t i = 0; commands[i]; i++)
		put_command(to, commands[i]);
	fputs("\tesac\n", to);
	fputs(tail, to);
	fputs("\n# Sets what completes the value of an option of a command.\n_heddle_value()\n{\n\tcase \"$1 $2\" in\n",
	      to);
	for (size_t i = 0; commands[i]; i++)
		for (const struct opt *opt = commands[i]->options; opt->name; opt++)
			put_option_values(to, commands[i], opt);
	fputs("\tesac\n}\n", to);
}
