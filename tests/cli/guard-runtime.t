#!/bin/bash
# The modes train and guard in programs that make it hard: many threads, signals, cancellation, libraries that come and go, children; bounds
# of stalls; damaged files.
. tests/lib/tap.sh
. tests/lib/unit.sh
unit_build tools.a "$work/guard_all" tests/unit/guard_all.c || { fail "guard_all is built"; done_testing; exit 1; }
tool=$work
trap - EXIT
trap 'rm -rf "$tool" "$work"' EXIT
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
trap 'rm -rf "$tool" "$work"' EXIT
export HEDDLE_RUNTIME=$build/lib/heddle/libheddle.so

cat >hard.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static long count, *shared, ended, cancelled;
static atomic_long beats;
static char copied[2][200];
static void beat(int number) { (void)number; beats++; copied[0][0]++; }
static void end_key(void *value) { pthread_mutex_lock(&mutex); ended += (long)value; pthread_mutex_unlock(&mutex); }
static void unlock(void *unused) { (void)unused; pthread_mutex_unlock(&mutex); cancelled++; }
static void *work(void *argument)
{
	pthread_setspecific(key, (void *)1);
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		count++;
		*shared += (long)argument;
		memcpy(copied[1], copied[0], sizeof copied[0]);
		pthread_mutex_unlock(&mutex);
	}
	long *fresh = calloc(8, sizeof *fresh);
	pthread_mutex_lock(&mutex);
	*fresh = *shared;
	free(shared);
	shared = fresh;
	pthread_mutex_unlock(&mutex);
	return NULL;
}
static void *waits(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	count++;
	for (;;) {
		pthread_mutex_unlock(&mutex);
		pause();
	}
	pthread_cleanup_pop(0);
	return NULL;
}
static int child(void) { work((void *)1L); return count > 0 ? 7 : 8; }
int main(int argc, char **argv)
{
	struct itimerval every = { { 0, 500 }, { 0, 500 } };
	pthread_t threads[50], one;
	void *end;
	signal(SIGALRM, beat);
	pthread_key_create(&key, end_key);
	shared = calloc(8, sizeof *shared);
	if (argc > 2)
		return child();
	setitimer(ITIMER_REAL, &every, NULL);
	for (int round = 0; round < 40; round++) {
		for (long i = 0; i < 50; i++)
			if (pthread_create(&threads[i], NULL, work, (void *)i))
				abort();
		for (int i = 0; i < 50; i++)
			pthread_join(threads[i], NULL);
	}
	pthread_mutex_lock(&mutex);
	pthread_create(&one, NULL, waits, NULL);
	pthread_mutex_unlock(&mutex);
	usleep(20000);
	pthread_cancel(one);
	pthread_join(one, &end);
	for (int i = 0; i < 100; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*add)(int) = library ? (int (*)(int))dlsym(library, "add") : NULL;
		if (!add || add(i) != i + 1 || dlclose(library))
			abort();
	}
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	int status, again;
	pid_t forked = fork();
	if (!forked)
		_exit(child());
	waitpid(forked, &status, 0);
	forked = fork();
	if (!forked) {
		execl("/proc/self/exe", argv[0], argv[1], "again", (char *)NULL);
		_exit(9);
	}
	waitpid(forked, &again, 0);
	int maps = 0;
	FILE *file = fopen("/proc/self/maps", "r");
	for (int c; file && (c = getc(file)) != EOF;)
		maps += c == '\n';
	printf("%ld %ld %d %ld %d %d beats %d few %d\n", count > 40001 ? 40001 : count, ended, end == PTHREAD_CANCELED, cancelled,
	       WEXITSTATUS(status), WEXITSTATUS(again), beats > 5, maps < 300);
	return 0;
}
END
cat >library.c <<'END'
static int last;
int add(int value) { last = value + 1; return last; }
END
"$cc" -O1 -g -fPIC -shared library.c -o library.so && "$cc" -O1 -g -pthread hard.c -o hard || { fail "built"; done_testing; exit 1; }
want="40001 2000 1 1 7 7 beats 1 few 1"
is "plain" "$(./hard ./library.so)" "$want"
for set in all none; do
	is "each site guarded, $set" "$(timeout 120 "$tool/guard_all" $set ./hard "$work/library.so" 2>&1)" "$want"
