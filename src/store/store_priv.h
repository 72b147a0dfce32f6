/* store_priv.h: what the parts of the store share. */
#ifndef STORE_STORE_PRIV_H
#define STORE_STORE_PRIV_H

#include <sys/types.h>

#include "store/sql.h"
#include "store/store.h"

struct store {
	struct sql sql; /* its path is ours */
	char *path;
	enum store_use use;
	dev_t device; /* which file was opened */
	ino_t inode;
};

/* A transaction, as sql_begin and sql_end have it. When the file is not there any more, because it was kept aside or removed, one
 * that is there is used from now on, and ids of before mean nothing: returns -ESTALE then, with nothing begun and err not set. */
int store_begin(struct store *store, struct err *err);

#endif
