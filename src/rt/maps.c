/* maps.c: see maps.h. */
#include "rt/maps.h"

#include <errno.h>
#include <string.h>

#include "rt/sys.h"

static const char *skip_field(const char *at)
{
	while (*at && *at != ' ')
		at++;
	while (*at == ' ')
		at++;
	return at;
}

static const char *parse_hex(const char *at, uintptr_t *number)
{
	*number = 0;
	for (;; at++) {
		if (*at >= '0' && *at <= '9')
			*number = *number * 16 + (uintptr_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*number = *number * 16 + (uintptr_t)(*at - 'a' + 10);
		else
			return at;
	}
}

/* start-end rwxp offset device inode path */
static void parse_line(const char *line, void (*each)(void *, const struct maps_entry *), void *data)
{
	struct maps_entry entry;
	const char *at = parse_hex(line, &entry.start);
	if (*at != '-')
		return;
	at = skip_field(parse_hex(at + 1, &entry.end));
	if (!at[0] || !at[1] || !at[2] || !at[3])
		return;
	entry.protection =
		(at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
	entry.is_shared = at[3] == 's';
	at = parse_hex(skip_field(at), &entry.offset);
	for (int field = 0; field < 3; field++)
		at = skip_field(at);
	entry.path = at;
	each(data, &entry);
}

bool maps_is_runtime(const struct maps_entry *entry)
{
	static const char name[] = "/libheddle.so";
	size_t size = 0;
	while (entry->path[size])
		size++;
	return size >= sizeof name - 1 && memcmp(entry->path + size - (sizeof name - 1), name, sizeof name - 1) == 0;
}

struct room {
	char chunk[4096], line[4096 + 128];
};

static int read_into(struct room *room, void (*each)(void *data, const struct maps_entry *entry), void *data)
{
	int fd = sys_open("/proc/self/maps", O_RDONLY);
	if (fd < 0)
		return fd;
	size_t size = 0;
	ssize_t got;
	while ((got = sys_read(fd, room->chunk, sizeof room->chunk)) > 0 || got == -EINTR) {
		for (ssize_t i = 0; i < got; i++) {
			if (room->chunk[i] == '\n') {
				room->line[size] = '\0';
				parse_line(room->line, each, data);
				size = 0;
			} else if (size < sizeof room->line - 1) {
				room->line[size++] = room->chunk[i];
			}
		}
	}
	sys_close(fd);
	return (int)got;
}

int maps_read(void (*each)(void *data, const struct maps_entry *entry), void *data)
{
	struct room room;
	return read_into(&room, each, data);
}

int maps_read_apart(void (*each)(void *data, const struct maps_entry *entry), void *data)
{
	long at = sys_mmap(sizeof(struct room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(at))
		return (int)at;
	int code = read_into((struct room *)at, each, data);
	sys_munmap((void *)at, sizeof(struct room));
	return code;
}