done
ok "trained" timeout 200 "$heddle" train --quiet --runs 6 -- ./hard "$work/library.so"
is "guarded" "$(timeout 60 "$heddle" guard --quiet --json=found.json -- ./hard "$work/library.so" 2>err)" "$want"
ok "in its children, too" test "$(jq .processes found.json)" -ge 2

# 2,000 threads at a time, with small stacks.
cat >many.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { THREADS = 2000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static int count, own[THREADS];
static void *work(void *argument)
{
	int *mine = argument;
	pthread_barrier_wait(&all);
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&mutex);
		count++;
		pthread_mutex_unlock(&mutex);
		*mine += own[(mine - own + 1) % THREADS] >= 0;
	}
	return NULL;
}
int main(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t attributes;
	int sum = 0;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], &attributes, work, &own[i]))
			abort();
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += own[i];
	}
	printf("%d %d\n", count, sum);
	return 0;
}
END
"$cc" -O1 -g -pthread many.c -o many || fail "built: many"
ok "2,000 threads: trained" timeout 200 "$heddle" train --quiet --native --runs 2 -- ./many
is "2,000 threads: guarded" "$(timeout 100 "$heddle" guard --json=many.json -- ./many 2>err)" "10000 10000"
ok "2,000 threads: stalls stay within their share" jq -e '.stalled_us <= 2000 * 60000' many.json

# Stalls are bounded: an order that training has never seen, again and again, in a program that cannot get on in another way.
cat >bound.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int value;
static int seen;
static void *reader(void *unused) { (void)unused; seen += value; return NULL; }
static void *writer(void *unused) { (void)unused; value++; return NULL; }
int main(int argc, char **argv)
{
	pthread_t thread;
	int times = argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 0; i < (times ? times : 1); i++) {
		if (times) {
			pthread_create(&thread, NULL, reader, NULL);
			pthread_join(thread, NULL);
		}
		pthread_create(&thread, NULL, writer, NULL);
		pthread_join(thread, NULL);
		if (!times) {
			pthread_create(&thread, NULL, reader, NULL);
			pthread_join(thread, NULL);
		}
	}
	printf("%d %d\n", value, times ? 0 : seen);
	return 0;
}
END
"$cc" -O1 -g -pthread bound.c -o bound
ok "trained: one order" timeout 100 "$heddle" train --quiet -- ./bound
is "an order that is always another: the same result" "$(timeout 60 "$heddle" guard --json=bound.json -- ./bound 500 2>err)" "500 0"
ok "it was a violation often" test "$(jq '[.pairs[].seen] | add' bound.json)" -ge 500
ok "and no pair has more than three that were not resolved" test "$(jq '[.pairs[].unresolved] | max' bound.json)" -le 3
ok "nor stalled for long in all" test "$(jq '.stalled_us < 300000' bound.json)" = true

# until_violation END PROGRAM ARGUMENT...: guarded, until a violation ended so, which a busy machine may prevent; prints what the
# last run printed. Its report is in PROGRAM.json, and in err.
until_violation() {
	local end=$1 program=$2 tries
	shift 2
	for ((tries = 0; tries < 100; tries++)); do
		timeout 60 "$heddle" guard --json="$program.json" -- "./$program" "$@" >printed 2>err
		jq -e --arg how "$end" 'any(.violations[]; .end == $how)' "$program.json" >/dev/null && break
	done
	cat printed
}

