/*
 * bug.h: a fault of Heddle itself, found by the runtime: an invariant that a header names does not hold. Nothing that
 * it would report from here on can be trusted. Under control the run ends as aborted, with a note that names the place;
 * in the other modes the runtime turns itself off (rt_off) and the program continues.
 *
 * Checks are where something slow happens anyway: a thread begins, blocks or is switched to, memory is mapped, an
 * object is registered. There are none on the path of an access that the shadow settles, or of an operation that is
 * only counted.
 */
#ifndef RT_BUG_H
#define RT_BUG_H

#define RT_BUG_TEXT(number) #number
#define RT_BUG_LINE(number) RT_BUG_TEXT(number)

/* Returns only if the program is not under control: the caller then does the minimum that is safe. */
#define RT_BUG(text) rt_bug(__FILE__ ":" RT_BUG_LINE(__LINE__) ": " text)
void rt_bug(const char *where) __attribute__((cold, noinline));

/* Sets what is called instead of rt_off; it need not return. Called once, by a mode that can end a run. */
void rt_bug_ends(void (*function)(const char *where));

#endif
