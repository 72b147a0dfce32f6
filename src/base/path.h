/* path.h: file names as text: joined, simplified, and shown relative to the user's working directory. Nothing is
 * opened. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/* Takes ".", empty names and "name/.." out of a path, in place. Compilers write such paths without regard to symbolic
 * links, so this does not look at the file system. */
void path_tidy(char *path);

/* The name in the folder, tidied. An absolute name is kept, as is any name if the folder is empty or null. */
char *path_join(const char *folder, const char *name);

/* Whether both names lead to one file that exists. */
bool path_is_same_file(const char *one, const char *other);

/* The user's working directory. */
struct path_view {
	char *folder; /* without links; null: not known */
	char *named;  /* its name in the shell ($PWD), if that differs; else null */
};

void path_view_init(struct path_view *self);
void path_view_release(struct path_view *self);

/* The path as displayed: relative to the folder if it is below it, or if that is shorter ("../src/a.c"); else
 * unchanged. Caller frees. */
char *path_view_display(const struct path_view *self, const char *path);

#endif
