#!/bin/bash
# The functions of libc that the runtime stands in front of: they go on to libc's own unless the world is controlled, and
# with a world that only counts, every call of the threads library is an event and does what it did.
. tests/lib/tap.sh
. tests/unit/fake.sh

calls=$work/calls
gcc -D_GNU_SOURCE -O1 -Wall -Wextra -pthread tests/unit/interpose_calls.c -o "$calls" || fail "the test program compiles"

# flags_of NAME: a variable of the Makefile
flags_of() {
	printf 'flags:\n\t@echo $(%s)\n' "$1" | make -s -f Makefile -f - flags
}
rt_flags="$(flags_of CPPFLAGS) $(flags_of RT_CFLAGS)"
rt_flags=${rt_flags//\"/}

# make_world OUT FLAGS...: a library to preload
make_world() {
	world_out=$1
	shift
	# shellcheck disable=SC2086
	"${CC:-gcc}" "$@" $rt_flags -shared -Wl,-z,initfirst -Wl,-z,now -Wl,-z,defs -Wl,--version-script=src/rt/libheddle.map \
		tests/unit/fake_world.c src/rt/tally.c src/rt/observe.c src/world/slots.c src/rt/choose.c src/rt/enter/{interpose,operation,operation_entry,entrance,lookup,patch,patch_entry,near}.c \
		src/rt/maps.c src/world/memory/allocator.c src/world/sync/*.c src/rt/memory.c src/rt/say.c -o "$world_out"
}

# The list.
names=$(sed -n 's/^[[:space:]]*EACH(\([A-Za-z0-9_]*\)).*/\1/p' src/rt/enter/interpose.h)
cat >"$work/where.c" <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	Dl_info info;
	for (int i = 2; i < argc; i++) {
		void *here = dlsym(RTLD_DEFAULT, argv[i]);
		if (!here || !dladdr(here, &info) || strcmp(info.dli_fname, argv[1]) != 0)
			printf("%s is not ours\n", argv[i]);
		const char *library = strncmp(argv[i], "_Z", 2) == 0 || strncmp(argv[i], "__cxa_guard", 11) == 0 || strstr(argv[i], "_catch") ? "libstdc++.so.6" : "libc.so.6";
		void *real = dlsym(dlopen(library, RTLD_NOW), argv[i]);
		if (!real || !dladdr(real, &info) || !strstr(info.dli_fname, library))
			printf("%s is not in %s\n", argv[i], library);
	}
}
END_C
gcc -D_GNU_SOURCE "$work/where.c" -o "$work/where"
# shellcheck disable=SC2086
is "every function of the list is ours and its library's" "$(LD_PRELOAD=$runtime "$work/where" "$runtime" $names 2>&1)" ""
is "the list has no function twice" "$(sort <<<"$names" | uniq -d)" ""

# Programs run as they are, with the runtime asleep and in the mode that changes nothing.
native=$("$calls" 2>&1)
same() {
	same_name=$1
	shift
	same_want=$("$@" 2>&1; echo " status $?")
	is "$same_name: asleep" "$(LD_PRELOAD=$runtime "$@" 2>&1; echo " status $?")" "$same_want"
	is "$same_name: pass" "$(woven '' "$@" 2>&1; echo " status $?")" "$same_want"
}
cat >"$work/objects.cc" <<'END_C'
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static std::mutex mutex;
static std::condition_variable condition;
static std::shared_mutex shared;
static std::once_flag flag;
static int total, destroyed, caught;
struct last { ~last() { destroyed++; } };
static thread_local last at_end;
static void *cancelled(void *)
{
	last local;
	try {
		pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
		pthread_cond_t never = PTHREAD_COND_INITIALIZER;
		pthread_mutex_lock(&mine);
		for (;;)
			pthread_cond_wait(&never, &mine);
	} catch (...) {
		caught++;
		throw;
	}
}
static void throws() { throw std::runtime_error("once"); }
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([i] {
			last *use = &at_end;
			(void)use;
			std::unique_lock<std::mutex> lock(mutex);
			condition.wait(lock, [i] { return total == i; });
			std::shared_lock<std::shared_mutex> reader(shared);
			total++;
			condition.notify_all();
		});
	for (auto &thread : threads)
		thread.join();
	try {
		std::call_once(flag, throws);
	} catch (const std::runtime_error &error) {
		std::printf("%s ", error.what());
	}
	pthread_once_t once = PTHREAD_ONCE_INIT;
	try {
		pthread_once(&once, throws);
	} catch (const std::runtime_error &error) {
		std::printf("%s ", error.what());
	}
	pthread_t thread;
	void *result;
	pthread_create(&thread, nullptr, cancelled, nullptr);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	std::printf("%d %d %d ", total, destroyed, caught);
	std::printf("%d\n", std::async(std::launch::async, [] { return 6; }).get());
}
END_C
g++ -O2 -pthread "$work/objects.cc" -o "$work/objects" || fail "the program in C++ compiles"
cat >"$work/own.c" <<'END_C'
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
static char room[1 << 20] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t size)
{
	void *block = room + used;
	used += (size + 31) & ~15ul;
	return block;
}
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *block, size_t size) { return block ? NULL : malloc(size); }
int main(void)
{
	char *volatile block = malloc(10);
	printf("%d\n", block >= room && block < room + sizeof room);
}
END_C
gcc -O1 -fno-builtin "$work/own.c" -o "$work/own"
same "every function" "$calls"
same "a program in C++" "$work/objects"
same "a program with an allocator of its own" "$work/own"
same "ls" ls -la /usr
same "a shell with pipes and processes" bash -c 'for i in 1 2 3; do echo $i | cat; done; (exit 5)'
same "perl" perl -e 'print join(",", sort { $a <=> $b } map { $_ * 7 % 31 } 1..30), "\n"; print `echo hello`'
loader=$(readelf -lW "$calls" | sed -n 's/.*interpreter: \(.*\)]/\1/p')
is "started through the dynamic linker" "$("$loader" --preload "$runtime" "$calls" 2>&1)" "$native"
is "with another library preloaded" "$(cat >"$work/trace.c" <<'END_C'
#include <dlfcn.h>
#include <stddef.h>
int traced;
void *malloc(size_t size)
{
	static void *(*next)(size_t);
	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	traced++;
	return next(size);
}
END_C
cat >"$work/traced.c" <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	int *count = dlsym(RTLD_DEFAULT, "traced"), before = *count;
	void *volatile block = malloc(10);
	free(block);
	printf("%d\n", *count - before);
}
END_C
gcc -D_GNU_SOURCE -shared -fPIC -fno-builtin "$work/trace.c" -o "$work/trace.so"
gcc -D_GNU_SOURCE -O0 "$work/traced.c" -o "$work/traced"
for order in "$runtime:$work/trace.so" "$work/trace.so:$runtime"; do LD_PRELOAD=$order "$work/traced" 2>&1; done | tr '\n' ' ')" "1 1 "

