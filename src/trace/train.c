/* train.c: see train.h. */
#include "trace/train.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"

#define CHUNK_HISTORIES 4096u

static int write_header(int fd, uint32_t seed)
{
	size_t size = offsetof(struct heddle_train, objects);
	struct heddle_train *header = mem_alloc(size);
	memcpy(header->magic, HEDDLE_TRAIN_MAGIC, sizeof header->magic);
	header->version = HEDDLE_ABI_VERSION;
	header->seed = seed;
	int code = proc_write_all(fd, header, size);
	free(header);
	return code;
}

static int make_file(uint32_t seed)
{
	int fd = memfd_create("heddle-train", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	int code = proc_set_size(fd, sizeof(struct heddle_train));
	if (code == 0)
		code = write_header(fd, seed);
	if (code < 0) {
		close(fd);
		return code;
	}
	/* The program cannot truncate the file while others have it mapped. */
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	return fd;
}

int train_make(struct train_file *self, uint32_t seed, struct err *err)
{
	int fd = make_file(seed);
	if (fd >= 0 && self->fd >= 0) {
		int old = self->fd, code = dup3(fd, old, O_CLOEXEC) < 0 ? -errno : old;
		close(fd);
		fd = code;
	}
	if (fd < 0) {
		err_hint(err, "limits on memory or on the size of files (ulimit -f) may be too low");
		return err_set(err, -fd, "cannot create the file for histories: %s", strerror(-fd));
	}
	if (self->fd < 0) {
		self->fd = fd;
		self->path = mem_format("/proc/%d/fd/%d", (int)getpid(), fd);
	}
	return 0;
}

int train_clear(const struct train_file *self)
{
	const off_t start = offsetof(struct heddle_train, histories),
		    counts = offsetof(struct heddle_train, history_count);
	char zeros[offsetof(struct heddle_train, seed) - offsetof(struct heddle_train, history_count)] = { 0 };
	if (fallocate(self->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start,
		      (off_t)sizeof(struct heddle_train) - start) < 0)
		return -errno;
	ssize_t written = pwrite(self->fd, zeros, sizeof zeros, counts);
	return written == (ssize_t)sizeof zeros ? 0 : written < 0 ? -errno : -EIO;
}

void train_file_release(struct train_file *self)
{
	if (self->fd >= 0)
		close(self->fd);
	free(self->path);
	*self = (struct train_file){ .fd = -1 };
}

static int cannot_read(int code, struct err *err)
{
	return err_set(err, code, "cannot read the histories of the run: %s", strerror(code));
}

static int compare_objects(const void *a, const void *b)
{
	const struct train_object *left = a, *right = b;
	return (left->first > right->first) - (left->first < right->first);
}

/* Complete entries only. Numbers that two objects claim belong to neither. */
static void take_objects(struct train_run *run, const struct heddle_train *header)
{
	size_t kept = 0;
	run->objects = mem_alloc(HEDDLE_GUARD_OBJECTS * sizeof *run->objects);
	for (uint32_t i = 0; i < HEDDLE_GUARD_OBJECTS && i < header->object_count; i++) {
		const struct heddle_train_object *entry = &header->objects[i];
		if (!entry->is_ready || entry->first == 0 || entry->site_count > UINT32_MAX - entry->first)
			continue;
		struct train_object *object = &run->objects[run->object_count++];
		object->path = mem_format("%.*s", (int)sizeof entry->path - 1, (const char *)entry->path);
		memcpy(object->build, entry->build, sizeof object->build);
		object->first = entry->first;
		object->site_count = entry->site_count;
	}
	qsort(run->objects, run->object_count, sizeof *run->objects, compare_objects);
	for (size_t i = 0; i < run->object_count; i++) {
		struct train_object *object = &run->objects[i], *last = kept ? &run->objects[kept - 1] : NULL;
		if (last && object->first - last->first < last->site_count) {
			free(object->path);
			run->lost_objects++;
		} else {
			run->objects[kept++] = *object;
		}
	}
	run->object_count = kept;
	if (header->object_count > HEDDLE_GUARD_OBJECTS)
		run->lost_objects += header->object_count - HEDDLE_GUARD_OBJECTS;
}

const struct train_object *train_site(const struct train_run *run, uint32_t number, uint32_t *index)
{
	for (size_t i = 0; i < run->object_count; i++) {
		const struct train_object *object = &run->objects[i];
		if (number >= object->first && number - object->first < object->site_count) {
			*index = number - object->first;
			return object;
		}
	}
	return NULL;
}

static bool is_valid(const struct train_run *run, const struct heddle_history *history)
{
	uint32_t index;
	if (history->count > HEDDLE_HISTORY_SITES || !train_site(run, history->site, &index))
		return false;
	if (history->end != HEDDLE_HISTORY_NIL && history->end != HEDDLE_HISTORY_UNKNOWN)
		return false;
	for (uint16_t i = 0; i < history->count; i++)
		if (!train_site(run, history->sites[i], &index))
			return false;
	return true;
}

static void take_histories(struct train_run *run, const struct heddle_history *histories, size_t count, size_t *room)
{
	for (size_t i = 0; i < count; i++) {
		if (!histories[i].is_ready)
			continue;
		if (!is_valid(run, &histories[i])) {
			run->damaged_count++;
			continue;
		}
		if (run->history_count == *room) {
			*room = *room ? *room * 2 : 256;
			run->histories = mem_resize(run->histories, *room * sizeof *run->histories);
		}
		run->histories[run->history_count++] = histories[i];
	}
}

/* The table is sparse, and holes need not be read. */
static int read_histories(int fd, struct train_run *run)
{
	const off_t start = offsetof(struct heddle_train, histories);
	struct heddle_history *chunk = mem_alloc(CHUNK_HISTORIES * sizeof *chunk);
	size_t room = 0, at = 0;
	int code = 0;
	while (at < HEDDLE_HISTORIES && code == 0) {
		off_t data = lseek(fd, start + (off_t)(at * sizeof *chunk), SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		if (data > start)
			at = (size_t)(data - start) / sizeof *chunk;
		size_t count = HEDDLE_HISTORIES - at < CHUNK_HISTORIES ? HEDDLE_HISTORIES - at : CHUNK_HISTORIES;
		ssize_t got = pread(fd, chunk, count * sizeof *chunk, start + (off_t)(at * sizeof *chunk));
		if (got != (ssize_t)(count * sizeof *chunk))
			code = got < 0 ? -errno : -EIO;
		else
			take_histories(run, chunk, count, &room);
		at += count;
	}
	free(chunk);
	return code;
}

static int read_sites(int fd, struct train_run *run, uint32_t count)
{
	run->site_count = count < HEDDLE_TRAIN_SITES ? count + 1 : HEDDLE_TRAIN_SITES;
	run->sites = mem_alloc(run->site_count * sizeof *run->sites);
	const size_t size = run->site_count * sizeof *run->sites;
	ssize_t got = pread(fd, run->sites, size, offsetof(struct heddle_train, sites));
	return got == (ssize_t)size ? 0 : got < 0 ? -errno : -EIO;
}

int train_read(const struct train_file *self, struct train_run *run, struct err *err)
{
	size_t size = offsetof(struct heddle_train, histories);
	struct heddle_train *header = mem_alloc(size);
	*run = (struct train_run){ 0 };
	ssize_t got = pread(self->fd, header, size, 0);
	int code = got == (ssize_t)size ? 0 : cannot_read(got < 0 ? errno : EIO, err);
	if (code == 0 && (memcmp(header->magic, HEDDLE_TRAIN_MAGIC, sizeof header->magic) != 0 ||
			  header->version != HEDDLE_ABI_VERSION))
		code = err_set(err, EPROTO, "the program has overwritten the file for histories");
	if (code == 0) {
		take_objects(run, header);
		run->process_count = header->process_count;
		run->switched_count = header->switched_count;
		run->lost_histories = header->lost_histories;
		run->displaced = header->displaced;
		int failure = read_histories(self->fd, run);
		if (failure == 0)
			failure = read_sites(self->fd, run, header->site_count);
		if (failure < 0)
			code = cannot_read(-failure, err);
	}
	free(header);
	return code;
}

void train_run_release(struct train_run *run)
{
	for (size_t i = 0; i < run->object_count; i++)
		free(run->objects[i].path);
	free(run->objects);
	free(run->histories);
	free(run->sites);
	*run = (struct train_run){ 0 };
}
