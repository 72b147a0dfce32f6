/* advice_priv.h: what the parts of advice.h share. */
#ifndef NARRATE_ADVICE_PRIV_H
#define NARRATE_ADVICE_PRIV_H

#include "narrate/advice.h"

/* "queue.c:12", escaped; "a place that is not known" when there is none. Caller frees. */
char *advice_place(const char *file, uint32_t line);
/* Of code in a library, whose caller is not known, the last place of the program's own before it: "a call of std::thread::join after queue.c:12". */
char *advice_event_place(const struct timeline *timeline, size_t event);

/* The name of what is at an address; of a lock without one, where it was first taken. Caller frees. */
char *advice_name(const struct timeline *timeline, uint64_t address);

/* "a, b and c". Caller frees. */
char *advice_join(const struct strings *names);

/* For deadlocks, from how the run ended. */
void advice_of_deadlock(struct strings *advice, const struct timeline *timeline);

/* Advice for a thread that waits for a condition variable when no thread is left that could signal it. is_last: also
 * when nothing is known except that no thread signals it. */
void advice_of_wait(struct strings *advice, const struct timeline *timeline, const struct report_thread *thread,
		    bool is_last);

/* Whether the event is a signal or a broadcast of the condition variable. */
bool advice_is_signal(const struct event *event, uint64_t condition);

/* For calls of free and realloc whose argument is not a live block. */
void advice_of_free(struct strings *advice, const struct finding *finding);

/* For failures: what another thread did in between. */
void advice_of_failure(struct strings *advice, const struct timeline *timeline);

#endif
