/*
 * types.h: what the types of the language say of two accesses: whether they can be to one object, by the rules for
 * effective types (C11 6.5, paragraph 7; [basic.lval] in C++) as LLVM's struct-path TBAA puts them. Compilers count on those
 * rules, but programs break them, and memory is used again with another type, so that what they rule out is only unlikely:
 * a doubt (races.h).
 *
 * Whatever is not known may be anything: an access without a tag, types of different languages, a name that stands for several
 * structures, two different structures without a name.
 */
#ifndef ANALYSIS_PROGRAM_TYPES_H
#define ANALYSIS_PROGRAM_TYPES_H

#include "analysis/program/whole.h"

/* a, b: tags, or WHOLE_NONE. The order does not matter. */
bool types_may_alias(const struct whole *whole, uint32_t a, uint32_t b);

/* Whether an access with this tag, or none, may be to any type: bytes, members of unions, copies, bit-fields. */
bool types_is_any(const struct whole *whole, uint32_t tag);

#endif
