#!/bin/bash
# heddle test --suppressions: which findings are silenced by which lines, the same ones as in ThreadSanitizer where that has
# such a type; what is said of them and of lines that are not used.
. tests/lib/tap.sh
. tests/lib/cc.sh

# built NAME.EXTENSION FLAGS...: ./NAME is woven, ./NAME-tsan is for ThreadSanitizer
built() {
	local file=$1 ours=$cc theirs=$clang
	shift
	case $file in *.cc) ours=$cxx theirs=$clangxx ;; esac
	"$ours" -O0 -g -pthread "$file" "$@" -o "${file%.*}" 2>&1 &&
		"$theirs" -fsanitize=thread -O0 -g -pthread "$file" "$@" -o "${file%.*}-tsan" 2>&1 || fail "$file is built"
}

# tested LINES OPTIONS... -- PROG: $said, $errors, $code and $json are what comes of a test with these suppressions
tested() {
	printf "$1" >lines
	shift
	json=$work/found.json
	said=$(timeout -s KILL 120 "$heddle" test --classify no --suppressions lines --json "$json" "$@" 2>"$work/errors" </dev/null)
	code=$?
	errors=$(cat "$work/errors")
}

# told: the kinds of what was not suppressed
told() {
	jq -r '[.findings[] | select(.suppressed | not) | .kind] | unique | join(" ")' "$json"
}

# tsan LINES PROG ARGS...: heard or silent
tsan() {
	printf "$1" >lines-tsan
	shift
	TSAN_OPTIONS="suppressions=lines-tsan:exitcode=66:detect_deadlocks=1" setarch -R timeout -s KILL 60 "$@" >said-tsan 2>&1
	local status=$?
	grep -q 'SUMMARY: ThreadSanitizer' said-tsan && [ $status = 66 ] && echo heard && return
	[ $status = 0 ] && echo silent && return
	echo "exit $status: $(head -n 3 said-tsan)"
}
has_tsan=

# alike NAME LINES WANT PROG ARGS...: heard or silent, here and there
alike() {
	local name="$1: $(printf "$2" | head -n 1)" lines=$2 want=$3 program=$4 got=silent
	shift 4
	tested "$lines" --runs 10 --output ignore --quiet -- "$program" "$@"
	[ $code = 0 ] || got=heard
	[ $code -le 1 ] || got="exit $code: $errors"
	is "$name: $want" "$got" "$want"
	if [ "$has_tsan" ]; then
		is "$name: $want in ThreadSanitizer, too" "$(tsan "$lines" "$program-tsan" "$@")" "$want"
	else
		skip "$name: $want in ThreadSanitizer, too" "it does not run here"
	fi
}

