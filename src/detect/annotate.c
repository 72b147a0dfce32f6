/* annotate.c: what programs tell (heddle/heddle.h), and the names under which they tell ThreadSanitizer the same. */
#include "detect/detect.h"
#include "detect/finding.h"
#include "detect/track.h"
#include "world/world.h"

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
EXPORT void __tsan_acquire(void *object);
EXPORT void __tsan_release(void *object);

void heddle_annotate_happens_before(const volatile void *object)
{
	detect_release_more(object);
}

void heddle_annotate_happens_after(const volatile void *object)
{
	detect_acquire(object);
}

void heddle_annotate_benign_race(const volatile void *address, size_t size_bytes)
{
	if (detect.is_on)
		finding_benign((uintptr_t)address, size_bytes);
}

void heddle_annotate_ignore(int is_begin)
{
	if (!detect.is_on)
		return;
	struct track *track = world.current->track;
	if (is_begin)
		track->ignoring++;
	else if (track->ignoring)
		track->ignoring--;
}

void AnnotateHappensBefore(const char *file, int line, const volatile void *object)
{
	(void)file;
	(void)line;
	detect_release_more(object);
}

void AnnotateHappensAfter(const char *file, int line, const volatile void *object)
{
	(void)file;
	(void)line;
	detect_acquire(object);
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

/* Reads and writes are not told apart: who ignores one side of a race ignores the race. */
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

/* To ignore synchronisation could only report more. */
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
	detect_acquire(object);
}

void __tsan_release(void *object)
{
	detect_release_more(object);
}
