/* message.c: see message.h. */
#include "rt/message.h"

#include <errno.h>

#include "rt/sys.h"

void message_string(struct message *message, const char *string)
{
	/* One byte stays free for the newline. Control characters come from names of files: not to the terminal. */
	for (; *string && message->size < sizeof message->text - 1; string++)
		message->text[message->size++] = (unsigned char)*string < ' ' || *string == 127 ? '?' : *string;
}

void message_begin(struct message *message)
{
	message->size = 0;
	message_string(message, "heddle: ");
}

void message_number(struct message *message, uint64_t number)
{
	char digits[24];
	size_t at = sizeof digits - 1;
	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	message_string(message, digits + at);
}

void message_end(struct message *message)
{
	message->text[message->size++] = '\n';
	sys_write(2, message->text, message->size);
}

static const char *const failure_texts[] = {
	[RT_UNKNOWN_MODE] = "HEDDLE names an unknown mode (known modes: pass, operations, train, guard, control)",
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
	[RT_TRAIN_FILE] = "the file of training histories cannot be used",
	[RT_GUARD_FILE] = "the file of guarded sites cannot be used",
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
	struct message message;
	if (__atomic_exchange_n(&is_off, true, __ATOMIC_RELAXED))
		return;
	message_begin(&message);
	message_string(&message, "off: ");
	message_string(&message, failure_texts[failure]);
	if (subject) {
		message_string(&message, ": ");
		message_string(&message, subject);
	}
	if (code) {
		message_string(&message, " (errno ");
		message_number(&message, (uint64_t)-code);
		message_string(&message, ")");
	}
	message_string(&message, "; the program continues unobserved");
	message_end(&message);
}
