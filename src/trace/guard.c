/* guard.c: see guard.h. */
#include "trace/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"

void guard_defaults(struct heddle_guard *settings)
{
	settings->cell_bits = 20;
	settings->step_us = 1000;
	settings->max_stall_us = 10000;
	settings->free_stall_us = 50000;
	settings->share_percent = 1;
	settings->unresolved_limit = 3;
}

/* The offset of what is appended. */
static uint32_t append(struct buf *file, const void *data, size_t size_bytes)
{
	static const char zeros[8];
	size_t offset = file->size;
	if (size_bytes)
		buf_add(file, data, size_bytes);
	buf_add(file, zeros, (8 - file->size % 8) % 8);
	return (uint32_t)offset;
}

static int build(struct buf *file, const struct guard_content *content)
{
	struct heddle_guard header = content->settings;
	memcpy(header.magic, HEDDLE_GUARD_MAGIC, sizeof header.magic);
	header.version = HEDDLE_ABI_VERSION;
	header.object_count = content->object_count;
	header.site_count = content->site_count;
	header.row_words = (header.place_count + 1 + 63) / 64;
	append(file, &header, sizeof header);
	header.objects = append(file, content->objects, content->object_count * sizeof *content->objects);
	header.sites = append(file, content->sites, content->site_count * sizeof *content->sites);
	header.sets =
		append(file, content->sets, (size_t)header.place_count * header.row_words * sizeof *content->sets);
	if (header.place_count > HEDDLE_GUARD_PLACES || file->size > UINT32_MAX)
		return -E2BIG;
	header.size_bytes = (uint32_t)file->size;
	memcpy(file->data, &header, sizeof header);
	return 0;
}

int guard_content_file(struct buf *file, const struct guard_content *content, struct err *err)
{
	int code = build(file, content);
	return code < 0 ? err_set(err, -code, "there is too much to guard") : 0;
}

