/*
 * woven.c: the part of Heddle inside every woven executable and shared library; heddle-cc links it in. It holds the
 * hooks that the clones call through, the root of the object's tables, the note by which tools find that root, and
 * the constructor that hands it to the runtime if the runtime is loaded. Without the runtime it does nothing.
 *
 * Invariants:
 *  1. It needs nothing from any library, and no dynamic relocation but its constructor's and __heddle_register's.
 *  2. Everything it defines is hidden: each woven object has its own.
 *
 * The weave generates, for each link, __heddle_build and at least one record in each of the three table sections.
 */
#include "heddle/abi.h"

_Static_assert(sizeof(struct heddle_object) == 48, "the table below has the layout of struct heddle_object");
_Static_assert(sizeof(struct heddle_note) == 8, "the note below has the layout of struct heddle_note");
_Static_assert(HEDDLE_ABI_VERSION == 1 && HEDDLE_NOTE_OBJECT == 1, "the numbers below are those of abi.h");
_Static_assert(sizeof HEDDLE_NOTE_NAME == 7, "the note below is padded for this name");

extern struct heddle_hooks __heddle_hooks __attribute__((visibility("hidden")));
extern const struct heddle_object __heddle_object __attribute__((visibility("hidden")));
struct heddle_hooks __heddle_hooks;

/* A distance between two symbols is no constant expression in C, so the tables are written in assembly. */
__asm__(".pushsection .rodata.heddle, \"a\", @progbits\n"
	".hidden __heddle_build, __heddle_hooks, __heddle_object\n"
	".hidden __start_" HEDDLE_SECTION_FUNCTIONS ", __stop_" HEDDLE_SECTION_FUNCTIONS "\n"
	".hidden __start_" HEDDLE_SECTION_SITES ", __stop_" HEDDLE_SECTION_SITES "\n"
	".hidden __start_" HEDDLE_SECTION_INLINES ", __stop_" HEDDLE_SECTION_INLINES "\n"
	".balign 8\n"
	".globl __heddle_object\n"
	".type __heddle_object, @object\n"
	"__heddle_object:\n"
	".ascii \"" HEDDLE_MAGIC "\"\n"
	".long 1, 48\n"
	".long __heddle_build - .\n"
	".long __start_" HEDDLE_SECTION_FUNCTIONS " - .\n"
	".long __stop_" HEDDLE_SECTION_FUNCTIONS " - .\n"
	".long __start_" HEDDLE_SECTION_SITES " - .\n"
	".long __stop_" HEDDLE_SECTION_SITES " - .\n"
	".long __start_" HEDDLE_SECTION_INLINES " - .\n"
	".long __stop_" HEDDLE_SECTION_INLINES " - .\n"
	".long __heddle_hooks - .\n"
	".size __heddle_object, . - __heddle_object\n"
	".popsection\n"
	".pushsection .note.heddle, \"a\", @note\n"
	".balign 4\n"
	".long 7, 8, 1\n"
	".asciz \"" HEDDLE_NOTE_NAME "\"\n"
	".balign 4\n"
	".long 1\n"
	".long __heddle_object - .\n"
	".popsection\n");

/* Weak and never defined at link time: null unless libheddle.so is preloaded. Compiled as position independent code
 * the reference goes through the global offset table, which every kind of link fills when the program starts. */
extern int __heddle_register(const struct heddle_object *object) __attribute__((weak));

static void register_object(void)
{
	int (*enter)(const struct heddle_object *) = __heddle_register;
	__asm__("" : "+r"(enter)); /* or the compiler would call through a PLT entry, whose address is never null */
	if (enter)
		enter(&__heddle_object);
}

/* Priority 0 sorts before every constructor of the object, so that those already run switched. */
static void (*const first_constructor)(void)
	__attribute__((used, section(".init_array.00000"))) = register_object;
