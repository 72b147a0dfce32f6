/* annotate.c: annotations in programs (heddle/heddle.h), also under the names that ThreadSanitizer uses for them. */
#include "detect/finding.h"
#include "detect/track.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void heddle_annotate_happens_before(const volatile void *object);
EXPORT void heddle_annotate_happens_after(const volatile void *object);
EXPORT void heddle_annotate_benign_race(const volatile void *address, size_t size_bytes);
EXPORT void heddle_annotate_ignore(int is_begin);
EXPORT void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
EXPORT void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
EXPORT void AnnotateBenignRace(const char *file, int line, const volatile void *address, const char *why);
EXPORT void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, size_t size_bytes,
				    const char *why);
EXPORT void AnnotateIgnoreReadsBegin(const char *file, int line);
EXPORT void AnnotateIgnoreReadsEnd(const char *file, int line);
EXPORT void AnnotateIgnoreWritesBegin(const char *file, int line);
EXPORT void AnnotateIgnoreWritesEnd(const char *file, int line);
EXPORT void AnnotateIgnoreSyncBegin(const char *file, int line);
EXPORT void AnnotateIgnoreSyncEnd(const char *file, int line);
EXPORT void AnnotateNewMemory(const char *file, int line, const volatile void *start, size_t size_bytes);
EXPORT void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
EXPORT void AnnotateRWLockCreateStatic(const char *file, int line, const volatile void *lock);
EXPORT void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock);
EXPORT void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, uintptr_t is_write);
EXPORT void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, uintptr_t is_write);
EXPORT void __tsan_acquire(void *object);
EXPORT void __tsan_release(void *object);
EXPORT void __tsan_mutex_create(void *lock, unsigned flags);
EXPORT void __tsan_mutex_destroy(void *lock, unsigned flags);
EXPORT void __tsan_mutex_pre_lock(void *lock, unsigned flags);
EXPORT void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
EXPORT int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
EXPORT void __tsan_mutex_post_unlock(void *lock, unsigned flags);
EXPORT void __tsan_mutex_pre_signal(void *lock, unsigned flags);
EXPORT void __tsan_mutex_post_signal(void *lock, unsigned flags);
EXPORT void __tsan_mutex_pre_divert(void *lock, unsigned flags);
EXPORT void __tsan_mutex_post_divert(void *lock, unsigned flags);

void heddle_annotate_happens_before(const volatile void *object)
{
	observe_release_more(object);
}

void heddle_annotate_happens_after(const volatile void *object)
{
	observe_acquire(object);
}

void heddle_annotate_benign_race(const volatile void *address, size_t size_bytes)
{
	if (observe_is_on())
		finding_benign((uintptr_t)address, size_bytes);
}

void heddle_annotate_ignore(int is_begin)
{
	if (!observe_is_on())
		return;
	struct track *track = track_now;
	if (is_begin)
		track->ignoring++;
	else if (track->ignoring)
		track->ignoring--;
	track_update_fast(track);
}

void AnnotateHappensBefore(const char *file, int line, const volatile void *object)
{
	(void)file;
	(void)line;
	observe_release_more(object);
}

void AnnotateHappensAfter(const char *file, int line, const volatile void *object)
{
	(void)file;
	(void)line;
	observe_acquire(object);
}

void AnnotateBenignRace(const char *file, int line, const volatile void *address, const char *why)
{
	AnnotateBenignRaceSized(file, line, address, 8, why);
}

void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, size_t size_bytes,
			     const char *why)
{
	(void)file;
	(void)line;
	(void)why;
	heddle_annotate_benign_race(address, size_bytes);
}

/* Reads and writes are not distinguished: ignoring one side of a race ignores the race. */
#define IGNORE(name, is_begin)                                                                                         \
	void name(const char *file, int line)                                                                          \
	{                                                                                                              \
		(void)file;                                                                                            \
		(void)line;                                                                                            \
		heddle_annotate_ignore(is_begin);                                                                      \
	}
