/*
 * group.c: signals to the program's own process group. The kernel cannot be asked to send them: Heddle itself is in
 * the group, and the program must get its signal from us, at an event. So they go to each process that descends from
 * this one and is in its group.
 */
#include <string.h>

#include "rt/sys.h"
#include "world/answers.h"
#include "world/kernel/process.h"
#include "world/log.h"
#include "world/parts.h"

#define PROCESSES_MAX 1024u
#define TEXT_ROOM 1024u

/* Stands in the log where the result of a call would be, and no result has this value. It is recorded because the run
 * does not determine whether it was our own group. */
#define OWN_GROUP 1

static uint32_t found[PROCESSES_MAX], found_count;

static char *put(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	return to;
}

static char *put_number(char *to, uint32_t number)
{
	char digits[12];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + number % 10);
	while ((number /= 10) != 0);
	while (at < sizeof digits)
		*to++ = digits[at++];
	return to;
}

/* The kernel lists the children of a task in a file, as numbers with a blank after each. */
static void find_children(uint32_t pid)
{
	char path[64], text[TEXT_ROOM];
	char *end = put_number(put(path, "/proc/"), pid);
	end = put(put_number(put(end, "/task/"), pid), "/children");
	*end = '\0';
	int fd = sys_open(path, O_RDONLY);
	uint32_t number = 0;
	ssize_t got;
	while (fd >= 0 && (got = sys_read(fd, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < got; i++) {
			if (text[i] >= '0' && text[i] <= '9')
				number = number * 10 + (uint32_t)(text[i] - '0');
			else if (number && found_count < PROCESSES_MAX)
				found[found_count++] = number, number = 0;
		}
	if (fd >= 0)
		sys_close(fd);
}

static void send_to_descendants(long group, int number)
{
	found_count = 0;
	find_children(sys_pid());
	for (uint32_t i = 0; i < found_count; i++) {
		find_children(found[i]);
		if (sys_call(SYS_getpgid, found[i], 0, 0, 0, 0, 0) == group)
			sys_call(SYS_kill, found[i], number, 0, 0, 0, 0);
	}
}

bool group_send(int32_t group, int number)
{
	if (world.is_replaying) {
		if (group == 0)
			return true;
		if (world_has_turned())
			world_diverge("kill of a group");
		bool is_own = log_next.tag == HEDDLE_RECORD_CALL && log_next.value[0] == SYS_kill &&
			      log_next.value[1] == OWN_GROUP;
		if (is_own)
			log_advance();
		return is_own;
	}
	long own = sys_call(SYS_getpgrp, 0, 0, 0, 0, 0, 0);
	if (group != 0 && group != own && (group != WORLD_PID || own != (long)sys_pid()))
		return false;
	if (number)
		send_to_descendants(own, number);
	if (group != 0)
		log_write_call(SYS_kill, OWN_GROUP, 0);
	return true;
}
