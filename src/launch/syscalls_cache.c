/* syscalls_cache.c: see syscalls_cache.h. */
#include "launch/syscalls_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/proc.h"
#include "heddle/abi.h"

#define CACHE_MAGIC "HEDDLESC"
#define CACHE_VERSION 1u /* of this format and of what counts as replaceable: part of the name */
#define BUILD_ID_MAX 64u
#define PATCHES_MAX (1u << 20)

struct cache_header {
	char magic[8];
	uint32_t version, count;
	uint32_t patch_bytes, id_bytes;
	uint8_t id[BUILD_ID_MAX];
	uint8_t sum[16]; /* of all before it and all behind it */
};

static const unsigned char *build_id(const struct elf_file *elf, size_t *size)
{
	const unsigned char *id = elf_file_build_id(elf, size);
	return id && *size >= 8 && *size <= BUILD_ID_MAX ? id : NULL;
}

/* The folder and the file's name in it; null when there is no place or no build-id. The caller frees. */
static char *folder_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (cache && cache[0] == '/')
		return mem_format("%s/heddle/syscalls", cache);
	if (home && home[0] == '/' && access(home, F_OK) == 0) /* it is not ours to make */
		return mem_format("%s/.cache/heddle/syscalls", home);
	return NULL;
}

static char *file_path(const struct elf_file *elf, const char *folder)
{
	size_t size;
	const unsigned char *id = build_id(elf, &size);
	if (!id || !folder)
		return NULL;
	struct buf path = { 0 };
	buf_format(&path, "%s/", folder);
	for (size_t i = 0; i < size; i++)
		buf_format(&path, "%02x", id[i]);
	buf_format(&path, "-%u", CACHE_VERSION);
	return path.data;
}

static void sum_of(const struct cache_header *header, const struct buf *patches, uint8_t sum[16])
{
	struct hash hash;
	hash_init(&hash);
	hash_add(&hash, header, offsetof(struct cache_header, sum));
	hash_add(&hash, patches->data, patches->size);
	hash_end(&hash, sum);
}

static void fill_header(const struct elf_file *elf, const struct buf *patches, struct cache_header *header)
{
	size_t size;
	const unsigned char *id = build_id(elf, &size);
	*header = (struct cache_header){ .magic = CACHE_MAGIC,
					 .version = CACHE_VERSION,
					 .count = (uint32_t)(patches->size / sizeof(struct heddle_patch)),
					 .patch_bytes = sizeof(struct heddle_patch),
					 .id_bytes = (uint32_t)size };
	memcpy(header->id, id, size);
	sum_of(header, patches, header->sum);
}

static bool read_exactly(int fd, void *to, size_t size_bytes)
{
	char *at = to;
	while (size_bytes) {
		ssize_t got = read(fd, at, size_bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		size_bytes -= (size_t)got;
	}
	return true;
}

static bool read_patches(int fd, struct buf *patches, struct cache_header *header)
{
	struct stat status;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
	    (status.st_mode & (S_IWGRP | S_IWOTH)) || !read_exactly(fd, header, sizeof *header))
		return false;
	size_t size = (size_t)header->count * sizeof(struct heddle_patch);
	if (header->count > PATCHES_MAX || (uint64_t)status.st_size != sizeof *header + size)
		return false;
	char *data = mem_alloc(size);
	bool is_read = read_exactly(fd, data, size);
	if (is_read)
		buf_add(patches, data, size);
	free(data);
	return is_read;
}

static bool fits(const struct elf_file *elf, const struct buf *patches)
{
	uint64_t end = 0;
	for (size_t at = 0; at < patches->size; at += sizeof(struct heddle_patch)) {
		struct heddle_patch patch;
		memcpy(&patch, patches->data + at, sizeof patch);
		size_t left;
		const unsigned char *bytes = elf_file_at(elf, patch.address, &left);
		if (patch.address < end || patch.size < 5 || patch.size > sizeof patch.bytes || !bytes ||
		    left < patch.size || patch.call + 2 > patch.size || memcmp(bytes, patch.bytes, patch.size) != 0)
			return false;
		end = patch.address + patch.size;
	}
	return true;
}

bool syscalls_cache_read(const struct elf_file *elf, struct buf *patches)
{
	char *folder = folder_path(), *path = file_path(elf, folder);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool is_good = false;
	if (fd >= 0) {
		struct cache_header header, expected;
		is_good = read_patches(fd, patches, &header);
		if (is_good)
			fill_header(elf, patches, &expected);
		is_good = is_good && memcmp(&header, &expected, sizeof header) == 0 && fits(elf, patches);
		close(fd);
	}
	if (!is_good)
		buf_release(patches);
	free(path);
	free(folder);
	return is_good;
}

static bool make_folders(const char *folder)
{
	char *copy = mem_copy_string(folder);
	for (char *slash = copy + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(copy, 0700);
	}
	bool is_present = mkdir(copy, 0700) == 0 || errno == EEXIST;
	free(copy);
	return is_present;
}

void syscalls_cache_write(const struct elf_file *elf, const struct buf *patches)
{
	char *folder = folder_path(), *path = file_path(elf, folder);
	if (path && make_folders(folder)) {
		char *temporary = mem_format("%s/.new-XXXXXX", folder);
		int fd = mkostemp(temporary, O_CLOEXEC);
		if (fd >= 0) {
			struct cache_header header;
			fill_header(elf, patches, &header);
			bool is_written = proc_write_all(fd, &header, sizeof header) == 0 &&
					  proc_write_all(fd, patches->data, patches->size) == 0;
			if (close(fd) < 0 || !is_written || rename(temporary, path) < 0)
				unlink(temporary);
		}
		free(temporary);
	}
	free(path);
	free(folder);
}
