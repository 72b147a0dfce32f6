/* report.c: see report.h. */
#include "rt/report.h"

#include <stddef.h>

static struct heddle_channel *channel;

void report_start(struct heddle_channel *to)
{
	channel = to;
}

uint32_t report_room(void)
{
	return channel->watch_count ? HEDDLE_WATCH_ROOM : HEDDLE_REPORT_ROOM;
}

void report_put(const char *text)
{
	while (*text && channel->report_used < report_room() - 1)
		channel->report[channel->report_used++] = *text++;
	while (*text++)
		channel->report_lost++;
}

void report_put_number(uint64_t number, unsigned base)
{
	char digits[24];
	size_t at = sizeof digits - 1;
	digits[at] = '\0';
	do
		digits[--at] = "0123456789abcdef"[number % base];
	while ((number /= base) != 0);
	report_put(digits + at);
}

void report_put_word(uint64_t number, unsigned base)
{
	report_put(" ");
	report_put_number(number, base);
}

void report_line(const char *word, const char *text, const char *subject)
{
	report_put(word);
	report_put(" ");
	report_put(text);
	if (subject) {
		report_put(" ");
		report_put(subject);
	}
	report_put("\n");
}

void report_note(const char *text, const char *subject)
{
	report_line("note", text, subject);
}

void report_missed(const char *text)
{
	report_line("missed", text, NULL);
}
