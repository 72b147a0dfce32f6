#!/bin/bash
# Programs and libraries that bring their own malloc keep it, all of it; and what the user preloads is loaded.
. tests/lib/tap.sh
. tests/lib/cc.sh
trap 'rm -rf "$work"' EXIT
export HEDDLE_STORE=$work/store

# An allocator of its own in 60 lines: blocks with a header, in lists by size, behind a lock that nobody sees. mark_of and give
# are more than the malloc family; they end the program when the block is somebody else's.
cat >own.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct block { uint64_t mark, class; struct block *next; uint64_t pad; };
#define MARK 0x6c6c6f636e776fu
static struct block *lists[48];
static char *at, *end;
static int lock;
static struct block *block_of(void *p)
{
	struct block *block = (struct block *)p - 1;
	if (block->mark != MARK)
		_exit(77);
	return block;
}
void *malloc(size_t size)
{
	unsigned class = 5;
	while (((size_t)1 << class) < size + sizeof(struct block))
		class++;
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	struct block *block = lists[class];
	if (block) {
		lists[class] = block->next;
	} else {
		if ((size_t)(end - at) < (size_t)1 << class) {
			size_t room = ((size_t)1 << class) + (1 << 20);
			at = mmap(0, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			end = at + room;
		}
		block = (struct block *)at;
		at += (size_t)1 << class;
	}
	*block = (struct block){ MARK, class, 0, 0 };
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return block + 1;
}
void free(void *p)
{
	if (!p)
		return;
	struct block *block = block_of(p);
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	block->next = lists[block->class];
	lists[block->class] = block;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}
size_t malloc_usable_size(void *p)
{
	return p ? ((size_t)1 << block_of(p)->class) - sizeof(struct block) : 0;
}
void *calloc(size_t count, size_t size)
{
	return memset(malloc(count * size), 0, count * size);
}
void *realloc(void *p, size_t size)
{
	size_t old = malloc_usable_size(p);
	void *moved = malloc(size);
	memcpy(moved, p ? p : "", p ? (old < size ? old : size) : 0);
	free(p);
	return moved;
}
#ifndef PART
static void *aligned(size_t alignment, size_t size)
{
	return alignment <= 32 ? malloc(size) : 0;
}
void *memalign(size_t alignment, size_t size)
{
	return aligned(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
	return aligned(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size)
{
	return (*out = aligned(alignment, size)) ? 0 : ENOMEM;
}
#endif
uint64_t mark_of(void *p)
{
	return block_of(p)->mark;
}
void give(void *p)
{
	free(p);
}
END
# Blocks go from thread to thread; all functions of the family are called, and blocks are given back in ways of the library.
cat >uses.c <<'END'
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OWN
uint64_t mark_of(void *p);
void give(void *p);
#else
#define mark_of(p) (uint64_t)(p != 0)
#define give(p) free(p)
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *kept[8];
static unsigned long places;
static int racy;
static void *works(void *argument)
{
	for (int i = 0; i < 20; i++) {
		size_t size = 10 + (size_t)i * 97 % 900;
		char *p = i % 3 ? malloc(size) : calloc(1, size);
		memset(p, i, size);
		if (i % 4 == 0)
			p = realloc(p, size * 3);
		if (!mark_of(p) || malloc_usable_size(p) < size)
			exit(78);
		pthread_mutex_lock(&mutex);
		char *old = kept[i % 8];
		kept[i % 8] = p;
		places = places * 31 + (uintptr_t)p;
		pthread_mutex_unlock(&mutex);
		if (old) {
			old[0]++;
			if (i % 2)
				give(old);
			else
				free(old);
		}
#ifndef PART
		void *q;
		if (posix_memalign(&q, 32, 50))
			exit(79);
		mark_of(q);
		give(q);
		q = aligned_alloc(16, 64);
		mark_of(q);
		free(q);
#endif
		free(strdup("by libc"));
	}
#ifdef RACE
	racy++;
#endif
	return argument;
}
int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], 0, works, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	for (int i = 0; i < 8; i++)
		free(kept[i]);
	printf("places %lx %d\n", places, racy > 3);
	return 0;
}
END
cat >news.cc <<'END'
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
static std::mutex mutex;
static std::vector<std::unique_ptr<std::string>> all;
static void works(int from)
{
	for (int i = 0; i < 30; i++) {
		auto one = std::make_unique<std::string>(100 + i, char('a' + from));
		std::lock_guard<std::mutex> guard(mutex);
		if (all.size() > 5)
			all.erase(all.begin());
		all.push_back(std::move(one));
	}
}
int main()
{
	std::thread first(works, 1), second(works, 2);
	first.join();
	second.join();
	size_t total = 0;
	for (auto &one : all)
		total += one->size();
	std::printf("%d\n", total > 500);
	all.clear();
}
END

# kept NAME COMMAND...: the same seed gives the same run, a trace replays, and a test finds nothing
kept() {
	local name=$1 first second
	shift
	first=$("$heddle" run --stats --seed 3 -- "$@" 2>&1)
	is "$name: exit status" $? 0
	second=$("$heddle" run --stats --seed 3 -- "$@" 2>&1)
	is "$name: again" "$second" "$first"
	like "$name: told" "$first" 'event hash'
	first=$("$heddle" run --trace trace --seed 4 -- "$@" 2>&1)
	second=$("$heddle" replay trace 2>&1)
	is "$name: replay: exit status" $? 0
	same "$name: replay" "$second" "$first"
	said=$("$heddle" test --classify no --runs 40 --output ignore --json out.json -- "$@" 2>&1)
	is "$name: test: exit status" $? 0 || diag "$said"
	notes=$(jq -r '.notes[] | select(test("allocator"))' out.json)
}
note='the program has its own allocator: memory errors in its blocks are not detected; it is in '

gcc -O2 -fPIC -fno-builtin -shared own.c -o libown.so
gcc -O2 -fno-builtin -c own.c -o plain.o
"$cc" -O2 -fno-builtin -c own.c -o own.o
"$cc" -O2 -fno-builtin -DPART -c own.c -o part.o
"$cc" -O1 -g -pthread -DOWN uses.c -L. -lown -Wl,-rpath,"$work" -o shared
"$cc" -O1 -g -pthread uses.c -o none
"$cc" -O1 -g -pthread -DOWN uses.c own.o -o inside
"$cc" -O1 -g -pthread -DOWN -DPART uses.c part.o -o part
"$cc" -O1 -g -pthread -DOWN uses.c plain.o -o unwoven
"$cc" -O1 -g -pthread -DOWN -DRACE uses.c -L. -lown -Wl,-rpath,"$work" -o race
"$cxx" -O1 -g -pthread news.cc -o news
"$cxx" -O1 -g -pthread news.cc -Wl,--no-as-needed -L. -lown -Wl,-rpath,"$work" -o news-own

kept "a library" ./shared
is "a library: said" "$notes" "$note$work/libown.so"
kept "in the program" ./inside
is "in the program: said" "$notes" "${note}the program itself"
kept "in the program, not all of the family" ./part
first=$("$heddle" run --trace trace --seed 3 -- ./unwoven)
is "in the program, not woven: exit status" $? 0
is "in the program, not woven: replay" "$("$heddle" replay trace)" "$first"
"$heddle" test --classify no --runs 5 --output ignore --json out.json -- ./unwoven >/dev/null 2>&1
like "in the program, not woven: said" "$(jq -r '.notes[]' out.json)" '^the program.s allocator is not woven: .*look like races'
kept "none" ./none
is "none: nothing said" "$notes" ""
kept "C++" ./news
is "C++: nothing said" "$notes" ""
kept "C++ with a library" ./news-own
is "C++ with a library: said" "$notes" "$note$work/libown.so"

said=$("$heddle" test --classify no --runs 40 --output ignore -- ./race 2>&1)
is "a race beside it: exit status" $? 1
like "a race beside it: found" "$said" 'data race on racy'
like "a race beside it: nothing else" "$said" '; 1 finding'

# Preloaded by the user: as without Heddle.
like "preloaded: by a run" "$(LD_PRELOAD=$work/libown.so "$heddle" run --seed 3 -- ./none)" 'places'
export LD_PRELOAD=$work/libown.so
said=$("$heddle" test --classify no --runs 20 --output ignore --json out.json -- ./none 2>&1)
is "preloaded: exit status" $? 0
unset LD_PRELOAD
is "preloaded: said" "$(jq -r '.notes[] | select(test("allocator"))' out.json)" "$note$work/libown.so"

# Operators of the program's own, on top of malloc, are code like any other.
cat >operators.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>
static thread_local int made;
void *operator new(std::size_t size)
{
	made++;
	return std::malloc(size);
}
void operator delete(void *p) noexcept
{
	std::free(p);
}
void operator delete(void *p, std::size_t) noexcept
{
	std::free(p);
}
static void works()
{
	std::vector<int> all;
	for (int i = 0; i < 50; i++)
		all.push_back(i);
	if (!made)
		std::abort();
}
int main()
{
	std::thread first(works), second(works);
	first.join();
	second.join();
	std::puts("done");
}
END
"$cxx" -O1 -g -pthread operators.cc -o operators
kept "operators alone" ./operators
is "operators alone: nothing said" "$notes" ""

# The allocators that people use.
for library in jemalloc tcmalloc_minimal mimalloc; do
	if ! "$cc" -O1 -g -pthread uses.c -Wl,--no-as-needed -l$library -o $library 2>/dev/null; then
		skip "$library" "it is not installed"
		continue
	fi
	"$cxx" -O1 -g -pthread news.cc -Wl,--no-as-needed -l$library -o news-$library
	kept "$library" ./$library
	like "$library: said" "$notes" "${note}.*lib$library"
	kept "$library, C++" ./news-$library
	if "$cc" -O1 -g -pthread -c uses.c -o uses.o && "$cxx" -pthread uses.o -l:lib$library.a -lm -ldl -o static-$library 2>/dev/null; then
		first=$("$heddle" run --trace trace --seed 3 -- ./static-$library)
		is "$library, static: exit status" $? 0
		is "$library, static: replay" "$("$heddle" replay trace)" "$first"
		"$heddle" test --classify no --runs 5 --output ignore --json out.json -- ./static-$library >/dev/null 2>&1
		like "$library, static: said" "$(jq -r '.notes[]' out.json)" "${note}the program itself"
	fi
done
if "$cc" -O1 -g -x c - -ljemalloc -o sizes 2>/dev/null <<'END'
#include <stdio.h>
#include <stdlib.h>
void dallocx(void *, int);
size_t sallocx(const void *, int);
int main(void)
{
	char *p = malloc(100);
	printf("%zu\n", sallocx(p, 0));
	dallocx(p, 0);
	return 0;
}
END
then
	same "jemalloc: functions beside the family" "$("$heddle" run -- ./sizes)" "$(./sizes)"
fi
done_testing
