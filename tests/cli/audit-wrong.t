#!/bin/bash
# Proofs that are wrong because the program breaks what the analysis assumes: heddle-cc leaves the access out, and the audit
# finds the race all the same, with stacks and a replay, and says what had been proved: which lock, if it was one.
. tests/lib/tap.sh
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
limit="timeout -s KILL 120"
cp "$root/tests/cli/audit/wrong.c" .

cat >held.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
static void *lock;
void learn(const char *address) { sscanf(address, "%p", &lock); }
void release(void) { pthread_mutex_unlock(lock); }
void take(void) { pthread_mutex_lock(lock); }
EOF
gcc -shared -fPIC held.c -o libheld.so || fail "a library that is not woven is built"

line() {
	grep -n "// proved:.*\<$1\>" wrong.c | cut -d: -f1
}

# wrong MACRO LEVEL PROOF LOCKS SENTENCE
wrong() {
	what="$1, --heddle-prove=$2"
	at=$(line "$1")
	library=
	case $1 in *RELEASED) library="-L. -lheld -Wl,-rpath,$PWD" ;; esac
	# shellcheck disable=SC2086
	ok "$what: is built" "$cc" -O1 -g -pthread -w -D"$1" --heddle-prove="$2" wrong.c $library -o wrong
	is "$what: the write at line $at is proved" \
		"$("$heddle" sites --json ./wrong | jq -r ".sites[] | select(.line == $at and .access == \"write\") | (.flags | index(\"proved\") != null)" | sort -u)" true
	rm -rf .heddle
	$limit "$heddle" test --classify no --runs 12 --seed 1 --json json -- ./wrong >said 2>errors </dev/null
	is "$what: the race is found" "$?" 1
	is "$what: all findings are races with that line" "$(jq -r '.findings[] | .kind + " " + ([.sites[].line == '"$at"'] | any | tostring)' json | sort -u)" "data-race true"
	is "$what: what was proved" "$(jq -r ".findings[0].sites[] | select(.line == $at) | .proof" json | sort -u)" "$3"
	is "$what: the locks of the proof" "$(jq -r ".findings[0].sites[] | select(.line == $at) | .proof_locks" json | sort -u)" "$4"
	ok "$what: the sentence" grep -qF "proved that nothing races with the access at wrong.c:$at ($5): the proof is wrong" said
	ok "$what: both stacks are there" test "$(grep -cE '^  thread [0-9]+ .* at wrong.c:[0-9]+ in ' said)" -ge 2
	$limit "$heddle" replay H1 >replayed 2>&1 </dev/null
	ok "$what: a replay sees it" grep -q "data race on " replayed
	rm -rf .heddle
	ok "$what: without an audit it is not found" $limit "$heddle" test --classify no --runs 12 --seed 1 --audit-runs 0 -- ./wrong
}

alone="no other thread uses the variable, or none writes to it"
wrong TEXT private private null "$alone"
wrong TEXT heap private null "$alone"
wrong VECTOR private private null "$alone"
wrong BYTES private private null "$alone"
wrong HANDLER private private null "$alone"
wrong DISTANCE private private null "$alone"
wrong INDEX private private null "$alone"
wrong TURNS locked ordered null "threads use it only one after the other"
wrong GUARDED locked locked pool.lock "threads use it only with the lock pool.lock held"
wrong RELEASED locked locked 'box->lock' 'threads use it only with the lock box->lock held'
wrong HEAP heap private null "no other thread uses the block, or none writes to it"
wrong HEAP_RELEASED heap locked 'box->lock' 'threads use it only with the lock box->lock held'

# What the store keeps is what reports of it have; the lock of the proof is in all of them.
"$cc" -O1 -g -pthread -w -DGUARDED wrong.c -o wrong
$limit "$heddle" test --classify no --runs 12 --seed 1 --html now.html --sarif now.sarif -- ./wrong >said 2>errors </dev/null
is "the level that is the default has the race" "$?" 1
ok "the report says what other schedules do not do" grep -q "only the first schedules of a test check proved accesses, and no schedule switches threads at them" said
at=$(line GUARDED)
"$heddle" report --json - >json 2>errors
is "JSON of the store" "$(jq -r ".findings[0].sites[] | select(.line == $at) | .proof + \" \" + .proof_locks" json | sort -u)" "locked pool.lock"
"$heddle" report --html then.html --sarif then.sarif >said 2>&1
for when in now then; do
	for format in html sarif; do
		ok "$when.$format has the lock of the proof" grep -q "only with the lock pool.lock held" $when.$format
	done
	is "$when.sarif has it as a property" "$(jq -r ".runs[0].results[0].properties.proofs[] | .proof + \" \" + .locks" $when.sarif | sort -u)" "locked pool.lock"
done
ok "heddle show has it" sh -c "'$heddle' show H1 | grep -q 'only with the lock pool.lock held'"
is "sites --json has it" "$("$heddle" sites --json ./wrong | jq -r ".sites[] | select(.line == $at) | .locks" | sort -u)" "pool.lock"
done_testing
