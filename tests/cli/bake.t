#!/bin/bash
# heddle guard --bake: a copy of a program that guards itself; what is damaged runs unguarded and says so once; wrong input.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS HEDDLE_STORE HEDDLE HEDDLE_OPTIONS LD_PRELOAD
bake() { timeout -k 2 60 "$heddle" guard --bake "$@" >out 2>err; }
failures() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do "$@" >/dev/null 2>&1 || echo failed; done | wc -l
}
runtime=$(dirname "$heddle")/../lib/heddle/libheddle.so

# Two threads add 1 each; with a nap between the read and the write one addition is lost.
cat >add.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static char zeros[300000];
static int count, nap_us;
static pthread_barrier_t both;
static void *add(void *argument)
{
	pthread_barrier_wait(&both);
	if (argument)
		usleep(nap_us ? 200 : 4000);
	int seen = count;
	if (nap_us)
		usleep(nap_us);
	count = seen + 1;
	return NULL;
}
static int run(void)
{
	pthread_t a, b;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, &count);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s: %d %d\n", getenv("WHO") ? getenv("WHO") : "nobody", count, zeros[sizeof zeros / 2]);
	fflush(stdout);
	return count == 2 ? 0 : 1;
}
int main(int argc, char **argv)
{
	int status = 0;
	nap_us = argc > 1 ? atoi(argv[1]) : 0;
	if (argc < 3)
		return run();
	if (fork() == 0)
		_exit(run());
	wait(&status);
	return WEXITSTATUS(status);
}
END
$cc -O1 -g -pthread add.c -o add || fail "add.c compiles"
ok "trained" timeout -k 2 120 "$heddle" train --quiet -- ./add
ok "baked" bake -o add.guarded -- ./add
like "it says what it guards" "$(cat out)" '^heddle guard: "add\.guarded" guards [1-9][0-9]* places \([1-9][0-9]* checked\) when it is started$'
bare=$(failures ./add 3000)
# On a busy machine the thread that is waited for may not run in time: it may try again.
for _ in 1 2 3; do
	guarded=$(failures ./add.guarded 3000)
	[ "$guarded" -gt 2 ] || break
done
[ "$bare" -ge 5 ] && pass "without guard it fails" || fail "without guard it fails"
[ "$guarded" -le 2 ] && pass "the copy does not" || fail "the copy does not"
diag "$bare of 10 runs fail, $guarded of the copy"
for _ in 1 2 3; do
	forked=$(failures ./add.guarded 3000 fork)
	[ "$forked" -gt 2 ] || break
done
[ "$forked" -le 2 ] && pass "nor does a process that it forks" || fail "nor does a process that it forks"
off=$(HEDDLE=pass failures ./add.guarded 3000)
[ "$off" -ge 5 ] && pass "HEDDLE=pass: it runs unguarded" || fail "HEDDLE=pass: it runs unguarded"
is "its output" "$(WHO=me ./add.guarded 2>&1)" "me: 2 0"
is "its environment has no preloaded library" "$(LD_PRELOAD='' ./add.guarded 2>&1)" "nobody: 2 0"
ok "it can be tested" timeout -k 2 60 "$heddle" run -- ./add.guarded
same "the same permissions" "$(stat -c %a add.guarded)" "$(stat -c %a add)"
ok "the file is sound" bash -c 'readelf -W --all add.guarded >dump 2>complaints && [ ! -s complaints ]'
is "the runtime comes first" "$(readelf -d add.guarded | grep -c NEEDED) $(readelf -d add.guarded | grep -m1 NEEDED | grep -c libheddle)" "2 1"
# Of the table of segments, its place in the file and its address are the same.
same "the table of segments" "$(readelf -lW add.guarded | awk '$1 == "PHDR" { print $2 }')" "$(readelf -lW add.guarded | awk '$1 == "PHDR" { print substr($3, 1, 2) substr($3, length($3) - 5) }')"
# A position that is fixed, and C++.
$cc -O1 -g -pthread -no-pie -fno-pie add.c -o fixed || fail "add.c compiles without -pie"
ok "not position independent: baked" bake --training=.heddle/training/add -o fixed.guarded -- ./fixed
is "and runs" "$(./fixed.guarded 2>&1)" "nobody: 2 0"
for _ in 1 2 3; do
	guarded=$(failures ./fixed.guarded 3000)
	[ "$guarded" -gt 2 ] || break