# A stall does not keep a lock from the thread that would end it.
cat >held.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, late;
static long waited;
static void *publishes(void *unused)
{
	(void)unused;
	if (late)
		usleep(3000);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_mutex_unlock(&mutex);
	return NULL;
}
static void *uses(void *unused)
{
	(void)unused;
	usleep(late ? 0 : 60000);
	pthread_mutex_lock(&mutex);
	waited = ready;
	pthread_mutex_unlock(&mutex);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	(void)argv;
	late = argc > 1;
	pthread_create(&threads[0], NULL, publishes, NULL);
	pthread_create(&threads[1], NULL, uses, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	puts(late || waited ? "done" : "too early");
	return 0;
}
END
"$cc" -O1 -g -pthread held.c -o held
ok "trained: an order under a lock" timeout 100 "$heddle" train --quiet -- ./held
is "held: it ends" "$(until_violation "another waited" held late)" "done"
ok "held: a stall was cut short" jq -e '[.violations[] | select(.end == "another waited")] | length > 0' held.json

# The same for other ways to wait.
for way in "mtx_t mtx_lock mtx_unlock mtx_init(\&mutex,mtx_plain);" "mtx_t mtx_timedlock mtx_unlock mtx_init(\&mutex,mtx_plain);" \
	"pthread_mutex_t pthread_mutex_timedlock pthread_mutex_unlock ;" \
	"pthread_rwlock_t pthread_rwlock_timedwrlock pthread_rwlock_unlock ;"; do
	read -r type lock unlock init <<<"$way"
	sed "s/^static pthread_mutex_t mutex.*/#include <threads.h>\nstatic $type mutex; static const struct timespec until = { 2000000000, 0 };/
		s/pthread_mutex_lock(&mutex)/$lock(\&mutex$(case $lock in *timed*) echo ', \&until' ;; esac))/
		s/pthread_mutex_unlock/$unlock/; s/(void)argv;/(void)argv; $init/" held.c >other.c
	"$cc" -O1 -g -pthread other.c -o other || fail "other.c compiles with $lock"
	"$heddle" train --quiet --fresh -- ./other >out 2>&1
	is "$lock: it ends" "$(until_violation "another waited" other late)" "done"
	like "$lock: a stall was cut short" "$(jq -r '.violations[].end' other.json)" "another waited"
done

# What a stall looks at and writes is not where the program would feel it: the owner of a lock that a thread of the parent waited for, when the
# forked child has unmapped it; the alternate stack of a signal handler, with nothing below it.
cat >frail.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static int late, value, seen;
static char *alternate;
static pthread_mutex_t *mutex;
static void see(int number) { (void)number; seen += value; }
static void *waits(void *unused) { pthread_mutex_lock(mutex); pthread_mutex_unlock(mutex); return unused; }
static void *reads(void *unused)
{
	sigaltstack(&(stack_t){ .ss_sp = alternate, .ss_size = 8192 }, NULL);
	usleep(late ? 0 : 50000);
	raise(SIGUSR1);
	return unused;
}
static void *writes(void *unused) { usleep(late ? 20000 : 0); value++; return unused; }
static void both(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, writes, NULL);
	pthread_create(&threads[1], NULL, reads, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}
int main(int argc, char **argv)
{
	char *area = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;
	pthread_t waiting;
	(void)argv;
	late = argc > 1;
	mprotect(area, 8192, PROT_NONE);
	alternate = area + 8192;
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = see, .sa_flags = SA_ONSTACK }, NULL);
	mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_mutex_init(mutex, NULL);
	pthread_mutex_lock(mutex);
	pthread_create(&waiting, NULL, waits, NULL);
	usleep(10000);
	pid_t child = fork();
	if (!child) {
		munmap(mutex, 4096);
		both();
		_exit(value);
	}
	waitpid(child, &status, 0);
	pthread_mutex_unlock(mutex);
	pthread_join(waiting, NULL);
	printf("%d\n", status);
	return 0;
}
END
"$cc" -O1 -g -pthread frail.c -o frail
ok "trained: a forked child, an alternate stack" timeout 100 "$heddle" train --quiet -- ./frail
is "frail: it goes on" "$(timeout 60 "$heddle" guard --json=frail.json -- ./frail late 2>err)" "256"
ok "frail: it had stalled" jq -e '[.pairs[].unresolved] | add > 0' frail.json

# An allocator that cannot say how large its blocks are: libc's function would read something else.
cat >allocator.c <<'END'
#include <stddef.h>
#include <string.h>
static char pool[1 << 24] __attribute__((aligned(64)));
static size_t used;
void *malloc(size_t size) { return pool + __atomic_fetch_add(&used, (size + 63) & ~63ul, __ATOMIC_RELAXED); }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void free(void *block) { (void)block; }
void *realloc(void *block, size_t size) { void *new = malloc(size); return block ? memcpy(new, block, size) : new; }
END
cat >frees.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	memset(malloc(64), 15, 64);
	free(malloc(64));
	memset(malloc(64), 16, 64);
	free(malloc(64));
	puts("freed");
	return 0;
}
END
gcc -O1 -fPIC -shared -fno-builtin allocator.c -o liballocator.so
"$cc" -O1 -g -fno-builtin frees.c -L. -lallocator -Wl,-rpath,"$work" -o frees
is "another allocator: plain" "$(./frees)" "freed"
is "another allocator: guarded" "$(timeout 20 "$tool/guard_all" all ./frees)" "freed"
ok "another allocator: trained" timeout 60 "$heddle" train --quiet --runs 2 --hang 5 -- ./frees

