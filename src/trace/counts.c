/* counts.c: see counts.h. */
#include "trace/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"

#define SIZE_FIRST ((uint64_t)64 << 30)
#define SIZE_LAST ((uint64_t)64 << 20)
#define PAGE_BYTES 4096u

/* As much as there may be. */
static int make_room(struct counts *counts)
{
	int code = -ENOSPC;
	for (counts->size_bytes = SIZE_FIRST; counts->size_bytes >= SIZE_LAST; counts->size_bytes /= 2) {
		code = proc_set_size(counts->fd, counts->size_bytes);
		if (code == 0)
			break;
	}
	return code;
}

int counts_make(struct counts *counts, struct err *err)
{
	*counts = (struct counts){ .fd = memfd_create("heddle-counts", MFD_CLOEXEC | MFD_ALLOW_SEALING) };
	int code = counts->fd < 0 ? -errno : make_room(counts);
	if (code < 0) {
		err_hint(err, "limits on memory or on the size of files (ulimit -f) may be too low");
		return err_set(err, -code, "cannot create the counter file: %s", strerror(-code));
	}
	/* The program cannot truncate the file while others have it mapped. */
	fcntl(counts->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	counts->path = mem_format("/proc/%d/fd/%d", (int)getpid(), counts->fd);
	struct heddle_counts *header = mem_alloc(offsetof(struct heddle_counts, objects));
	memcpy(header->magic, HEDDLE_COUNTS_MAGIC, sizeof header->magic);
	header->version = HEDDLE_ABI_VERSION;
	header->used_bytes = (sizeof *header + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	header->size_bytes = counts->size_bytes;
	ssize_t put = pwrite(counts->fd, header, offsetof(struct heddle_counts, objects), 0);
	free(header);
	if (put != (ssize_t)offsetof(struct heddle_counts, objects))
		return err_set(err, errno, "cannot write the counter file: %s", strerror(errno));
	return 0;
}

/* The object with the same path and build, or a new one. Two processes that start at the same moment may both have
 * made an entry. */
static struct counts_object *find_object(struct counts *counts, const struct heddle_count_object *entry)
{
	for (size_t i = 0; i < counts->object_count; i++) {
		struct counts_object *object = &counts->objects[i];
		if (object->site_count == entry->site_count && strcmp(object->path, entry->path) == 0 &&
		    memcmp(object->build, entry->build, sizeof entry->build) == 0)
			return object;
	}
	counts->objects = mem_resize(counts->objects, (counts->object_count + 1) * sizeof *counts->objects);
	struct counts_object *object = &counts->objects[counts->object_count++];
	*object = (struct counts_object){ .path = mem_copy_string(entry->path), .site_count = entry->site_count };
	memcpy(object->build, entry->build, sizeof object->build);
	return object;
}

static int add_counts(struct counts *counts, struct counts_object *object, uint64_t offset, struct err *err)
{
	size_t row_bytes = (size_t)object->site_count * sizeof(uint64_t);
	uint64_t *row = mem_alloc(row_bytes);
	int code = 0;
	if (!object->totals)
		object->totals = mem_alloc(row_bytes);
	for (unsigned shard = 0; shard < HEDDLE_COUNT_SHARDS && code == 0; shard++) {
		ssize_t got = pread(counts->fd, row, row_bytes, (off_t)(offset + shard * row_bytes));
		if (got != (ssize_t)row_bytes)
			code = err_set(err, got < 0 ? errno : EIO, "cannot read the counters");
		for (uint32_t i = 0; i < object->site_count && code == 0; i++)
			object->totals[i] += row[i];
	}
	free(row);
	return code;
}

int counts_read(struct counts *counts, struct err *err)
{
	void *mapped = mmap(NULL, sizeof(struct heddle_counts), PROT_READ, MAP_SHARED, counts->fd, 0);
	if (mapped == MAP_FAILED)
		return err_set(err, errno, "cannot read the counters: %s", strerror(errno));
	const struct heddle_counts *header = mapped;
	uint32_t count = header->object_count;
	int code = 0;
	counts->process_count = header->process_count;
	counts->switched_count = header->switched_count;
	counts->lost_objects = header->lost_objects;
	for (uint32_t i = 0; i < count && i < HEDDLE_COUNT_OBJECTS && code == 0; i++) {
		struct heddle_count_object entry;
		/* Acquire: partner of the runtime's release, when the entry is complete. */
		if (!__atomic_load_n(&header->objects[i].is_ready, __ATOMIC_ACQUIRE))
			continue;
		entry = header->objects[i];
		entry.path[sizeof entry.path - 1] = '\0';
		uint64_t size = (uint64_t)entry.site_count * sizeof(uint64_t) * HEDDLE_COUNT_SHARDS;
		if (entry.counts > counts->size_bytes || counts->size_bytes - entry.counts < size)
			continue;
		struct counts_object *object = find_object(counts, &entry);
		if (entry.counts)
			code = add_counts(counts, object, entry.counts, err);
	}
	munmap(mapped, sizeof(struct heddle_counts));
	return code;
}

void counts_release(struct counts *counts)
{
	for (size_t i = 0; i < counts->object_count; i++) {
		free(counts->objects[i].path);
		free(counts->objects[i].totals);
	}
	free(counts->objects);
	free(counts->path);
	if (counts->fd >= 0)
		close(counts->fd);
	*counts = (struct counts){ .fd = -1 };
}
