/*
 * shortcut.h: the entries of plain accesses, which a mode supplies and world/shortcut.h redirects calls to: what they are
 * given, and macros for their assembly.
 *
 * An entry arrives with the address of the access in r11, r10 free, and the return address on the stack. The call itself,
 * the five bytes before that, leads to the shortcut, in front of whose code is a struct shortcut. It returns with r10, r11
 * and the flags as SHORTCUT_RETURN leaves them, whatever it did, and every other register as it was.
 */
#ifndef RT_SHORTCUT_H
#define RT_SHORTCUT_H

#include "heddle/abi.h"
#include "rt/tally.h"

struct __attribute__((packed)) shortcut {
	const struct heddle_site *site;
	uint32_t number; /* what the mode gave it */
};

#define SHORTCUT_ENTRIES HEDDLE_HOOK_READ_RANGE

/* The entries of a mode. From start to end is code that works wherever it is copied to: what is not in it is named by
 * addresses of the lowest 2 GB (rt/tally.h). entries: in it, by number of the hook. */
struct shortcut_code {
	const char *start, *end;
	const char *const *entries;
};

/* For entries, in assembly: what defines macros, and, with _END, takes them back at the end. They use the offsets of struct tally and struct shortcut. */
#define SHORTCUT_RETURN                                                                                                \
	"xorl %r10d, %r10d\n"                                                                                          \
	"xorl %r11d, %r11d\n"                                                                                          \
	"ret\n"

/* Counts the event; jumps to \otherwise when a decision is due. */
#define SHORTCUT_COUNT                                                                                                 \
	".macro shortcut_count otherwise\n"                                                                            \
	"addq %r11, " TALLY_ACCESS_SUM "\n"                                                                            \
	"decq " TALLY_COUNTDOWN "\n"                                                                                   \
	"js \\otherwise\n"                                                                                             \
	".endm\n"
#define SHORTCUT_COUNT_END ".purgem shortcut_count\n"

/*
 * shortcut_save saves all registers that a function may change; then rdi is the address, and the shortcut's code is at rax + rsi.
 * shortcut_call calls function(address, site) in that state, and returns; shortcut_enter does only the first, shortcut_restore the
 * second.
 */
#define SHORTCUT_CALL                                                                                                  \
	".macro shortcut_save\n"                                                                                       \
	".irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r11\n"                                                        \
	"pushq %\\register\n"                                                                                          \
	".cfi_adjust_cfa_offset 8\n"                                                                                   \
	".endr\n"                                                                                                      \
	"movq 64(%rsp), %rax\n"                                                                                        \
	"movslq -4(%rax), %rsi\n"                                                                                      \
	"movq %r11, %rdi\n"                                                                                            \
	".endm\n"                                                                                                      \
	".macro shortcut_restore\n"                                                                                    \
	".irp register, r11, r9, r8, rdi, rsi, rdx, rcx, rax\n"                                                        \
	"popq %\\register\n"                                                                                           \
	".cfi_adjust_cfa_offset -8\n"                                                                                  \
	".endr\n" SHORTCUT_RETURN ".endm\n"                                                                            \
	".macro shortcut_enter function\n"                                                                             \
	"movq 64(%rsp), %rax\n"                                                                                        \
	"movslq -4(%rax), %rsi\n"                                                                                      \
	"movq -12(%rax, %rsi), %rsi\n"                                                                                 \
	"movq (%rsp), %rdi\n"                                                                                          \
	"pushq 64(%rsp)\n" /* an ordinary frame, for code that follows frame pointers */                               \
	".cfi_adjust_cfa_offset 8\n"                                                                                   \
	"pushq %rbp\n"                                                                                                 \
	".cfi_adjust_cfa_offset 8\n"                                                                                   \
	".cfi_rel_offset %rbp, 0\n"                                                                                    \
	"movq %rsp, %rbp\n"                                                                                            \
	".cfi_def_cfa_register %rbp\n"                                                                                 \
	"andq $-16, %rsp\n"                                                                                            \
	"call \\function\n"                                                                                            \
	"movq %rbp, %rsp\n"                                                                                            \
	".cfi_def_cfa_register %rsp\n"                                                                                 \
	"popq %rbp\n"                                                                                                  \
	".cfi_adjust_cfa_offset -8\n"                                                                                  \
	".cfi_restore %rbp\n"                                                                                          \
	"leaq 8(%rsp), %rsp\n"                                                                                         \
	".cfi_adjust_cfa_offset -8\n"                                                                                  \
	".endm\n"                                                                                                      \
	".macro shortcut_call function\n"                                                                              \
	"shortcut_enter \\function\n"                                                                                  \
	"shortcut_restore\n"                                                                                           \
	".endm\n"
#define SHORTCUT_CALL_END                                                                                              \
	".purgem shortcut_save\n"                                                                                      \
	".purgem shortcut_restore\n"                                                                                   \
	".purgem shortcut_enter\n"                                                                                     \
	".purgem shortcut_call\n"

#endif
