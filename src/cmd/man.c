/* man.c: see man.h: the pages. */
#include "cmd/man.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/roff.h"

static const char heading[] = "Exit status: ";

/* Whether a paragraph of the details is about the exit status: it gets its own section. */
static bool is_about_status(const char *paragraph)
{
	return strncmp(paragraph, heading, strlen(heading)) == 0 || strncmp(paragraph, "The exit status", 15) == 0;
}

/* Prints those paragraphs that are, or are not, about the exit status; returns whether there was one. */
static bool put_details(FILE *to, const char *details, bool is_status)
{
	bool is_any = false;
	while (details && *details) {
		const char *end = strstr(details, "\n\n");
		size_t size = end ? (size_t)(end - details) : strlen(details);
		char *paragraph = mem_format("%.*s", (int)size, details);
		if (is_about_status(paragraph) == is_status) {
			if (is_status)
				fputs(is_any ? "" : ".SH EXIT STATUS\n", to);
			/* The section's title says it already. */
			size_t skipped =
				is_status && strncmp(paragraph, heading, strlen(heading)) == 0 ? strlen(heading) : 0;
			roff_paragraphs(to, paragraph + skipped);
			is_any = true;
		}
		free(paragraph);
		details = end ? end + strspn(end, "\n") : NULL;
	}
	return is_any;
}

static void put_sentence(FILE *to, const char *summary)
{
	char *sentence = mem_format("%c%s.", toupper((unsigned char)summary[0]), summary + 1);
	roff_text(to, sentence);
	fputs("\n", to);
	free(sentence);
}

/* "-- PROG ARGS..." */
static void put_operands(FILE *to, const char *operands)
{
	bool is_in = false;
	for (const char *c = operands; *c; c++) {
		bool is_letter = isupper((unsigned char)*c);
		if (is_letter != is_in)
			fputs(is_letter ? "\\fI" : "\\fR", to);
		is_in = is_letter;
		char one[2] = { *c, '\0' };
		if (*c == '.')
			fputs("\\&.", to);
		else
			roff_text(to, one);
	}
	fputs(is_in ? "\\fR\n" : "\n", to);
}

void man_command(FILE *to, const struct command *command)
{
	char *name = mem_format("heddle-%s", command->name);
	roff_begin(to, name, HEDDLE_VERSION, command->summary);
	fprintf(to, ".SH SYNOPSIS\n\\fBheddle %s\\fR [\\fIOPTIONS\\fR] ", command->name);
	put_operands(to, command->operands);
	fputs(".SH DESCRIPTION\n", to);
	put_sentence(to, command->summary);
	put_details(to, command->details, false);
	fputs(".SH OPTIONS\nAn option with a value is written \\fB\\-\\-name \\fIVALUE\\fR or "
	      "\\fB\\-\\-name=\\fIVALUE\\fR.\n",
	      to);
	for (const struct opt *opt = command->options; opt->name; opt++)
		if (opt->help)
			roff_option(to, opt->name, opt->kind == OPT_OUTPUT ? "[=" : " ", opt->argument, opt->help);
	roff_option(to, "help", " ", NULL, "print a short help text");
	if (!put_details(to, command->details, true))
		fputs(".SH EXIT STATUS\n0 on success, 2 on a usage error, 3 if the command could not complete.\n", to);
	fputs(".SH SEE ALSO\n\\fBheddle\\fR(1), \\fBheddle\\-cc\\fR(1)\n", to);
	free(name);
}

void man_general(FILE *to, const struct command *const commands[])
{
	roff_begin(to, "heddle", HEDDLE_VERSION, "find and replay concurrency bugs in C and C++ programs");
	fputs(".SH SYNOPSIS\n"
	      "\\fBheddle\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n"
	      ".br\n"
	      "\\fBheddle help\\fR [\\fICOMMAND\\fR]\n"
	      ".br\n"
	      "\\fBheddle \\-\\-version\\fR\n"
	      ".SH COMMANDS\n"
	      "Each command has its own page.\n",
	      to);
	for (; *commands; commands++) {
		fprintf(to, ".TP\n\\fBheddle\\-%s\\fR(1)\n", (*commands)->name);
		put_sentence(to, (*commands)->summary);
	}
	fputs(".SH EXIT STATUS\n"
	      "0 nothing found, 1 something found, 2 usage error, 3 the command could not complete.\n"
	      "\\fBheddle run\\fR, \\fBheddle guard\\fR and \\fBheddle replay\\fR exit with the status of the program "
	      "that they ran.\n"
	      ".SH SEE ALSO\n"
	      "\\fBheddle\\-cc\\fR(1)\n",
	      to);
}
