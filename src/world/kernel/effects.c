/* effects.c: see effects.h. */
#include "world/kernel/effects.h"

#include <fcntl.h>
#include <stdbool.h>

#include "world/answers.h"

#define SEED 0xcbf29ce484222325ul
#define PRIME 0x100000001b3ul

/* What is known of low descriptors. */
#define NUMBERS 1024
static struct {
	uint64_t
		line; /* hash of the line that has not ended; 0: there is none. The lines of others end with each call */
	uint32_t file;  /* number in files, + 1; 0: not known */
	bool is_hidden; /* its file has no name any more */
} numbers[NUMBERS];

/* Files, by the path that the program opened them with. What does not find room is not known. */
#define FILES 256u
static struct {
	uint64_t path; /* hash; 0: free */
	uint64_t sum;  /* its part of the effects */
	uint64_t life; /* changes when its contents are gone */
} files[FILES];

/* What was written at positions of files, so that it can be written over. */
#define WRITES 8192u
#define PROBES 64u
static struct {
	uint64_t key; /* hash of the file, the position and the size; 0: free */
	uint64_t value;
} writes[WRITES];

static uint64_t mix(uint64_t hash)
{
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdul;
	return hash ^ hash >> 29;
}

static bool is_number(int fd)
{
	return fd >= 0 && fd < NUMBERS;
}

static void add(int fd, uint64_t value)
{
	world.channel->effects_hash += value;
	if (is_number(fd) && numbers[fd].file)
		files[numbers[fd].file - 1].sum += value;
}

static void add_bytes(int fd, const unsigned char *bytes, size_t size)
{
	uint64_t none = 0, *line = is_number(fd) ? &numbers[fd].line : &none;
	uint64_t now = *line ? *line : SEED, sum = 0;
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
	add(fd, *line ? sum + mix(now) : sum);
}

/* The value that was written there before; null: not known, and there is no room. */
static uint64_t *value_at(uint32_t file, int64_t at, size_t size)
{
	const uint64_t key = mix(mix(files[file - 1].path + files[file - 1].life) ^ (mix((uint64_t)at) + size)) | 1;
	for (uint32_t i = 0; i < PROBES; i++) {
		const uint32_t slot = (uint32_t)(key + i) % WRITES;
		if (writes[slot].key == key)
			return &writes[slot].value;
		if (writes[slot].key)
			continue;
		writes[slot].key = key;
		return &writes[slot].value;
	}
	return NULL;
}

/* Whatever is in them, lines or not. */
static void add_at(int fd, const unsigned char *bytes, size_t size, int64_t at)
{
	uint64_t now = (SEED ^ (uint64_t)at) * PRIME;
	for (size_t i = 0; i < size; i++)
		now = (now ^ bytes[i]) * PRIME;
	now = mix(now);
	uint64_t none = 0, *before = &none;
	if (is_number(fd) && numbers[fd].file && (before = value_at(numbers[fd].file, at, size)) == NULL)
		before = &none;
	add(fd, now - *before);
	*before = now;
}

void effects_add(int fd, const struct iovec *parts, size_t count, size_t size_bytes, const int64_t *at)
{
	int64_t position = at ? *at : 0;
	const bool is_hidden = is_number(fd) && numbers[fd].is_hidden;
	for (size_t i = 0; i < count && size_bytes; i++) {
		const size_t size = parts[i].iov_len < size_bytes ? parts[i].iov_len : size_bytes;
		answers_said(fd, parts[i].iov_base, size);
		if (at && !is_hidden)
			add_at(fd, parts[i].iov_base, size, position);
		else if (!is_hidden)
			add_bytes(fd, parts[i].iov_base, size);
		position += (int64_t)size;
		size_bytes -= size;
	}
}

void effects_close(int fd)
{
	if (!is_number(fd))
		return;
	numbers[fd].line = numbers[fd].file = 0;
	numbers[fd].is_hidden = false;
}

/* The number of the file + 1, which becomes known if it may; 0: it is not. */
static uint32_t file_of(const char *path, bool is_made)
{
	uint64_t hash = SEED;
	for (const char *at = path; *at; at++)
		hash = (hash ^ (unsigned char)*at) * PRIME;
	hash |= 1;
	for (uint32_t i = 0; i < FILES; i++) {
		if (files[i].path == hash)
			return i + 1;
		if (files[i].path)
			continue;
		if (!is_made)
			return 0;
		files[i].path = hash;
		return i + 1;
	}
	return 0;
}

/* Its contents are gone. */
static void empty(uint32_t file)
{
	if (!file)
		return;
	world.channel->effects_hash -= files[file - 1].sum;
	files[file - 1].sum = 0;
	files[file - 1].life++;
	for (int fd = 0; fd < NUMBERS; fd++)
		if (numbers[fd].file == file)
			numbers[fd].line = 0;
}

void effects_open(int fd, const char *path, int flags)
{
	if (!is_number(fd))
		return;
	numbers[fd].line = 0;
	numbers[fd].is_hidden = false;
	numbers[fd].file = file_of(path, true);
	if (flags & O_TRUNC)
		empty(numbers[fd].file);
}

void effects_empty(int fd)
{
	if (is_number(fd))
		empty(numbers[fd].file);
}

void effects_remove(const char *path)
{
	const uint32_t file = file_of(path, false);
	empty(file);
	for (int fd = 0; file && fd < NUMBERS; fd++) {
		if (numbers[fd].file != file)
			continue;
		numbers[fd].file = 0;
		numbers[fd].is_hidden = true;
	}
}
