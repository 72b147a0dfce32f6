/* bake.c: see bake.h. */
#include "launch/bake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf_extend.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/text.h"
#include "trace/place.h"

/* The path of this Heddle's own; caller frees. Null with err set. */
static char *find_runtime(struct err *err)
{
	char *own = proc_own_file("libheddle.so"), *path = realpath(own, NULL);
	if (!path)
		err_set(err, errno, "cannot open the runtime \"%s\": %s", own, strerror(errno));
	else if (strchr(path, '$')) {
		err_hint(err, "name a copy of it with --runtime PATH");
		err_set(err, EINVAL, "the path of the runtime has a $, which the loader would replace: \"%s\"", path);
		free(path);
		path = NULL;
	}
	free(own);
	return path;
}

static int make_note(struct buf *note, const struct baking *self, struct err *err)
{
	struct buf file = { 0 };
	struct heddle_baked head = { .version = HEDDLE_ABI_VERSION };
	int code = guard_content_file(&file, self->content, err);
	if (code == 0) {
		head.size_bytes = (uint32_t)file.size;
		head.check = heddle_check(0, file.data, file.size);
		if (self->build)
			memcpy(head.build, self->build, sizeof head.build);
		buf_add(note, &head, sizeof head);
		buf_add(note, file.data, file.size);
	}
	buf_release(&file);
	return code;
}

static int write_copy(const struct baking *self, const struct buf *image, struct err *err)
{
	struct place place;
	struct stat status;
	int code = place_open(&place, self->out, err);
	if (code < 0)
		return code;
	code = proc_write_all(place.fd, image->data, image->size);
	if (code == 0 && (stat(self->program, &status) < 0 || fchmod(place.fd, status.st_mode & 0777) < 0))
		code = -errno;
	if (code == 0)
		return place_keep(&place, err);
	place_drop(&place);
	char *shown = text_terminal_copy(self->out);
	err_set(err, -code, "cannot write \"%s\": %s", shown, strerror(-code));
	free(shown);
	return code;
}

static int check_target(const struct baking *self, struct err *err)
{
	if (!path_is_same_file(self->program, self->out))
		return 0;
	char *shown = text_terminal_copy(self->out);
	err_hint(err, "name another file with -o");
	err_set(err, EINVAL, "\"%s\" is the program itself", shown);
	free(shown);
	return -EINVAL;
}

int bake(const struct baking *self, struct err *err)
{
	struct elf_file program = { .path = NULL };
	struct elf_extension extension = { .owner = HEDDLE_NOTE_NAME, .type = HEDDLE_NOTE_BAKED };
	struct buf image = { 0 };
	char *runtime = self->runtime ? mem_copy_string(self->runtime) : find_runtime(err);
	extension.library = runtime;
	int code = runtime ? check_target(self, err) : -ENOENT;
	if (code == 0)
		code = elf_file_read(&program, self->program, err);
	if (code == 0)
		code = make_note(&extension.descriptor, self, err);
	if (code == 0)
		code = elf_extend(&image, &program, &extension, err);
	if (code == 0)
		code = write_copy(self, &image, err);
	elf_file_release(&program);
	buf_release(&extension.descriptor);
	buf_release(&image);
	free(runtime);
	return code;
}