# Memory that is unmapped: what comes to its place follows nothing. What mremap leaves where it is, follows what it followed.
cat >unmaps.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static int *cells;
static void map(void)
{
	cells = mmap((void *)0x300000000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (cells != (void *)0x300000000000)
		abort();
}
static void *first(void *unused) { cells[1] = 1; return unused; }
static void *again(void *unused) { return cells[1] == 1 ? &cells : unused; }
static void run(void *(*routine)(void *))
{
	pthread_t thread;
	pthread_create(&thread, NULL, routine, NULL);
	pthread_join(thread, NULL);
}
int main(int argc, char **argv)
{
	int moves = argc > 1 && strcmp(argv[1], "moves") == 0;
	map();
	run(first);
	if (argc > 1 && strcmp(argv[1], "stays") == 0) {
		if (mremap(cells, 4096, 8192, 0) != cells || mremap(cells, 8192, 4096, MREMAP_MAYMOVE) != cells)
			abort();
		run(again);
		return 0;
	}
	if (moves ? mremap(cells, 4096, 8192, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)0x310000000000) == MAP_FAILED : munmap(cells, 4096))
		abort();
	map();
	run(again);
	return 0;
}
END
"$cc" -O1 -g -pthread unmaps.c -o unmaps || fail "built: unmaps"
for how in "unmaps []" "moves []" "stays [13]"; do
	read -r how lines <<<"$how"
	ok "$how: trained" timeout 60 "$heddle" train --quiet --fresh --native --runs 3 -- ./unmaps $how
	is "$how: what comes before" "$(jq -c '.places as $places | [.histories[] | select($places[.place - 1] | .line == 14 and .variable == "cells[]") | [.after[] | $places[. - 1].line]]' \
		.heddle/training/unmaps)" "[$lines]"
done

# A seccomp filter that ends the program for a call of the runtime: it is reported.
cat >filters.c <<'END'
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
static int word;
static void *write_it(void *argument) { word += 2; return argument; }
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };
	pthread_t thread;
	(void)argv;
	if (argc > 1 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))
		abort();
	word = 1;
	pthread_create(&thread, NULL, write_it, NULL);
	pthread_join(thread, NULL);
	return word == 3 ? 0 : 1;
}
END
"$cc" -O1 -g -pthread filters.c -o filters || fail "built: filters"
ok "a seccomp filter: plain" ./filters on
ok "a seccomp filter: trained without" timeout 60 "$heddle" train --quiet -- ./filters
{ timeout 60 "$heddle" guard -- ./filters on; } >out 2>err
is "a seccomp filter: the status is the program's" "$?" 159
like "a seccomp filter: it is reported" "$(cat err)" '^heddle: the program was ended by SIGSYS: its seccomp filter may forbid'
timeout 60 "$heddle" train --native --runs 2 --fresh -- ./filters on >out 2>err
is "a seccomp filter: nothing can be learned" "$?" 3
like "a seccomp filter: training says why" "$(cat err)" 'signal 31 \(SIGSYS\): a seccomp filter of the program may forbid'

# A violation has the calls that led to it.
cat >deep.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int *volatile config; static int late;
static __attribute__((noinline)) int read_config(int n) { int *c = config; return c ? *c + n : -1; }
static __attribute__((noinline)) int handle(int n) { return read_config(n) * 2; }
static __attribute__((noinline)) int serve(int n) { return handle(n) + 1; }
static void *use(void *a) { usleep(late ? 1000 : 5000); if (serve(1) < 0) { puts("BUG"); exit(1); } return a; }
static void *init(void *a) { if (late) usleep(4000); int *c = malloc(4); *c = 5; config = c; return a; }
int main(int c, char **v) { (void)v; late = c > 1; pthread_t t[2]; pthread_create(t,0,init,0); pthread_create(t+1,0,use,0); pthread_join(t[0],0); pthread_join(t[1],0); puts("fine"); return 0; }
END
"$cc" -O2 -g -pthread deep.c -o deep
ok "trained: an order, deep in calls" timeout 100 "$heddle" train --quiet -- ./deep
is "deep: right when guarded" "$(until_violation resolved deep late)" "fine"
is "deep: its callers" "$(jq -c '[.violations[0].callers[] | "\(.function):\(.line)"]' deep.json)" '["handle:7","serve:8","use:9"]'
is "deep: the same for people" "$(sed -n 's/^ *called from //p' err | tr '\n' ' ')" "handle (deep.c:7) serve (deep.c:8) use (deep.c:9) "