IGNORE(AnnotateIgnoreReadsBegin, 1)
IGNORE(AnnotateIgnoreReadsEnd, 0)
IGNORE(AnnotateIgnoreWritesBegin, 1)
IGNORE(AnnotateIgnoreWritesEnd, 0)
#undef IGNORE

/* Ignoring synchronisation could only add reports. */
void AnnotateIgnoreSyncBegin(const char *file, int line)
{
	(void)file;
	(void)line;
}

void AnnotateIgnoreSyncEnd(const char *file, int line)
{
	(void)file;
	(void)line;
}

void __tsan_acquire(void *object)
{
	observe_acquire(object);
}

void __tsan_release(void *object)
{
	observe_release_more(object);
}

void AnnotateNewMemory(const char *file, int line, const volatile void *start, size_t size_bytes)
{
	(void)file;
	(void)line;
	observe_memory_new(start, size_bytes);
}

/* Locks of the program's own. */

static void lock_new(const char *file, int line, const volatile void *lock)
{
	(void)file;
	(void)line;
	observe_forget(lock);
}

void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock)
{
	lock_new(file, line, lock);
}

void AnnotateRWLockCreateStatic(const char *file, int line, const volatile void *lock)
{
	lock_new(file, line, lock);
}

void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock)
{
	lock_new(file, line, lock);
}

void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, uintptr_t is_write)
{
	(void)file;
	(void)line;
	observe_locked(lock, is_write ? LOCK_RECURSIVE : LOCK_SHARED, false, (uintptr_t)__builtin_return_address(0));
}

void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, uintptr_t is_write)
{
	(void)file;
	(void)line;
	(void)is_write;
	observe_unlocked(lock);
}

/* As in compiler-rt's sanitizer/tsan_interface.h. */
#define TSAN_READ_LOCK (1u << 3)
#define TSAN_TRY_LOCK (1u << 4)
#define TSAN_TRY_LOCK_FAILED (1u << 5)

void __tsan_mutex_create(void *lock, unsigned flags)
{
	(void)flags;
	observe_forget(lock);
}

void __tsan_mutex_destroy(void *lock, unsigned flags)
{
	(void)flags;
	observe_forget(lock);
}

/* Accesses between pre and post belong to the lock's implementation, except those made while it is diverted. */

void __tsan_mutex_pre_lock(void *lock, unsigned flags)
{
	(void)lock;
	(void)flags;
	heddle_annotate_ignore(1);
}

void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion)
{
	(void)recursion;
	heddle_annotate_ignore(0);
	if (!(flags & TSAN_TRY_LOCK_FAILED))
		observe_locked(lock, flags & TSAN_READ_LOCK ? LOCK_SHARED : LOCK_RECURSIVE, flags & TSAN_TRY_LOCK,
			       (uintptr_t)__builtin_return_address(0));
}

int __tsan_mutex_pre_unlock(void *lock, unsigned flags)
{
	(void)flags;
	observe_unlocked(lock);
	heddle_annotate_ignore(1);
	return 0;
}

void __tsan_mutex_post_unlock(void *lock, unsigned flags)
{
	(void)lock;
	(void)flags;
	heddle_annotate_ignore(0);
}

void __tsan_mutex_pre_signal(void *lock, unsigned flags)
{
	(void)lock;
	(void)flags;
	heddle_annotate_ignore(1);
}

void __tsan_mutex_post_signal(void *lock, unsigned flags)
{
	(void)lock;
	(void)flags;
	heddle_annotate_ignore(0);
}

void __tsan_mutex_pre_divert(void *lock, unsigned flags)
{
	(void)lock;
	(void)flags;
	heddle_annotate_ignore(0);
}

void __tsan_mutex_post_divert(void *lock, unsigned flags)
{
	(void)lock;
	(void)flags;
	heddle_annotate_ignore(1);
}
