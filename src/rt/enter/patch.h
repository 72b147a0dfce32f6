/*
 * patch.h: the fast way in: system call instructions of libraries, found by the tool, are replaced by jumps to trampolines near
 * the library, which enter entrance.syscall with the registers as the kernel would see them. Nothing has to be saved by a
 * signal: about a hundred times cheaper than user dispatch, which can be the net below.
 *
 * To the program and to the mode the trampolines do not exist: registers->rip is always an address in the
 * library. What entrance.syscall leaves in the registers is what the program continues with:
 *  - rip as it was: behind the system call, with all registers but rcx and r11, the status flags and the stack pointer
 *    from the structure;
 *  - rip changed: at patch_resume_address(rip) with exactly these registers, all of them, and all flags. The
 *    structure itself and the frames of entrance.syscall are below registers->rsp - 128, so what is prepared for a handler
 *    on the same stack goes below the caller's own frame.
 * While entrance.serves is false, calls go straight to the kernel from the trampoline, with no memory touched (where user
 * dispatch is armed it still sees them).
 */
#ifndef RT_ENTER_PATCH_H
#define RT_ENTER_PATCH_H

#include <stdint.h>

#include "rt/enter/registers.h"

/*
 * Replaces what the file (struct heddle_patches) lists in the libraries that are loaded. Once, while there is one
 * thread. A library that is not loaded, or whose bytes are not the expected ones, is left as it is. Returns how many
 * were replaced (0 when the descriptor is not open), or a negative errno: -EBADMSG when the block cannot be trusted;
 * nothing is changed then.
 */
int patch_system_calls(int fd);

/* Where execution continues that is to continue at rip in a library: rip itself, or the same instruction in a
 * trampoline when it was moved there. For code that sets a program counter: returns from signals, new threads. */
uintptr_t patch_resume_address(uintptr_t rip);

/* The opposite, for reports and for signal frames: the address in the library that an address inside a trampoline
 * stands for; any other address itself. Within the entry sequence the result is the address of the system call
 * instruction. */
uintptr_t patch_original(uintptr_t code);

/*
 * Performs the clone, clone3, fork or vfork in the registers for real, from any entry point. Returns the result in the
 * parent. The child does not return: it continues in the program behind the system call, with all registers, 0 in rax,
 * on the stack that the call gives it or the same one. With a shared stack (vfork) the part of it that is in use
 * between here and the program is saved and put back when the child has gone, so that the parent can return as usual.
 * A child that shares the memory shares the runtime.
 */
long patch_raw_clone(const struct registers *registers);

#endif