static int seal(int fd, int seals)
{
	return fcntl(fd, F_ADD_SEALS, seals | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0 ? -errno : 0;
}

static int make_content(struct guard_files *self, const struct guard_content *content)
{
	struct buf file = { 0 };
	int code = build(&file, content);
	self->fd = code == 0 ? memfd_create("heddle-guard", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
	if (code == 0 && self->fd < 0)
		code = -errno;
	if (code == 0)
		code = proc_write_all(self->fd, file.data, file.size);
	if (code == 0)
		code = seal(self->fd, F_SEAL_WRITE);
	buf_release(&file);
	return code;
}

static int make_log(struct guard_files *self)
{
	size_t size = offsetof(struct heddle_guard_log, pairs);
	struct heddle_guard_log *header = mem_alloc(size);
	memcpy(header->magic, HEDDLE_GUARD_LOG_MAGIC, sizeof header->magic);
	header->version = HEDDLE_ABI_VERSION;
	self->log_fd = memfd_create("heddle-guard-log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int code = self->log_fd < 0 ? -errno : proc_set_size(self->log_fd, sizeof(struct heddle_guard_log));
	if (code == 0)
		code = proc_write_all(self->log_fd, header, size);
	if (code == 0)
		code = seal(self->log_fd, 0);
	free(header);
	return code;
}

int guard_make(struct guard_files *self, const struct guard_content *content, struct err *err)
{
	*self = (struct guard_files){ .fd = -1, .log_fd = -1 };
	int code = make_content(self, content);
	if (code == 0)
		code = make_log(self);
	if (code < 0) {
		err_hint(err, "limits on memory or on the size of files (ulimit -f) may be too low");
		return err_set(err, -code, "cannot create the files of the guard: %s", strerror(-code));
	}
	self->path = mem_format("/proc/%d/fd/%d", (int)getpid(), self->fd);
	self->log_path = mem_format("/proc/%d/fd/%d", (int)getpid(), self->log_fd);
	return 0;
}

void guard_files_release(struct guard_files *self)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->log_fd >= 0)
		close(self->log_fd);
	free(self->path);
	free(self->log_path);
	*self = (struct guard_files){ .fd = -1, .log_fd = -1 };
}

static bool is_place(const struct guard_content *content, uint32_t place)
{
	return place >= 1 && place <= content->settings.place_count;
}

static void take_pairs(struct guard_log *log, const struct guard_content *content, const struct heddle_guard_log *file)
{
	log->pairs = mem_alloc(sizeof file->pairs);
	for (uint32_t i = 0; i < HEDDLE_GUARD_PAIRS; i++) {
		const struct heddle_guard_pair *pair = &file->pairs[i];
		uint32_t previous = pair->key & 0xffff;
		if (!pair->key)
			continue;
		if (!is_place(content, pair->key >> 16) ||
		    (previous != HEDDLE_GUARD_NIL && !is_place(content, previous)))
			log->damaged_count++;
		else if (pair->seen) /* it is claimed before it is counted */
			log->pairs[log->pair_count++] = *pair;
	}
}

static bool is_violation(const struct guard_content *content, const struct heddle_violation *violation)
{
	if (!is_place(content, violation->place) || violation->end < HEDDLE_VIOLATION_RESOLVED ||
	    violation->end >= HEDDLE_VIOLATION_ENDS || violation->stack_bytes > HEDDLE_VIOLATION_STACK)
		return false;
	return violation->previous == HEDDLE_GUARD_NIL || is_place(content, violation->previous);
}

static void take_violations(struct guard_log *log, const struct guard_content *content,
			    const struct heddle_guard_log *file)
{
	uint32_t count = file->violation_count;
	if (count > HEDDLE_VIOLATIONS) {
		log->lost_violations = count - HEDDLE_VIOLATIONS;
		count = HEDDLE_VIOLATIONS;
	}
	log->violations = mem_alloc(count * sizeof *log->violations);
	for (uint32_t i = 0; i < count; i++) {
		if (!file->violations[i].is_ready)
			continue;
		if (is_violation(content, &file->violations[i]))
			log->violations[log->violation_count++] = file->violations[i];
		else
			log->damaged_count++;
	}
}

static void take_modules(struct guard_log *log, const struct heddle_guard_log *file)
{
	uint32_t count = file->module_count;
	if (count > HEDDLE_GUARD_MODULES)
		count = HEDDLE_GUARD_MODULES;
	log->modules = mem_alloc(count * sizeof *log->modules + 1);
	for (uint32_t i = 0; i < count; i++) {
		struct heddle_guard_module *to = &log->modules[log->module_count];
		*to = file->modules[i];
		to->path[sizeof to->path - 1] = '\0';
		log->module_count += to->is_ready && to->start < to->end;
	}
}

int guard_log_read(const struct guard_files *self, const struct guard_content *content, struct guard_log *log,
		   struct err *err)
{
	*log = (struct guard_log){ 0 };
	struct heddle_guard_log *file = mem_alloc(sizeof *file);
	ssize_t got = pread(self->log_fd, file, sizeof *file, 0);
	int code = 0;
	if (got != (ssize_t)sizeof *file)
		code = err_set(err, got < 0 ? errno : EIO, "cannot read the log of the guard");
	else if (memcmp(file->magic, HEDDLE_GUARD_LOG_MAGIC, sizeof file->magic) != 0 ||
		 file->version != HEDDLE_ABI_VERSION)
		code = err_set(err, EPROTO, "the program has overwritten the log of the guard");
	if (code == 0) {
		log->process_count = file->process_count;
		log->attached_count = file->attached_count;
		log->switched_count = file->switched_count;
		log->guarded_count = file->guarded_count;
		log->lost_pairs = file->lost_pairs;
		log->stalled_us = file->stalled_us;
		take_pairs(log, content, file);
		take_violations(log, content, file);
		take_modules(log, file);
	}
	free(file);
	return code;
}

void guard_log_release(struct guard_log *log)
{
	free(log->pairs);
	free(log->violations);
	free(log->modules);
	*log = (struct guard_log){ 0 };
}
