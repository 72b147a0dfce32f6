/* trace.c: keeps what patterns.c reads and writes, in the order in which it happens. Not woven: under control no other thread runs between an access
 * and its note. */
#include <stdio.h>
#include <stdlib.h>

static struct note {
	int thread, line, is_write;
	const char *variable;
	long value;
} notes[1000];
static int count;

void trace_note(int thread, int line, const char *variable, int is_write, long value);
void trace_end(int is_failed);

void trace_note(int thread, int line, const char *variable, int is_write, long value)
{
	if (count < 1000)
		notes[count++] = (struct note){ thread, line, is_write, variable, value };
}

void trace_end(int is_failed)
{
	FILE *file = fopen("traces", "a");
	if (!file)
		exit(9);
	fputs(is_failed ? "failed" : "ok", file);
	for (int i = 0; i < count; i++)
		fprintf(file, " %d:%d:%s:%c:%ld", notes[i].thread, notes[i].line, notes[i].variable,
			notes[i].is_write ? 'w' : 'r', notes[i].value);
	fputc('\n', file);
	fclose(file);
}