done
[ "$guarded" -le 2 ] && pass "and is guarded" || fail "and is guarded"
printf '#include <iostream>\n#include <thread>\nint n; int main() { std::thread t([] { n++; }); t.join(); try { throw 1; } catch (int) { std::cout << n << "\\n"; } }\n' >t.cc
$cxx -O1 -g -pthread t.cc -o t || fail "t.cc compiles"
ok "C++: trained" timeout -k 2 120 "$heddle" train --quiet -- ./t
ok "C++: baked" bake -o t.guarded -- ./t
is "C++: it runs, and throws" "$(./t.guarded 2>&1)" 1
# Elsewhere, with the runtime beside it.
mkdir -p away && cp "$runtime" away/
ok "a runtime of its own" bake --runtime='$ORIGIN/libheddle.so' -o away/add -- ./add
is "it is found there" "$(cd / && ldd "$OLDPWD/away/add" | grep -c "away/libheddle.so")" 1
is "and it runs" "$(cd / && "$OLDPWD/away/add" 2>&1)" "nobody: 2 0"

# What is damaged. The last bytes are those of the sets.
size=$(stat -c %s add.guarded)
damage() { # NAME
	out=$(./damaged 2>complaint)
	is "$1: it runs" "$? $out" "0 nobody: 2 0"
	is "$1: it says so once" "$(grep -c '^heddle: the guard data that the program carries' complaint) $(wc -l <complaint)" "1 1"
}
cp add.guarded damaged && printf '\377\377\377' | dd of=damaged bs=1 seek=$((size - 40)) conv=notrunc status=none
damage "changed"
like "changed: why" "$(cat complaint)" 'are damaged: it runs unguarded$'
cp add.guarded damaged && truncate -s $((size - 60)) damaged
damage "shorter than it was"
cp add.guarded damaged && truncate -s $((size / 4096 * 4096)) damaged
damage "cut off before the data"
note=$((size / 4096 * 4096))
cp add.guarded damaged && printf '\011' | dd of=damaged bs=1 seek=$((note + 20)) conv=notrunc status=none
damage "another version"
like "another version: why" "$(cat complaint)" 'made by another version of Heddle: it runs unguarded$'
cp add.guarded damaged && printf '\377\377\377\177' | dd of=damaged bs=1 seek=$((note + 24)) conv=notrunc status=none
damage "a size that is too large"
cp add.guarded damaged && printf 'other build' | dd of=damaged bs=1 seek=$((note + 36)) conv=notrunc status=none
damage "another build"
like "another build: why" "$(cat complaint)" 'are those of another build: it runs unguarded$'

# With the rights of another user the environment has no say.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 . && cp add.guarded secure && chmod 4755 secure
	is "set-user-id: the environment is ignored" "$(HEDDLE=nonsense setpriv --reuid=65534 --clear-groups ./secure 2>&1)" "nobody: 2 0"
	like "without that it is not" "$(HEDDLE=nonsense ./secure 2>&1)" nonsense
else
	skip "set-user-id: the environment is ignored" "needs root and setpriv"
fi

# Wrong use.
bake -- ./add
is "without a name: usage" "$? $(cat err)" "2 heddle: error: --bake requires the program to write: -o FILE"
timeout 20 "$heddle" guard -o x -- ./add >out 2>err
is "-o without --bake: usage" "$? $(cat err)" "2 heddle: error: --out requires --bake"
bake -o x -- ./add 3000
is "arguments: usage" "$? $(cat err)" "2 heddle: error: --bake runs nothing, so the program takes no arguments"
cp add same && cp add.guarded again
bake --training=.heddle/training/add -o ./same -- ./same
like "onto itself" "$? $(cat err)" '^3 heddle: error: "\./same" is the program itself'
ok "which stays" cmp add same
bake --training=.heddle/training/add -o x -- ./again
like "twice" "$? $(cat err)" '^3 heddle: error: ".*again" cannot be extended: it carries such data already'
bake -o nowhere/x -- ./add
like "no folder" "$? $(cat err)" '^3 heddle: error: cannot write'
bake --training=none -o x -- ./add
like "no training data" "$? $(cat err)" '^3 heddle: error: there are no training data'
is "nothing was written" "$(ls x nowhere 2>/dev/null)" ""
done_testing
