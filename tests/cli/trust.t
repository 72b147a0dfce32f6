#!/bin/bash
# Evidence that somebody else made: show, list and report never run what it names, replay only with --trust, and never with what a
# trace from elsewhere has no reason to have. The loader's auditing interface is how code would get in.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_STORE
cat >audit.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
unsigned la_version(unsigned version)
{
	const char *mark = getenv("AUDIT_MARK");
	if (mark)
		close(open(mark, O_CREAT | O_WRONLY, 0600));
	return version;
}
END
gcc -shared -fPIC audit.c -o audit.so || fail "the audit library is built"
cat >race.c <<'END'
#include <pthread.h>
static volatile int shared;
static void *work(void *argument)
{
	shared++;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	shared++;
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread race.c -o race || fail "the program is built"
mine=$PWD/mine theirs=$PWD/theirs

# Somebody else's store, made with the audit library in the environment; here it is as if it came with a clone or as an artifact.
AUDIT_MARK=$PWD/ran LD_AUDIT=$PWD/audit.so XDG_STATE_HOME=$theirs "$heddle" test --classify no --runs 3 -- ./race >/dev/null 2>&1
is "their test finds the race" $? 1
ok "the audit library was in the run" test -e ran
ok "their key is for its owner only" test "$(stat -c %a theirs/heddle/key)" = 600
export XDG_STATE_HOME=$mine
rm -f ran

got=$("$heddle" list 2>&1)
like "list: the finding" "$got" '^H1 .*data race on shared'
got=$("$heddle" show H1 2>&1)
is "show: exit status" $? 0
like "show: the finding" "$got" 'data race on shared'
like "show: why there is no interleaving" "$got" 'cannot be shown: the trace was not recorded by your Heddle'
unlike "show: no table" "$got" 'the threads, by lines'
got=$("$heddle" report --html page.html --sarif page.sarif 2>&1)
is "report: exit status" $? 0
like "report: a note" "$(cat page.html)" 'without the interleaving: the trace was not recorded by your Heddle'
got=$("$heddle" replay H1 2>&1)
is "replay: exit status" $? 3
like "replay: why not" "$got" 'error: the trace was not recorded by your Heddle'
like "replay: how" "$got" 'hint: .*heddle replay --trust'
got=$("$heddle" replay --columns H1 2>&1)
is "replay --columns: exit status" $? 3
got=$("$heddle" replay --exec H1 2>&1)
is "replay --exec: exit status" $? 3
got=$("$heddle" replay --trust H1 2>&1)
is "replay --trust, with LD_AUDIT in the trace: exit status" $? 3
like "replay --trust, with LD_AUDIT in the trace: message" "$got" 'the trace is from elsewhere and sets "LD_AUDIT='
got=$("$heddle" classify H1 2>&1)
is "classify: exit status" $? 3
like "classify: why not" "$got" 'H1 cannot be classified: the trace was not recorded by your Heddle'
cat >fails.c <<'END'
#include <assert.h>
#include <pthread.h>
static _Atomic int is_done;
static void *work(void *argument)
{
	is_done = 1;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	assert(!is_done);
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O1 -pthread fails.c -o fails || fail "the program that fails is built"
AUDIT_MARK=$PWD/ran LD_AUDIT=$PWD/audit.so XDG_STATE_HOME=$theirs "$heddle" test --classify no --runs 20 --store fails.store -- ./fails >/dev/null 2>&1
is "their test finds the failure" "$? $(ls ran)" "1 ran"
rm -f ran
got=$("$heddle" patch --store fails.store H1 -o copy 2>&1)
is "patch: exit status" $? 3
like "patch: why not" "$got" 'error: the trace was not recorded by your Heddle'
ok "patch: nothing is written" test ! -e copy
ok "nothing of it ran" test ! -e ran

# Without such things, --trust replays it.
XDG_STATE_HOME=$theirs "$heddle" run --detect --trace plain.trace -- ./race >/dev/null 2>&1
got=$("$heddle" replay plain.trace 2>&1)
is "another trace of theirs: exit status" $? 3
got=$("$heddle" replay --trust plain.trace 2>&1)
is "with --trust: exit status" $? 0
like "with --trust: what was found, with stacks" "$got" 'wrote it earlier at race.c:|writes shared at race.c:'
for variable in LD_PRELOAD= LD_LIBRARY_PATH=/tmp GCONV_PATH=. LOCPATH=/tmp; do
	env "$variable" XDG_STATE_HOME="$theirs" "$heddle" run --trace variable.trace -- ./race >/dev/null 2>&1
	is "their trace with $variable, --trust" "$("$heddle" replay --trust variable.trace 2>&1 | grep -c "is from elsewhere and sets \"${variable%%=*}=")" 1
done

# One's own.
"$heddle" run --trace own.trace -- ./race >/dev/null 2>&1
ok "the own trace" "$heddle" replay own.trace
cp own.trace copy.trace
ok "a copy of it" "$heddle" replay copy.trace
rm -rf .heddle
"$heddle" test --classify no --runs 3 -- ./race >/dev/null 2>&1
like "the own finding is shown with its threads" "$("$heddle" show H1 2>&1)" 'the threads, by lines'
at=$(($(stat -c %s own.trace) - 40))
byte=$(od -An -tu1 -j $at -N 1 own.trace)
printf "\\$(printf %o $((byte ^ 1)))" | dd of=own.trace bs=1 seek=$at conv=notrunc 2>/dev/null
got=$("$heddle" replay own.trace 2>&1)
is "an own trace that was changed: exit status" $? 3

# No place for the key: the test still tells everything, and says what does not work later.
got=$(env -u HOME -u XDG_STATE_HOME "$heddle" test --classify no --runs 3 --store other -- ./race 2>&1)
is "no state folder: the test finds the race" $? 1
like "no state folder: stacks" "$got" 'wrote it earlier at race.c:|writes shared at race.c:'
like "no state folder: a note" "$got" 'note: the evidence cannot be signed with your key'

# A home folder that does not exist, as accounts of services have it, is not made.
got=$(env -u XDG_STATE_HOME -u XDG_CACHE_HOME HOME="$PWD/nobody" "$heddle" run --trace nobody.trace -- ./race 2>&1)
is "a home folder that is not there: exit status" $? 0
ok "a home folder that is not there is not made" test ! -e nobody
like "a home folder that is not there: a note" "$got" 'neither XDG_STATE_HOME nor HOME names a directory'

# A woven file whose tables are damaged.
section=$(readelf -SW race | sed -n 's/.* heddle_sites *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
root=$(readelf -sW race | sed -n 's/^.*: *\([0-9a-f]*\) .* __heddle_object$/\1/p')
for at in $((0x$section + 9)) $((0x$section + 30)) $((0x$root + 24)); do
	cp race damaged
	printf '\125' | dd of=damaged bs=1 seek="$at" conv=notrunc 2>/dev/null
	cmp -s race damaged && fail "the byte at $at is another one"
	got=$("$heddle" run -- ./damaged 2>&1)
	is "damaged at $at: run: exit status" $? 3
	like "damaged at $at: run: message" "$got" 'the tables of a woven file are damaged|damaged or cut short'
	got=$("$heddle" test --classify no --runs 3 --store other -- ./damaged 2>&1)
	is "damaged at $at: test: exit status" $? 3
	got=$("$heddle" sites damaged 2>&1)
	is "damaged at $at: sites: exit status" $? 3
	ok "damaged at $at: dormant it runs" ./damaged
done
done_testing