# Handlers that leave accesses and stalls by siglongjmp, and what comes behind is guarded all the same.
cat >jump.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
/* A handler leaves accesses, and stalls, by siglongjmp, again and again. */
static sigjmp_buf back;
static volatile sig_atomic_t is_armed, jumps;
static int *volatile config;
static int counts[64];
static void leave(int number)
{
	(void)number;
	if (is_armed) {
		is_armed = 0;
		jumps++;
		siglongjmp(back, 1);
	}
}
static __attribute__((noinline)) void deep(int depth)
{
	counts[depth % 64]++;
	if (depth)
		deep(depth - 1);
	counts[(depth + 1) % 64]++;
}
static void *init(void *late)
{
	usleep(late ? 4000 : 0);
	int *made = malloc(4);
	*made = 5;
	config = made;
	for (int i = 0; i < 64; i++)
		counts[i]++;
	return NULL;
}
static void *use(void *late)
{
	usleep(late ? 1000 : 8000);
	int *seen = config;
	return seen ? NULL : (void *)1;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *wrong;
	struct itimerval every = { { 0, 700 }, { 0, 700 } }, never = { { 0, 0 }, { 0, 0 } };
	(void)argv;
	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &every, NULL);
	while (jumps < 200) {
		if (!sigsetjmp(back, 1)) {
			is_armed = 1;
			for (int i = 0; i < 1000000; i++)
				deep(20);
			is_armed = 0;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	pthread_create(&threads[0], NULL, init, argc > 1 ? &wrong : NULL);
	pthread_create(&threads[1], NULL, use, argc > 1 ? &wrong : NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], &wrong);
	puts(wrong ? "too early" : "fine");
	return wrong ? 1 : 0;
}
END
"$cc" -O1 -g -pthread jump.c -o jump
is "siglongjmp: plain" "$(./jump)" "fine"
for set in all none; do
	is "siglongjmp: each site guarded, $set" "$(timeout 120 "$tool/guard_all" $set ./jump 2>&1)" "fine"
done
ok "siglongjmp: trained" timeout 200 "$heddle" train --quiet --runs 12 -- ./jump
is "siglongjmp: guarded" "$(until_violation resolved jump late)" "fine"

# Damaged files: the program runs, unguarded, and one line says why; never anything else.
"$tool/guard_all" all ./bound 3 >out 2>err
is "an undamaged file" "$(cat out err)" "3 0"
wrong=
for at in $(seq 0 4 96) -1 -20 -80 -4000; do
	HEDDLE_GUARD_DAMAGE=$work/damaged:$at timeout 20 "$tool/guard_all" all ./bound 3 >out 2>err || wrong+="$at: status $?"$'\n'
	[ "$(cat out)" = "3 0" ] || wrong+="$at: $(cat out)"$'\n'
	[ "$(wc -l <err)" -le 1 ] || wrong+="$at: $(cat err)"$'\n'
done
is "damaged files" "$wrong" ""
HEDDLE_GUARD_DAMAGE=$work/damaged:0 "$tool/guard_all" all ./bound 3 >out 2>err
like "it is reported" "$(cat err)" '^heddle: off: the file of guarded sites cannot be used: .*; the program continues unobserved$'
is "a file that is not there" "$(HEDDLE=guard HEDDLE_OPTIONS=guard=/nowhere:guard-log=/nowhere LD_PRELOAD=$HEDDLE_RUNTIME ./bound 3 2>/dev/null)" "3 0"
is "the same, training" "$(HEDDLE=train HEDDLE_OPTIONS=train=/nowhere LD_PRELOAD=$HEDDLE_RUNTIME ./bound 3 2>/dev/null)" "3 0"
done_testing
