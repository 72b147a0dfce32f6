/* text_test.c: width ARG...: the columns of each argument; fit left|middle|right WIDTH TEXT; fold WIDTH INDENT TEXT; quote FILE
 * LINE COLUMN WIDTH. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "narrate/layout.h"
#include "narrate/quote.h"

static int fit(char **arguments)
{
	struct buf text = { 0 };
	enum text_cut cut = arguments[0][0] == 'l' ? TEXT_CUT_LEFT :
			    arguments[0][0] == 'm' ? TEXT_CUT_MIDDLE :
						     TEXT_CUT_RIGHT;
	buf_add_string(&text, arguments[2]);
	text_fit(&text, strtoul(arguments[1], NULL, 10), cut);
	puts(text.data);
	buf_release(&text);
	return 0;
}

static int fold(char **arguments)
{
	struct buf out = { 0 };
	const struct layout layout = { .width = strtoul(arguments[0], NULL, 10) };
	layout_fold(&out, &layout, LAYOUT_HEAD, strtoul(arguments[1], NULL, 10), arguments[2]);
	fputs(out.data, stdout);
	buf_release(&out);
	return 0;
}

static int quote(char **arguments)
{
	struct buf out = { 0 };
	struct quotes quotes;
	const struct layout layout = { .width = strtoul(arguments[3], NULL, 10) };
	const struct quote place = { arguments[0], (uint32_t)strtoul(arguments[1], NULL, 10),
				     (uint32_t)strtoul(arguments[2], NULL, 10), NULL };
	quotes_init(&quotes, "./none");
	bool is_present = quotes_add(&out, &quotes, &layout, 0, &place, 1);
	fputs(out.data ? out.data : "", stdout);
	buf_release(&out);
	quotes_release(&quotes);
	return !is_present;
}

int main(int count, char **arguments)
{
	if (count > 4 && strcmp(arguments[1], "fit") == 0)
		return fit(arguments + 2);
	if (count > 4 && strcmp(arguments[1], "fold") == 0)
		return fold(arguments + 2);
	if (count > 5 && strcmp(arguments[1], "quote") == 0)
		return quote(arguments + 2);
	for (int i = 2; i < count; i++)
		printf("%zu\n", text_width(arguments[i], strlen(arguments[i])));
	return 0;
}
