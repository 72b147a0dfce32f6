/* err.c: see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

int err_set(struct err *err, int code, const char *format, ...)
{
	if (err->message[0] == '\0') {
		va_list args;
		va_start(args, format);
		vsnprintf(err->message, sizeof err->message, format, args);
		va_end(args);
	}
	return code > 0 ? -code : code;
}

void err_hint(struct err *err, const char *format, ...)
{
	if (err->hint[0] != '\0')
		return;
	va_list args;
	va_start(args, format);
	vsnprintf(err->hint, sizeof err->hint, format, args);
	va_end(args);
}

void err_print(const struct err *err, const char *program)
{
	fprintf(stderr, "%s: error: %s\n", program, err->message[0] ? err->message : "unknown failure");
	if (err->hint[0])
		fprintf(stderr, "%s: hint: %s\n", program, err->hint);
}

void err_show(const struct buf *text)
{
	if (text->size)
		fwrite(text->data, 1, text->size, stderr);
}

noreturn void bug_at(const char *file, int line, const char *format, ...)
{
	va_list args;
	fprintf(stderr, "heddle: BUG at %s:%d: ", file, line);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}
