/*
 * signal.h: signals as the program sees them. Masks, dispositions, pending signals and handlers are the world's; the
 * kernel only reports that a signal came from outside or that an instruction faulted. A signal reaches a thread at an
 * event: at the end of a system call with a frame as the kernel would build it, so that unwinding, siglongjmp and
 * restarting work as ever; elsewhere by a plain call.
 */
#ifndef WORLD_SIGNALS_SIGNAL_H
#define WORLD_SIGNALS_SIGNAL_H

#include <signal.h>

#include "world/world.h"

/* The result of a call that a signal interrupted and that may be restarted; the program never sees it. */
#define RESTART 512
/* The same for calls that libc does not expect to be interrupted: they are restarted whatever the handler's flags
 * are. */
#define RESTART_ALWAYS 513

int signal_start(void);

/* System calls about signals; false: not one of these. */
bool signal_syscall(struct registers *registers, long *result);
/* rt_sigreturn. */
void signal_return(struct registers *registers);

/* At the end of a system call: changes the registers so that a handler runs, if a signal is to be delivered. */
void signal_deliver(struct thread *self, struct registers *registers);
/* At any other event. */
void signal_call_handlers(struct thread *self);
bool signal_is_deliverable(const struct thread *self);

/* Sends a signal; thread null: to the process. False: too many wait already. */
bool signal_send(struct thread *thread, int number, const siginfo_t *info);

/* What came from outside, into the log and to the threads. */
void signal_collect(void);
void signal_replayed(int number, const void *info, size_t size);

/* The thread has ended: removes the signals that are pending for it. */
void signal_forget(struct thread *thread);

/* Writes a signal that came from outside or from a timer to the log. tid: the thread that it is for, or 0. */
void signal_from_outside(int number, const siginfo_t *info, int32_t tid);

/* Ends the process by that signal, as its default action does. */
_Noreturn void signal_die(int number);

/* In a child that the program forked: gives the dispositions and this thread's mask and alternate stack to the kernel,
 * which serves signals from here on. */
void signal_leave(const struct thread *self);

/* signal_hand_over, before an exec: the new program begins with the thread's mask and pending signals. signal_take_back
 * undoes this if the exec failed. */
void signal_hand_over(const struct thread *self);
void signal_take_back(const struct thread *self);

/* Whether there is a thread that only a signal from outside could wake. */
bool signal_is_awaited(void);

/* Whether a signal from outside that has a handler could end a wait: a thread waits for descriptors that only the
 * program itself writes to, as a handler may do, and lets such a signal through. */
bool signal_could_help(void);

/* A system call with a mask for its duration (ppoll, pselect6, epoll_pwait). */
void signal_set_temporary_mask(struct thread *self, uint64_t mask);

#endif
