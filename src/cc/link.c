/*
 * link.c: one link job as two links.
 *  1. The link as the user asked for it, into a temporary file. The linker resolves archives, weak symbols, COMDAT
 *     groups and garbage collection by its own rules; its output holds the units (ir/unit.h) of exactly the objects it
 *     kept and, in the symbol table, exactly the functions it kept.
 *  2. heddle-weave weave: clones and tables for those, as objects.
 *  3. The link again, with these objects added.
 * Any linker will do, since nothing but an ordinary link is asked of it. What cannot be woven is linked plainly: a
 * relocatable link keeps its units for the final one; a static program cannot load the runtime.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "cc/driver.h"
#include "ir/unit.h"

static bool has_any(const struct job *job, const char *const names[])
{
	for (size_t i = 0; names[i]; i++)
		if (strings_has(&job->argv, names[i]))
			return true;
	return false;
}

bool link_is(const struct job *job)
{
	const char *emulation = job_value(job, "-m", NULL);
	return emulation && strcmp(emulation, "elf_x86_64") == 0 && job_value(job, "-o", NULL);
}

static bool is_relocatable(const struct job *job)
{
	static const char *const names[] = { "-r", "--relocatable", "-Ur", "-i", NULL };
	return has_any(job, names);
}

static bool is_static(const struct job *job)
{
	static const char *const shared[] = { "-shared", "--shared", "-Bshareable", NULL };
	static const char *const none[] = { "--no-dynamic-linker", "-no-dynamic-linker", NULL };
	return !has_any(job, shared) && (!job_value(job, "-dynamic-linker", NULL) || has_any(job, none));
}

/* Options that take away what the weave reads. They hold for the second link only. */
static bool is_strip_option(const char *arg)
{
	static const char *const names[] = { "-s", "--strip-all", "-S", "--strip-debug", "-x", "--discard-all",
					     "-X", "--discard-locals" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(arg, names[i]) == 0)
			return true;
	return false;
}

/* Whether the linked file has units. 1, 0, or -errno with err set. */
static int has_units(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot open \"%s\": %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t names;
	int found = 0;
	if (elf && elf_getshdrstrndx(elf, &names) == 0) {
		Elf_Scn *section = NULL;
		while (!found && (section = elf_nextscn(elf, section))) {
			GElf_Shdr header;
			const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
			found = name && strcmp(name, UNIT_SECTION) == 0;
		}
	}
	elf_end(elf);
	close(fd);
	return found;
}

/* In the words of clang's driver, which build tools look for. */
static void say_failure(const struct driver *driver, int status)
{
	const char *name = strrchr(driver->clang, '/');
	if (status > 0 && status < 128)
		fprintf(stderr, "%s: error: linker command failed with exit code %d (use -v to see invocation)\n",
			name ? name + 1 : driver->clang, status);
}

/* A link that is not woven. */
static int link_plain(struct driver *driver, const struct job *job, struct err *err)
{
	int status = driver_run(driver, &job->argv, RUN_SHOW, NULL, err);
	say_failure(driver, status);
	return status;
}

static int link_first(struct driver *driver, const struct job *job, const char *output, struct err *err)
{
	struct strings argv = { 0 };
	strings_copy(&argv, &job->argv);
	size_t at;
	job_value(job, "-o", &at);
	strings_set(&argv, at, output);
	for (size_t i = 1; i < argv.count; i++)
		while (i < argv.count && i != at && is_strip_option(argv.items[i])) {
			strings_remove(&argv, i, 1);
			at -= i < at;
		}
	struct buf said = { 0 };
	int status = driver_run(driver, &argv, RUN_SILENT, &said, err);
	/* On success the second link says the same again. */
	if (status > 0 && said.size)
		fwrite(said.data, 1, said.size, stderr);
	say_failure(driver, status);
	buf_release(&said);
	strings_release(&argv);
	return status;
}

