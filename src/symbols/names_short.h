/*
 * names_short.h: C++ names as people write them. The readable form of a linkage name spells out what the source does
 * not: versions of namespaces, default arguments of templates, types of results. What is not understood stays as it is.
 */
#ifndef SYMBOLS_NAMES_SHORT_H
#define SYMBOLS_NAMES_SHORT_H

#include <stdbool.h>

#include "base/mem.h"

/* The short form of a readable name: "std::vector<std::string>::push_back(std::string const&)". Caller frees. */
char *names_short(const char *readable);

/* Appends the short form, escaped for a terminal. */
void names_add_short(struct buf *out, const char *readable);

/* The same without parameters, and of an object that is called without its operator: "main::{lambda()#1}". Caller frees. */
char *names_bare(const char *readable);

/* Whether the function is one of the C++ library: it is inside namespace std or one of the library's own. */
bool names_is_library(const char *readable);

/* The task of a thread of the C++ library, from the name of the library's function that runs it: a lambda or a class,
 * "main::{lambda()#1}". Null if the name does not contain it: for a function it has only the type. Caller frees. */
char *names_of_task(const char *readable);

/* The kind of the task: a callable object, a pointer to a function or to a member function, or unknown. */
enum names_task { NAMES_TASK_OTHER, NAMES_TASK_OBJECT, NAMES_TASK_FUNCTION, NAMES_TASK_MEMBER };

enum names_task names_task_kind(const char *readable);

#endif
