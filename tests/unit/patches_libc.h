/* patches_libc.h: a tour of libc that says the same every time, for tests/unit/patches.c. */
#ifndef PATCHES_LIBC_H
#define PATCHES_LIBC_H

/* Prints on standard output what came of everything it did. */
void use_libc(void);

#endif
