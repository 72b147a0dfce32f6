/* effects.c: see effects.h. */
#include "world/kernel/effects.h"

#include <stdbool.h>

#include "world/answers.h"

#define SEED 0xcbf29ce484222325ul
#define PRIME 0x100000001b3ul

/* Lines that have not ended, of low descriptors; the lines of others end with each call. 0: there is none. */
#define LINES 1024
static uint64_t lines[LINES];

static uint64_t mix(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdul;
	return hash ^ hash >> 29;
}

static void add_bytes(uint64_t *line, const unsigned char *bytes, size_t size)
{
	uint64_t now = *line ? *line : SEED, sum = world.channel->effects_hash;
	if (*line)
		sum -= mix(now);
	for (size_t i = 0; i < size; i++) {
		now = (now ^ bytes[i]) * PRIME;
		if (bytes[i] != '\n')
			continue;
		sum += mix(now);
		now = SEED;
	}
	*line = now == SEED ? 0 : now;
	world.channel->effects_hash = *line ? sum + mix(now) : sum;
}

/* Whatever is in them, lines or not. */
static void add_at(const unsigned char *bytes, size_t size, int64_t at)
{
	uint64_t now = (SEED ^ (uint64_t)at) * PRIME;
	for (size_t i = 0; i < size; i++)
		now = (now ^ bytes[i]) * PRIME;
	world.channel->effects_hash += mix(now);
}

void effects_add(int fd, const struct iovec *parts, size_t count, size_t size_bytes, const int64_t *at)
{
	uint64_t other = 0;
	uint64_t *line = fd >= 0 && fd < LINES ? &lines[fd] : &other;
	int64_t position = at ? *at : 0;
	for (size_t i = 0; i < count && size_bytes; i++) {
		const size_t size = parts[i].iov_len < size_bytes ? parts[i].iov_len : size_bytes;
		answers_said(fd, parts[i].iov_base, size);
		if (at)
			add_at(parts[i].iov_base, size, position);
		else
			add_bytes(line, parts[i].iov_base, size);
		position += (int64_t)size;
		size_bytes -= size;
	}
}

void effects_close(int fd)
{
	if (fd >= 0 && fd < LINES)
		lines[fd] = 0;
}
