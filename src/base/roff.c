/* roff.c: see roff.h. */
#include "base/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A bare dash may be printed as a hyphen, which cannot be pasted into a shell; a circumflex, a tilde and the quotes
 * become other characters, too. */
static void put(FILE *to, char c)
{
	switch (c) {
	case '\\':
		fputs("\\e", to);
		break;
	case '-':
		fputs("\\-", to);
		break;
	case '\'':
		fputs("\\(aq", to);
		break;
	case '`':
		fputs("\\(ga", to);
		break;
	case '^':
		fputs("\\(ha", to);
		break;
	case '~':
		fputs("\\(ti", to);
		break;
	default:
		fputc(c, to);
	}
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '-';
}

/* Returns what is behind the option that text begins with, or text when it begins with none. */
static const char *behind_option(const char *text)
{
	if (text[0] != '-' || text[1] != '-' || !islower((unsigned char)text[2]))
		return text;
	while (is_name(*text))
		text++;
	return text;
}

static void put_text(FILE *to, const char *text, size_t size)
{
	/* What begins with a dot is a request, unless something that prints nothing is before it. */
	if (size && *text == '.')
		fputs("\\&", to);
	for (const char *at = text, *end = text + size; at < end;) {
		const char *behind = at == text || !is_name(at[-1]) ? behind_option(at) : at;
		bool is_bold = behind > at && behind <= end;
		if (!is_bold)
			behind = at + 1;
		fputs(is_bold ? "\\fB" : "", to);
		for (; at < behind; at++)
			put(to, *at);
		fputs(is_bold ? "\\fR" : "", to);
	}
}

void roff_text(FILE *to, const char *text)
{
	put_text(to, text, strlen(text));
}

void roff_begin(FILE *to, const char *name, const char *version, const char *summary)
{
	fputs(".TH ", to);
	for (const char *c = name; *c; c++)
		put(to, (char)toupper((unsigned char)*c));
	/* No justification and no hyphenation, so that a search finds names and options. */
	fprintf(to, " 1 \"\" \"Heddle %s\" \"Heddle\"\n.ad l\n.nh\n.SH NAME\n", version);
	roff_text(to, name);
	fputs(" \\- ", to);
	roff_text(to, summary);
	fputs("\n", to);
}

void roff_paragraphs(FILE *to, const char *text)
{
	bool is_filled = true, is_begun = false;
	while (*text) {
		size_t size = strcspn(text, "\n");
		bool is_shown = *text == ' ';
		if (size && is_shown == is_filled) {
			fputs(is_shown ? ".PP\n.nf\n" : ".fi\n", to);
			is_filled = !is_shown;
			is_begun = is_begun || is_shown;
		}
		if (size == 0) {
			is_begun = false;
		} else {
			if (!is_begun)
				fputs(".PP\n", to);
			is_begun = true;
			put_text(to, text, size);
			fputc('\n', to);
		}
		text += size + (text[size] == '\n');
	}
	if (!is_filled)
		fputs(".fi\n", to);
}

void roff_option(FILE *to, const char *name, const char *between, const char *argument, const char *help)
{
	fputs(".TP\n\\fB\\-\\-", to);
	roff_text(to, name);
	fputs("\\fR", to);
	if (argument) {
		fputs(between, to);
		fputs("\\fI", to);
		roff_text(to, argument);
		fputs(between[0] == '[' ? "\\fR]" : "\\fR", to);
	}
	fputs("\n", to);
	roff_text(to, help);
	fputs("\n", to);
}