/* Runs the weave on the first link's output; adds the paths of the objects it made. */
static int weave(struct driver *driver, const struct job *job, const char *linked, struct strings *objects, struct err *err)
{
	static const char *const shared[] = { "-shared", "--shared", "-Bshareable", NULL };
	char *program = proc_own_file("heddle-weave");
	char *list = driver_file(driver, ".list", err);
	struct strings argv = { 0 };
	struct buf said = { 0 };
	if (!list) {
		free(program);
		return -EIO;
	}
	char *jobs = mem_format("%u", driver->weave_jobs);
	strings_add(&argv, program);
	strings_add(&argv, "weave");
	strings_add(&argv, has_any(job, shared) ? "library" : "program");
	strings_add(&argv, jobs);
	strings_add(&argv, linked);
	strings_add(&argv, driver->folder);
	strings_add(&argv, list);
	int status = driver_run(driver, &argv, RUN_CAPTURE, &said, err);
	if (status == 0) {
		struct buf names = { 0 };
		status = proc_read_file(list, &names, err);
		char *rest = names.data, *name;
		while (!status && rest && (name = strsep(&rest, "\n")))
			if (*name)
				strings_add(objects, name);
		buf_release(&names);
	} else if (status > 0) {
		/* The weave's own error is worded for the user. */
		if (said.size)
			fwrite(said.data, 1, said.size, stderr);
		err_set(err, EPROTO, status > 128 ? "cannot weave \"%s\": the weave was ended by signal %d" : "cannot weave \"%s\"",
			job_value(job, "-o", NULL), status - 128);
		status = -EPROTO;
		err_hint(err, "--heddle-off links it as plain clang would");
	}
	if (status == -ENOENT)
		err_hint(err, "Heddle is not installed completely: install it again");
	buf_release(&said);
	strings_release(&argv);
	free(jobs);
	free(list);
	free(program);
	return status;
}

static bool is_default_library(const char *arg)
{
	static const char *const names[] = { "-lgcc", "-lgcc_s", "-lgcc_eh", "-lc", "-lm", "-lstdc++", "-lpthread", "-lc++",
					     "--as-needed", "--no-as-needed", "--start-group", "--end-group", "-lunwind",
					     "--push-state", "--pop-state" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(arg, names[i]) == 0)
			return true;
	return false;
}

/* Behind the user's own inputs, in front of the libraries that clang adds at the end. */
static size_t place_of_objects(const struct strings *argv)
{
	size_t at = argv->count;
	for (size_t i = argv->count; i > 1; i--) {
		const char *base = strrchr(argv->items[i - 1], '/');
		base = base ? base + 1 : argv->items[i - 1];
		if (strncmp(base, "crtend", 6) != 0 && strcmp(base, "crtn.o") != 0 && !is_default_library(argv->items[i - 1]))
			break;
		at = i - 1;
	}
	return at;
}

static int link_second(struct driver *driver, const struct job *job, const struct strings *objects, struct err *err)
{
	struct strings argv = { 0 };
	strings_copy(&argv, &job->argv);
	size_t at = place_of_objects(&argv);
	char *entry = proc_own_file("woven.o");
	strings_insert(&argv, at++, entry);
	for (size_t i = 0; i < objects->count; i++)
		strings_insert(&argv, at++, objects->items[i]);
	int status = driver_run(driver, &argv, RUN_SHOW, NULL, err);
	if (status > 0) {
		err_set(err, EPROTO, "\"%s\" links as it is, but not with its clones", job_value(job, "-o", NULL));
		err_hint(err, "the messages above say why; --heddle-off links it as plain clang would");
		status = -EPROTO;
	}
	free(entry);
	strings_release(&argv);
	return status;
}

static int link_woven(struct driver *driver, const struct job *job, const char *linked, struct err *err)
{
	struct strings objects = { 0 };
	int status = weave(driver, job, linked, &objects, err);
	for (size_t i = 0; i < objects.count; i++)
		driver->output_bytes += driver_size(objects.items[i]);
	if (status == 0)
		status = link_second(driver, job, &objects, err);
	if (status == 0)
		status = finish_linked(job_value(job, "-o", NULL), err);
	for (size_t i = 0; i < objects.count; i++)
		unlink(objects.items[i]);
	strings_release(&objects);
	return status;
}

int link_run(struct driver *driver, const struct job *job, struct err *err)
{
	const char *output = job_value(job, "-o", NULL);
	struct stat found;
	bool is_special = stat(output, &found) == 0 && !S_ISREG(found.st_mode);
	if (is_relocatable(job) || is_special)
		return link_plain(driver, job, err);
	if (is_static(job)) {
		int status = link_plain(driver, job, err);
		struct err ignored = ERR_INIT;
		if (status == 0 && has_units(output, &ignored) == 1)
			fprintf(stderr, "%s: warning: \"%s\" is static and was not woven: the runtime cannot be loaded into a "
				"static program; link it dynamically to use it with heddle\n", driver->program, output);
		return status;
	}
	char *linked = driver_file(driver, ".first", err);
	if (!linked)
		return -EIO;
	int status = link_first(driver, job, linked, err);
	int units = status == 0 ? has_units(linked, err) : 0;
	driver->output_bytes = driver_size(linked);
	if (units < 0)
		status = units;
	if (status == 0)
		status = units ? link_woven(driver, job, linked, err)
			       : link_plain(driver, job, err);
	unlink(linked);
	free(linked);
	return status;
}
