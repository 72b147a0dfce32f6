/*
 * opt.h: commands and their options. One table describes each command; parsing, --help, the manual pages
 * and the completion of bash come from it.
 * An option is written --name, --name=VALUE or --name VALUE. -h is --help, and -o is --out. "--" ends the options. An option that takes a
 * file for output is --name=FILE, or --name alone for the standard output. --name FILE means --name=FILE unless the word could be an
 * operand: if the command requires an operand, the word is one, and so is the id of a finding where ids are operands.
 */
#ifndef CMD_OPT_H
#define CMD_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"

/* OPT_TEXTS may be given several times. OPT_PAIR takes two arguments. OPT_OUTPUT: a file to write, "-" for the standard output,
 * which is also meant when no file is given. */
enum opt_kind { OPT_FLAG, OPT_TEXT, OPT_NUMBER, OPT_TEXTS, OPT_PAIR, OPT_OUTPUT };

struct opt {
	const char *name;     /* without the dashes; null ends a table */
	const char *argument; /* how --help names the value; null for a flag */
	const char *help;     /* null: an old name, which works and is not documented */
	enum opt_kind kind;
	void *value; /* bool *, const char **, uint64_t *, struct strings * (a pair, too): changed when the option is given */
};

/* The last row of a table, and rows that several tables have. */
#define OPT_END                                                                                                        \
	{                                                                                                              \
		NULL, NULL, NULL, OPT_FLAG, NULL                                                                       \
	}
#define OPT_ROW_STORE(value)                                                                                           \
	{                                                                                                              \
		"store", "DIR", "directory of the store (default: HEDDLE_STORE, or .heddle)", OPT_TEXT, value          \
	}
#define OPT_ROW_OUT(value)                                                                                             \
	{                                                                                                              \
		"out", "FILE", "the program to write; also -o FILE", OPT_TEXT, value                                   \
	}
#define OPT_ROW_RUNTIME(value)                                                                                         \
	{                                                                                                              \
		"runtime", "PATH",                                                                                     \
			"libheddle.so as the written program finds it; it may begin with $ORIGIN, the directory of "   \
			"that program (default: the one of this Heddle)",                                              \
			OPT_TEXT, value                                                                                \
	}
#define OPT_ROW_COLOR(value)                                                                                           \
	{                                                                                                              \
		"color", "WHEN",                                                                                       \
			"when to use colours: auto (on a terminal, unless NO_COLOR is set), always, never "            \
			"(default: auto)",                                                                             \
			OPT_TEXT, value                                                                                \
	}
#define OPT_ROW_TIMING(value)                                                                                          \
	{                                                                                                              \
		"timing", "HOW",                                                                                       \
			"when sleeps and time-outs end: early (even while other threads can run, as on a busy "        \
			"machine) or strict (only when no other thread can run) (default: early)",                     \
			OPT_TEXT, value                                                                                \
	}
#define OPT_ROW_CHECK(value)                                                                                           \
	{                                                                                                              \
		"check", "CMD",                                                                                        \
			"program that judges each run that exits: it reads the output on standard input and the "      \
			"status in HEDDLE_EXIT; no shell",                                                             \
			OPT_TEXT, value                                                                                \
	}
#define OPT_ROW_BEFORE(value)                                                                                          \
	{                                                                                                              \
		"before", "CMD",                                                                                       \
			"program to run before each schedule, in its directory, so that files are the same again; "    \
			"no shell",                                                                                    \
			OPT_TEXT, value                                                                                \
	}
#define OPT_ROW_INPUTS(value)                                                                                          \
	{                                                                                                              \
		"inputs", "DIR",                                                                                       \
			"also judge data races with other inputs: each line of DIR/*.args is a list of arguments, "    \
			"each other file is standard input, or the file that the argument @@ stands for",              \
			OPT_TEXT, value                                                                                \
	}
#define OPT_ROW_SANDBOX(value)                                                                                         \
	{                                                                                                              \
		"sandbox", NULL, "start each run in its own empty directory, which is removed afterwards", OPT_FLAG,   \
			value                                                                                          \
	}

/* What the value of an option may be, where that is one of a few. */
struct opt_values {
	const char *option;        /* null ends a table */
	const char *const *values; /* ends with null */
};

/* The kind of the operands, for parsing and completion. */
enum operand_kind { OPERAND_FILE, OPERAND_FINDING, OPERAND_FINDING_OR_FILE };

struct command {
	const char *name;
	const char *operands;     /* how --help names them: "PROG"; "" when there are none */
	const char *summary;      /* one line */
	const char *details;      /* paragraphs, or null */
	const bool *is_foreign;   /* null, or whether options with one dash are likely meant for another program, ... */
	const char *foreign_hint; /* ... and the message about them then */
	const struct opt *options;
	const struct opt_values *values; /* for those that have some; null: none has */
	size_t operands_min, operands_max;
	enum operand_kind operand_kind;
	bool stops_at_operand;                     /* what follows the first operand belongs to another program */
	int (*run)(char **operands, size_t count); /* returns the exit status */
};

/*
 * Parses the arguments (without the command's name) into the values of the table, and appends the operands. Returns 0;
 * or -EINVAL with err set, also when the number of operands is wrong. *is_help is set when help was asked for; then
 * nothing else is checked.
 */
int opt_parse(const struct command *command, char **arguments, struct strings *operands, bool *is_help,
	      struct err *err);

/* The option for output that was given without a file right before this operand, by the arguments that were parsed last; null when there
 * is none. The operand may be meant as its file, which needs --name=FILE there. */
const char *opt_before(const char *operand);

/* Writes the command's help. */
void opt_help(FILE *to, const struct command *command);

extern const struct command command_sites, command_run, command_replay, command_test, command_doctor, command_list,
	command_show, command_diff, command_forget, command_report, command_check, command_classify, command_mark,
	command_train, command_guard, command_patch;

#endif