# With a world that only counts.
for compiler in gcc clang-19; do
	ok "$compiler: the fake world compiles without a warning" env CC=$compiler bash -c "$(declare -f make_world)
		rt_flags='$rt_flags'; make_world '$work/world.so' -Werror"
	world=$work/world.so
	is "$compiler: without control" "$(LD_PRELOAD=$world "$calls" 2>&1)" "$native"
	for program in "$calls" "$work/objects" "$work/own"; do
		want=$("$program" 2>&1; echo " status $?")
		is "$compiler: controlled ${program##*/}" \
			"$(HEDDLE=control LD_PRELOAD=$world "$program" 2>&1; echo " status $?")" "$want"
	done
done
HEDDLE=control LD_PRELOAD=$world "$calls" alone 9>"$work/events" >"$work/out" 2>&1
is "the calls did what they did" "$(cat "$work/out")" "$("$calls" alone 2>&1)"
# How often a thread is asked for that has not ended yet is up to the kernel, whose threads these are.
is "events" "$(grep -v 'called from elsewhere' "$work/events" | sort -n | uniq -c | sed 's/^ *//' |
	awk '$2 == 7 && $1 > 7 { $1 = 7 } { print }')" "1 3 atomic
3 5 thread
9 6 thread
7 7 thread
2 8 thread
1 9 thread
11 12 mutex
2 13 mutex
8 14 mutex
5 15 condition variable
3 16 condition variable
2 17 condition variable
4 18 read-write lock
4 19 read-write lock
5 20 read-write lock
3 21 spin lock
1 22 spin lock
1 23 barrier
4 24 semaphore
1 25 semaphore
4 26 once
2 28 system call"
is "events: only libraries call from elsewhere" \
	"$(grep 'called from elsewhere' "$work/events" | sort -u | grep -v once)" ""

# A function that this libc does not have.
mkdir -p "$work/old/rt/enter"
sed 's/EACH(posix_spawn) .*/EACH(posix_spawn) EACH(not_there) \\/' src/rt/enter/interpose.h >"$work/old/rt/enter/interpose.h"
cat >"$work/old/not_there.h" <<'END_C'
int not_there(void);
END_C
cat >"$work/old/not_there.c" <<'END_C'
#include "not_there.h"
int control_not_there(void);
int control_not_there(void) { return 0; }
END_C
cat >"$work/old/user.c" <<'END_C'
#include <errno.h>
#include <stdio.h>
int not_there(void) __attribute__((weak));
int main(void) { if (not_there) printf("%d ", not_there() == ENOSYS && not_there() == ENOSYS); puts("end"); }
END_C
ok "a list with a function that is not there" make_world "$work/old.so" "-I$work/old" -include "$work/old/not_there.h" \
	"$work/old/not_there.c"
gcc "$work/old/user.c" -o "$work/old/user"
for mode in '' control; do
	is "a function that is not there, HEDDLE=$mode" "$(HEDDLE=$mode LD_PRELOAD=$work/old.so "$work/old/user" 2>&1 |
		sort | tr '\n' '|')" \
		"1 end|heddle: not_there was called, but no library of this process provides it|"
done
is "everything else works without it" "$(LD_PRELOAD=$work/old.so "$calls" 2>&1)" "$native"

is "lint" "$(BUILD=$build sh mk/lint.sh 2>&1)" "lint: the runtime is clean"
done_testing
