/* say.c: see say.h. */
#include "rt/say.h"

#include <errno.h>

#include "rt/sys.h"

void say_string(struct say *say, const char *string)
{
	/* One byte stays free for the newline. Control characters come from names of files: not to the terminal. */
	for (; *string && say->size < sizeof say->text - 1; string++)
		say->text[say->size++] = (unsigned char)*string < ' ' || *string == 127 ? '?' : *string;
}

void say_begin(struct say *say)
{
	say->size = 0;
	say_string(say, "heddle: ");
}

void say_number(struct say *say, uint64_t number)
{
	char digits[24];
	size_t at = sizeof digits - 1;
	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	say_string(say, digits + at);
}

void say_end(struct say *say)
{
	say->text[say->size++] = '\n';
	sys_write(2, say->text, say->size);
}

static const char *const failure_texts[] = {
	[RT_UNKNOWN_MODE] = "HEDDLE names an unknown mode (known modes: pass, operations, control)",
	[RT_NO_MEMORY] = "out of memory",
	[RT_NO_MAPS] = "/proc/self/maps cannot be read: is /proc mounted?",
	[RT_TEXT_NOT_WRITABLE] = "the code cannot be made writable (a security policy such as SELinux execmod?)",
	[RT_SWITCH_FILE] = "the pattern file of switch= cannot be read",
	[RT_SWITCH_SIZE] = "too many patterns in switch=",
	[RT_WITHOUT] = "invalid addresses in without=",
	[RT_COUNT_FILE] = "the counter file cannot be used",
	[RT_COUNT_FORMAT] = "the counter file belongs to another version of Heddle",
	[RT_NO_CHANNEL] = "mode control requires the tool that starts it (heddle run), of the same version",
	[RT_OPERATIONS_FILE] = "the operation counter file cannot be used",
	[RT_NO_DISPATCH] = "the kernel has no syscall user dispatch (Linux 5.11 or newer), or it is forbidden",
	[RT_BROKEN] = "a fault of Heddle itself, please report it",
};

static bool is_off;

bool rt_is_off(void)
{
	return __atomic_load_n(&is_off, __ATOMIC_RELAXED);
}

void rt_off(enum rt_failure failure, const char *subject, int code)
{
	struct say say;
	if (__atomic_exchange_n(&is_off, true, __ATOMIC_RELAXED))
		return;
	say_begin(&say);
	say_string(&say, "off: ");
	say_string(&say, failure_texts[failure]);
	if (subject) {
		say_string(&say, ": ");
		say_string(&say, subject);
	}
	if (code) {
		say_string(&say, " (errno ");
		say_number(&say, (uint64_t)-code);
		say_string(&say, ")");
	}
	say_string(&say, "; the program continues unobserved");
	say_end(&say);
}
