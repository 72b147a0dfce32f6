/* identity.c: see identity.h. */
#include "symbols/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf_file.h"
#include "base/hash.h"
#include "base/proc.h"
#include "base/text.h"
#include "trace/report.h"

static void identify_elf(struct trace_build *build, const struct elf_file *elf)
{
	size_t size;
	const unsigned char *id = elf_file_build_id(elf, &size);
	if (id && size <= sizeof build->id) {
		memcpy(build->id, id, size);
		build->id_size = (uint32_t)size;
		build->identity = TRACE_BUILD_ID;
	}
}

static int cannot_open(const char *path, int code, const char *why, struct err *err)
{
	char *shown = text_terminal_copy(path);
	err_set(err, code, "cannot open \"%s\": %s", shown, why);
	free(shown);
	return -code;
}

/* Returns 0, or a negative errno with err set. */
static int identify(struct trace_build *build, struct err *err)
{
	struct elf_file elf;
	struct err ignored = ERR_INIT;
	struct stat status;
	if (stat(build->path, &status) < 0)
		return cannot_open(build->path, errno, strerror(errno), err);
	if (!S_ISREG(status.st_mode))
		return cannot_open(build->path, EINVAL, "it is not a file", err);
	build->size_bytes = (uint64_t)status.st_size;
	build->identity = 0;
	if (elf_file_read(&elf, build->path, &ignored) == 0)
		identify_elf(build, &elf);
	elf_file_release(&elf);
	if (build->identity)
		return 0;
	struct buf bytes = { 0 };
	int code = proc_read_file(build->path, &bytes, err);
	if (code == 0) {
		struct hash hash;
		uint8_t id[16];
		hash_init(&hash);
		hash_add(&hash, bytes.data ? bytes.data : "", bytes.size);
		hash_end(&hash, id);
		memcpy(build->id, id, sizeof id);
		build->id_size = sizeof id;
		build->identity = TRACE_CONTENT;
	}
	buf_release(&bytes);
	return code;
}

void identity_add(struct trace *trace, const char *path)
{
	struct err ignored = ERR_INIT;
	for (size_t i = 0; i < trace->build_count; i++)
		if (strcmp(trace->builds[i].path, path) == 0)
			return;
	struct trace_build *build = trace_add_build(trace, path);
	if (identify(build, &ignored) < 0) {
		free(build->path);
		trace->build_count--;
	}
}

static void add_loader(struct trace *trace, const char *path)
{
	struct elf_file elf;
	struct err ignored = ERR_INIT;
	const char *loader = elf_file_read(&elf, path, &ignored) == 0 ? elf_file_loader(&elf) : NULL;
	char *real = loader ? realpath(loader, NULL) : NULL;
	if (real)
		identity_add(trace, real);
	free(real);
	elf_file_release(&elf);
}

#define RUNTIME_NAME "libheddle.so"

static int identify_runtime(struct trace_build *build)
{
	struct err ignored = ERR_INIT;
	char *own = proc_own_file(RUNTIME_NAME), *path = build->path;
	build->path = own;
	int code = identify(build, &ignored);
	build->path = path;
	free(own);
	return code;
}

void identity_add_program(struct trace *trace)
{
	char *real = realpath(trace->program, NULL);
	if (real) {
		identity_add(trace, real);
		add_loader(trace, real);
	}
	free(real);
}

void identity_add_modules(struct trace *trace)
{
	struct report report;
	char *own = proc_own_file("libheddle.so"), *runtime = realpath(own, NULL);
	report_parse(&report, trace->report.data, trace->report.size);
	for (size_t i = 0; i < report.module_count; i++) {
		const char *path = report.modules[i].path;
		if (path[0] == '/' && strncmp(path, "/memfd:", 7) != 0 && strncmp(path, "/dev/", 5) != 0 &&
		    !(runtime && strcmp(path, runtime) == 0))
			identity_add(trace, path);
	}
	if (identify_runtime(trace_add_build(trace, RUNTIME_NAME)) < 0)
		free(trace->builds[--trace->build_count].path);
	report_release(&report);
	free(own);
	free(runtime);
}

static bool is_same(const struct trace_build *a, const struct trace_build *b)
{
	return a->identity == b->identity && a->id_size == b->id_size && memcmp(a->id, b->id, a->id_size) == 0;
}

bool identity_runtime_differs(const struct trace *trace)
{
	struct trace_build now = { 0 };
	for (size_t i = 0; i < trace->build_count; i++)
		if (strcmp(trace->builds[i].path, RUNTIME_NAME) == 0)
			return identify_runtime(&now) == 0 && !is_same(&now, &trace->builds[i]);
	return false;
}

static void describe(struct buf *out, const struct trace_build *build)
{
	buf_add_string(out, build->identity == TRACE_BUILD_ID ? "build id " : "contents ");
	for (uint32_t i = 0; i < build->id_size && i < sizeof build->id; i++)
		buf_format(out, "%02x", build->id[i]);
}

static int differs(const struct trace_build *then, const struct trace_build *now, struct err *err)
{
	struct buf was = { 0 }, is = { 0 };
	char *shown = text_terminal_copy(then->path);
	describe(&was, then);
	describe(&is, now);
	err_hint(err, "replay with the build that was recorded; heddle test -- PROG finds it again in the new "
		      "build, if it still occurs (to record your own run again, use heddle run --trace FILE -- "
		      "PROG)");
	err_set(err, ESTALE, "\"%s\" is not the build that was recorded: it has %s, not %s", shown, is.data, was.data);
	free(shown);
	buf_release(&was);
	buf_release(&is);
	return -ESTALE;
}

void identity_digest(const struct trace *trace, char digits[IDENTITY_ROOM])
{
	struct hash hash;
	uint8_t id[16];
	hash_init(&hash);
	for (size_t i = 0; i < trace->build_count; i++) {
		const struct trace_build *build = &trace->builds[i];
		if (strcmp(build->path, RUNTIME_NAME) == 0)
			continue;
		hash_add(&hash, build->path, strlen(build->path) + 1);
		hash_add(&hash, build->id, build->id_size);
	}
	hash_end(&hash, id);
	for (size_t i = 0; i < sizeof id; i++)
		snprintf(digits + 2 * i, 3, "%02x", id[i]);
}

int identity_check(const struct trace *trace, struct err *err)
{
	/* What runs must be what was recorded, so the trace has to say what that was. */
	if (trace->build_count == 0 || strcmp(trace->builds[0].path, trace->program) != 0) {
		char *shown = text_terminal_copy(trace->program);
		err_set(err, EBADMSG, "the trace does not name its build of \"%s\"", shown);
		free(shown);
		return -EBADMSG;
	}
	for (size_t i = 0; i < trace->build_count; i++) {
		const struct trace_build *then = &trace->builds[i];
		struct trace_build now = { .path = then->path };
		if (strcmp(then->path, RUNTIME_NAME) == 0)
			continue;
		int code = identify(&now, err);
		if (code < 0) {
			err_hint(err, "a replay needs the program and its libraries at the same paths as when it "
				      "was recorded");
			return code;
		}
		if (!is_same(&now, then))
			return differs(then, &now, err);
	}
	return 0;
}
