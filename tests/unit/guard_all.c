/*
 * guard_all.c: runs a woven program with each of its sites guarded. guard_all SET PROGRAM [ARGUMENT...]: SET is "all", where no access is a
 * violation, or "none", where each is: then a pair stalls for 50 us at most, once. Replaces itself by the program; what is reported goes
 * to nobody. HEDDLE_GUARD_DAMAGE=FILE:N: the file of sites is FILE, a copy with another byte at N, or one that ends there if N is negative.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "symbols/woven.h"
#include "trace/guard.h"

static void die(const char *text)
{
	fprintf(stderr, "guard_all: %s\n", text);
	exit(125);
}

static void fill(struct guard_content *content, const struct woven *woven, bool is_all)
{
	uint32_t count = woven_site_count(woven);
	guard_defaults(&content->settings);
	content->settings.step_us = 50;
	content->settings.max_stall_us = 50;
	content->settings.unresolved_limit = 1;
	content->objects = mem_alloc(sizeof *content->objects);
	content->sites = mem_alloc((count + 1) * sizeof *content->sites);
	content->object_count = 1;
	memcpy(content->objects->build, woven_build(woven)->id, sizeof content->objects->build);
	for (uint32_t i = 0; i < count && content->site_count < HEDDLE_GUARD_PLACES; i++) {
		struct woven_site site;
		if (!woven_site(woven, i, &site))
			continue;
		uint16_t place = (uint16_t)(content->site_count + 1);
		content->sites[content->site_count++] =
			(struct heddle_guard_site){ i, place, HEDDLE_GUARD_CHECK | HEDDLE_GUARD_UPDATE };
	}
	content->objects->count = content->site_count;
	content->settings.place_count = content->site_count;
	size_t bytes = (size_t)content->site_count * ((content->site_count + 1 + 63) / 64) * sizeof(uint64_t);
	content->sets = mem_alloc(bytes + 1);
	memset(content->sets, is_all ? 0xff : 0, bytes);
}

/* Writes a copy of the file with the damage. Returns its path. */
static const char *write_damaged(const char *path, char *damage)
{
	static char bytes[1 << 24];
	char *colon = strrchr(damage, ':');
	if (!colon)
		die("HEDDLE_GUARD_DAMAGE is FILE:N");
	*colon = '\0';
	long at = strtol(colon + 1, NULL, 10);
	int from = open(path, O_RDONLY), to = open(damage, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t size = from < 0 ? -1 : read(from, bytes, sizeof bytes);
	if (size < 0 || to < 0)
		die("cannot copy the file");
	if (at >= 0 && at < size)
		bytes[at] ^= 0x55;
	size_t kept = at < 0 && -at < size ? (size_t)-at : (size_t)size;
	if (write(to, bytes, kept) != (ssize_t)kept)
		die("cannot copy the file");
	return damage;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct woven *woven = NULL;
	struct guard_content content = { 0 };
	struct guard_files files = { .fd = -1, .log_fd = -1 };
	char *options = NULL, *runtime = getenv("HEDDLE_RUNTIME"), *damage = getenv("HEDDLE_GUARD_DAMAGE");
	if (argc < 3 || !runtime)
		die("usage: HEDDLE_RUNTIME=libheddle.so guard_all all|none PROGRAM [ARGUMENT...]");
	if (woven_open(argv[2], &woven, &err) < 0 || woven_build(woven) == NULL)
		die("the program is not woven");
	fill(&content, woven, strcmp(argv[1], "all") == 0);
	if (guard_make(&files, &content, &err) < 0)
		die("cannot make the files");
	/* They live on in the program, which this process becomes. */
	fcntl(files.fd, F_SETFD, 0);
	fcntl(files.log_fd, F_SETFD, 0);
	const char *path = damage ? write_damaged(files.path, damage) : files.path;
	if (asprintf(&options, "guard=%s:guard-log=%s", path, files.log_path) < 0)
		die("no memory");
	setenv("HEDDLE", "guard", 1);
	setenv("HEDDLE_OPTIONS", options, 1);
	setenv("LD_PRELOAD", runtime, 1);
	unsetenv("HEDDLE_RUNTIME");
	unsetenv("HEDDLE_GUARD_DAMAGE");
	execv(argv[2], argv + 2);
	die("cannot start the program");
}