cat >race.c <<'END'
#include <pthread.h>
struct { int head, tail; } queue;
static void bump(int *number)
{
	++*number;
}
static void left(void)
{
	bump(&queue.tail);
}
static void right(void)
{
	queue.tail++;
}
static void *work_left(void *argument)
{
	left();
	return argument;
}
static void *work_right(void *argument)
{
	right();
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work_left, NULL);
	pthread_create(&b, NULL, work_right, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
built race.c
[ "$(tsan '' ./race-tsan)" = heard ] && has_tsan=1

# Both stacks, all of their calls, files, modules, variables.
alike race '' heard ./race
alike race '# nothing\n\n' heard ./race
for pattern in bump work_left '^right$' race.c "^$work/*.c$" '^queue$' '*' ''; do
	alike race "race:$pattern\n" silent ./race
done
for pattern in main pthread_create race.h '^queue.tail$' '^ump' 'bum$' libc.so __heddle; do
	alike race "race:$pattern\n" heard ./race
done
alike race 'race:b*p$\n' silent ./race
alike race '  race:bump \t\r\n' silent ./race
alike race 'race_top:bump\n' silent ./race
alike race 'race_top:right\n' silent ./race
alike race 'race_top:work_left\n' heard ./race
for type in thread mutex signal deadlock; do
	alike race "$type:*\n" heard ./race
done
alike race 'called_from_lib:/race\n' heard ./race

# C++ names, as people write them; and, here only, as the linker does.
cat >names.cc <<'END'
#include <thread>
namespace app {
static long total;
template <typename T> struct box {
	void add(T value) { total += value; }
};
}
int main()
{
	app::box<int> ints;
	std::thread a([&] { ints.add(1); }), b([&] { ints.add(2); });
	a.join();
	b.join();
	return 0;
}
END
built names.cc
alike names 'race:^app::box<int>::add(int)$\n' silent ./names
alike names 'race:app::total\n' silent ./names
alike names 'race:box<long>\n' heard ./names
tested 'race:^_ZN3app3boxIiE3addEi$\n' --runs 10 --quiet -- ./names
is "names: the linker's name" "$code" 0

# A use after a free has both stacks, the allocation has none.
cat >free.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void release(void)
{
	pthread_mutex_lock(&lock);
	free(block);
	pthread_mutex_unlock(&lock);
}
static void use(void)
{
	pthread_mutex_lock(&lock);
	*block = 1;
	pthread_mutex_unlock(&lock);
}
static void make(void)
{
	block = malloc(4);
}
static void *work(void *argument)
{
	release();
	return argument;
}
int main(void)
{
	pthread_t a;
	make();
	pthread_create(&a, NULL, work, NULL);
	pthread_join(a, NULL);
	use();
	return 0;
}
END
built free.c
for pattern in use release main; do
	alike "use after free" "race:^$pattern$\n" silent ./free
done
alike "use after free" 'race:free$\n' silent ./free
for pattern in make malloc block; do
	alike "use after free" "race:^$pattern$\n" heard ./free
done
tested 'variable:block\n' --runs 5 --quiet -- ./free
is "use after free: the variable, as it is told" "$code" 0

# Locks. What ThreadSanitizer tells as an order of locks may be a deadlock here.
cat >locks.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int is_over;
static void take(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}
static void *forwards(void *argument)
{
	take(&one, &two);
	pthread_mutex_lock(&gate);
	is_over = 1;
	pthread_mutex_unlock(&gate);
	return argument;
}
static void *backwards(void *argument)
{
	for (int go = argument != NULL; !go;) {
		pthread_mutex_lock(&gate);
		go = is_over;
		pthread_mutex_unlock(&gate);
	}
	take(&two, &one);
	return argument;
}
int main(int count, char **words)
{
	pthread_t a, b;
	pthread_create(&a, NULL, forwards, NULL);
	pthread_create(&b, NULL, backwards, count > 1 ? words : NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
built locks.c
tested '' --runs 10 --quiet -- ./locks
is "lock order: it is one" "$(told)" lock-order
for pattern in take forwards backwards locks.c; do
	alike "lock order" "deadlock:$pattern\n" silent ./locks
done
for line in deadlock:main race:take mutex:take; do
	alike "lock order" "$line\n" heard ./locks
done
tested '' --runs 20 --quiet -- ./locks now
is "deadlock: it is one" "$(told)" deadlock
for pattern in take forwards backwards locks.c '^pthread_mutex_lock$'; do
	tested "deadlock:$pattern\n" --runs 20 --quiet -- ./locks now
	is "deadlock: deadlock:$pattern: silent" "$code" 0
done
for line in deadlock:main deadlock:libc.so mutex:take race:take; do
	tested "$line\n" --runs 20 --quiet -- ./locks now
	is "deadlock: $line: heard" "$(told)" deadlock
done

cat >relock.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void again(void)
{
	pthread_mutex_lock(&lock);
}
int main(void)
{
	pthread_mutex_lock(&lock);
	again();
	return 0;
}
END
"$cc" -O0 -g -pthread relock.c -o relock 2>&1
for line in mutex:again mutex:main deadlock:again; do
	tested "$line\n" --runs 2 --quiet -- ./relock
	is "a thread that locks what it has: $line: silent" "$code" 0
done
tested 'mutex:other\n' --runs 2 --quiet -- ./relock
is "a thread that locks what it has: mutex:other: heard" "$(told)" deadlock

# A library that is not woven calls the system: that, and what the system calls for it.
cat >part-library.c <<'END'
#include <stdlib.h>
void library_sort(int *numbers, unsigned long count, int (*compare)(const void *, const void *));
void library_free(void *block);
void library_call(void (*function)(void));
void library_sort(int *numbers, unsigned long count, int (*compare)(const void *, const void *))
{
	qsort(numbers, count, sizeof *numbers, compare);
	__asm__ volatile("");
}
void library_free(void *block)
{
	free(block);
	__asm__ volatile("");
}
void library_call(void (*function)(void))
{
	function();
	__asm__ volatile("");
}
END
cat >library.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
void library_sort(int *numbers, unsigned long count, int (*compare)(const void *, const void *));
void library_free(void *block);
void library_call(void (*function)(void));
static int compared, called, *block;
static const char *what;
static int compare(const void *a, const void *b)
{
	compared++;
	return *(const int *)a - *(const int *)b;
}
static void call(void)
{
	called++;
}
static void *work(void *argument)
{
	int numbers[] = { 3, 1, 2 };
	if (strcmp(what, "sort") == 0)
		library_sort(numbers, 3, compare);
	else if (strcmp(what, "call") == 0)
		library_call(call);
	else if (argument)
		library_free(block);
	else
		block[0] = 1;
	return NULL;
}
int main(int count, char **words)
{
	pthread_t a, b;
	what = words[count - 1];
	block = malloc(4);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, &what);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
gcc -O1 -g -shared -fPIC part-library.c -o libpart.so && built library.c -L. -lpart -Wl,-rpath,"$work"
for what in sort free; do
	alike "library, $what" 'called_from_lib:libpart.so\n' silent ./library $what
	alike "library, $what" 'called_from_lib:libother.so\n' heard ./library $what
done
alike "library, call" 'called_from_lib:libpart.so\n' heard ./library call

# What else names findings: ids, names, kinds, consequences, variables.
tested '' --runs 10 --quiet -- ./race
name=$(jq -r '.findings[0].name' "$json")
is "own types: what is found" "$(told)" data-race
for line in id:H1 "id:$name" kind:data-race 'variable:^queue.tail$' variable:queue; do
	rm -rf .heddle
	tested "$line\n" --runs 10 --quiet -- ./race
	is "own types: ${line%%[:-]*}: silent" "$code $said" "0 "
done
for line in id:H2 id:data-race-00000000 kind:deadlock kind:memory-error consequence:crash variable:head; do
	rm -rf .heddle
	tested "$line\n" --runs 10 --quiet -- ./race
	is "own types: $line: heard" "$code" 1
done
cat >crash.c <<'END'
#include <assert.h>
#include <stdlib.h>
int main(int count, char **words)
{
	(void)words;
	assert(count != 2);
	return count == 3 ? 7 : 0;
}
END
"$cc" -O0 -g crash.c -o crash 2>&1
rm -rf .heddle
tested 'consequence:assertion\n' --runs 2 -- ./crash 1
is "own types: a consequence" "$code" 0
rm -rf .heddle
tested 'consequence:bad-exit\nkind:assertion\nkind:bad-exit\n' --runs 2 -- ./crash 1 2
is "own types: a kind" "$code" 0
like "two lines for one finding: the first one has it" "$said" '^1 finding suppressed by lines:1 \(consequence:bad-exit\): H1$'
is "two lines for one finding: both are used" "$errors" "heddle: warning: unused suppression lines:2 (kind:assertion)"

# What is said.
rm -rf .heddle
tested 'race:bump\n\nrace:none\nsignal:*\n' --runs 10 -- ./race
is "said: the exit status" "$code" 0
like "said: what is suppressed is counted" "$said" '; nothing found, 1 suppressed'
like "said: what is suppressed is named" "$said" '^1 finding suppressed by lines:1 \(race:bump\): H1$'
unlike "said: and not told" "$said" 'data race on'
is "said: what is not used, with the reason if it never is" "$errors" "heddle: warning: unused suppression lines:3 (race:none)
heddle: warning: unused suppression lines:4 (signal:*): Heddle has no findings of this type"
is "said: JSON: the finding" "$(jq -c '[.findings[] | .id, .suppressed, .suppression]' "$json")" \
	'["H1",true,{"file":"lines","line":1,"text":"race:bump","matched":1}]'
is "said: JSON: all lines" "$(jq -c '[.suppressions[] | .line, .matched]' "$json")" '[1,1,3,0,4,0]'
tested 'race:none\n' --runs 10 --quiet -- ./race
is "said: --quiet says nothing of unused ones" "$errors" ""
is "said: JSON: a finding that is not suppressed" "$(jq -c '[.findings[0] | .suppressed, .suppression]' "$json")" '[false,null]'
tested 'race:bump\n' --runs 10 --stop -- ./race
is "said: --stop does not stop for it" "$(jq .schedules "$json")" 10
said=$(timeout -s KILL 60 "$heddle" test --classify no --suppressions lines --runs 5 --json - -- ./race 2>/dev/null | jq -c '[.findings[].suppressed]')
is "said: JSON to the standard output" "$said" '[true]'

# Several files, the environment.
echo "race:none" >first && echo "race:bump" >second
said=$(timeout -s KILL 60 "$heddle" test --classify no --runs 5 --suppressions first --suppressions=second -- ./race 2>"$work/errors")
is "two files" "$? $(cat "$work/errors")" "0 heddle: warning: unused suppression first:1 (race:none)"
like "two files: the line is named" "$said" 'suppressed by second:1 '
is "HEDDLE_SUPPRESSIONS" "$(HEDDLE_SUPPRESSIONS=second status "$heddle" test --classify no --runs 5 -- ./race)" 0
is "HEDDLE_SUPPRESSIONS: options come first" \
	"$(HEDDLE_SUPPRESSIONS=second status "$heddle" test --classify no --runs 5 --suppressions first -- ./race)" 1
is "HEDDLE_SUPPRESSIONS: empty is none" "$(HEDDLE_SUPPRESSIONS='' status "$heddle" test --classify no --runs 5 -- ./race)" 1

# What is wrong is wrong before anything runs.
# wrong NAME FILE WANT
wrong() {
	local got status
	got=$(timeout -s KILL 60 "$heddle" test --classify no --runs 5 --suppressions "$2" -- ./race 2>&1)
	status=$?
	is "wrong: $1: exit status" "$status" 2
	like "wrong: $1: said" "$got" "^heddle: error: $3"
}
rm -rf .heddle
wrong "no file" none 'cannot read the suppressions "none": No such file'
wrong "a folder" . 'cannot read the suppressions ".": Is a directory'
printf 'race:a\r\n\r\nrcae:b\r\n' >bad
wrong "a type" bad 'bad:3: unknown type of suppression "rcae"$'
like "wrong: a type: what was meant" "$("$heddle" test --classify no --suppressions bad -- ./race 2>&1)" 'hint: did you mean race\?'
printf 'kind:race\n' >bad
wrong "a kind" bad 'bad:1: unknown kind of finding "race"$'
head -c 4096 "$heddle" >bad
wrong "a program" bad 'bad:1: '
printf '\xff\xfe\x00r\x00a' >bad
wrong "garbage" bad 'bad:1: line with a zero byte'
ok "wrong: nothing was run" [ ! -e .heddle ]

# The places of a finding say less than its calls: what is suppressed on one way is told on another.
cat >ways.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static int shared;
static atomic_int turn;
static void bump(void)
{
	shared++;
}
static void known_way(void)
{
	bump();
}
static void other_way(void)
{
	bump();
}
static void *work(void *argument)
{
	if (atomic_fetch_add(&turn, 1) < 2 && argument)
		known_way();
	else
		other_way();
	return NULL;
}
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, i < 2 ? &shared : NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -O0 -g -pthread ways.c -o ways 2>&1
tested 'race:known_way\n' --runs 50 -- ./ways
is "another way to the same places: it is told" "$code $(told)" "1 data-race"
unlike "another way to the same places: and the known one is not in it" \
	"$(jq -r '.findings[] | select(.suppressed | not) | .details' "$json")" known_way
tested 'race:known_way\nrace:other_way\n' --runs 50 -- ./ways
is "another way to the same places: suppressed, too" "$code" 0
is "another way to the same places: then it is one finding" "$(jq '.findings | length' "$json")" 1

# heddle run --detect.
printf 'race:work_left\n' >lines
said=$(timeout -s KILL 60 "$heddle" run --detect --suppressions lines -- ./race 2>&1)
is "run: suppressed" "$said" "heddle: 1 finding suppressed by lines:1 (race:work_left)"
printf 'race:none\n' >lines
said=$(timeout -s KILL 60 "$heddle" run --detect --suppressions lines -- ./race 2>&1)
like "run: heard" "$said" '^heddle: data race on queue.tail'
like "run: unused" "$said" '^heddle: warning: unused suppression lines:1 \(race:none\)$'
printf 'race:bump\n' >lines
said=$(timeout -s KILL 60 "$heddle" run --runs 5 --detect --suppressions lines -- ./race 2>&1)
is "run --runs: suppressed" "$? $(printf '%s\n' "$said" | tail -n 1)" "0 1 finding suppressed by lines:1 (race:bump)"
is "run: a wrong file" "$(status "$heddle" run --detect --suppressions none -- ./race)" 2
is "run: nothing to suppress" "$(status "$heddle" run --suppressions lines -- ./race)" 2
is_clean "nothing is left in TMPDIR"
done_testing
