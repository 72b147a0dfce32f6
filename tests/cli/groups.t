#!/bin/bash
# Groups: one cause is one group, whatever it shows as, and different causes are different findings, whatever they end in.
. tests/lib/tap.sh
. tests/lib/cc.sh
command -v sqlite3 >/dev/null || skip_all "there is no sqlite3: ./setup build installs it"
unset HEDDLE_STORE HEDDLE_CC_OPTIONS

# tested PROGRAM OPTIONS...: a test in a store of its own: $code, said, PROGRAM.json
tested() {
	local name=$1
	shift
	timeout -s KILL 120 "$heddle" test --store "$name.store" --json "$name.json" "$@" -- "./$name" >said 2>errors </dev/null
	code=$?
}

# groups FILE: how many members each has
groups() {
	jq -r '[.groups[].members | length] | join(" ")' "$1"
}

# One free that comes too early. Readers before it race with it, readers after it use freed memory.
cat >free.c <<'END'
#include <pthread.h>
#include <stdlib.h>

struct node {
	int a, b, c, d, e;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *shared;
static int sink;

static void *reader(void *unused)
{
	struct node *node = shared;
	(void)unused;
	sink += node->a;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	sink += node->b;
	node->c = 3;
	node->d = 4;
	sink += node->e;
	return NULL;
}

static void drop(struct node *node)
{
	free(node);
}

int main(void)
{
	pthread_t thread;
	shared = calloc(1, sizeof *shared);
	pthread_create(&thread, NULL, reader, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	drop(shared);
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O0 -pthread free.c -o free || fail "free.c is built"
tested free --runs 200
is "a bad free: exit status" "$code" 1
kinds=$(jq -r '[.findings[].kind] | unique | join(" ")' free.json)
is "a bad free: races and memory errors" "$kinds" "data-race memory-error"
ok "a bad free: several findings" test "$(jq '.findings | length' free.json)" -ge 5
is "a bad free: one group" "$(jq '.groups | length' free.json)" 1
is "a bad free: all are in it" "$(groups free.json)" "$(jq '.findings | length' free.json)"
is "a bad free: the reason" "$(jq -c '.groups[0].reasons' free.json)" '["same-free"]'
is "a bad free: the race that leads to the memory error is its head" "$(jq -r '.groups[0].head as $head | .findings[] | select(.id == $head) | [.kind, .class] | join(" ")' free.json)" "data-race spec-violated"
same "a bad free: findings say it" "$(jq -r '[.findings[].group] | unique | join(" ")' free.json)" "$(jq -r '.groups[0].id' free.json)"

timeout -s KILL 120 "$heddle" test --store free.text --runs 200 -- ./free >said 2>&1 </dev/null
like "the summary counts groups" "$(cat said)" '[0-9]+ findings in 1 group'
head=$(jq -r '.groups[0].head' free.json)
like "the table: the worst first" "$(sed -n '/^ *seen in/{n;p}' said)" '^ +[0-9]+ +[0-9]+  H[0-9]+ (\([a-z ]+\) )?data race on node->.*: free at free\.c:27, '
is "the table: all others below it" "$(sed -n '/^ *seen in/,$p' said | grep -c 'also shows as: H')" "$(($(jq '.findings | length' free.json) - 1))"
like "members are a line each" "$(cat said)" 'same cause as H[0-9]+: the same free'

"$heddle" list --store free.store >listed
like "list says it" "$(cat listed)" "same cause as $head\)"
is "list --json" "$("$heddle" list --store free.store --json | jq -r '[.findings[].group] | unique | join(" ")')" "$head"
is "the report of the store has the group" "$("$heddle" report --store free.store --brief --json - 2>/dev/null | jq -c '[.groups[].id]')" "[\"$head\"]"

"$heddle" report free.json --sarif free.sarif --junit free.xml --html free.html >/dev/null 2>errors
is "SARIF: one result" "$(jq '.runs[0].results | length' free.sarif)" 1
is "SARIF: the head's fingerprint" "$(jq -r '.runs[0].results[0].partialFingerprints."heddle/v1"' free.sarif)" \
	"$(jq -r --arg head "$head" '.findings[] | select(.id == $head) | .fingerprint' free.json)"
same "SARIF: ids of the members" "$(jq -c '.runs[0].results[0].properties.members | sort' free.sarif)" "$(jq -c '.groups[0].members | sort' free.json)"
is "SARIF: places of the members" "$(jq '[.runs[0].results[0].relatedLocations[].message.text | select(startswith("also shows as H"))] | length' free.sarif)" \
	"$(($(jq '.findings | length' free.json) - 1))"
is "SARIF: related locations have different ids" "$(jq '.runs[0].results[0].relatedLocations | ([.[].id] | unique | length) == length' free.sarif)" true
is "JUnit: one failure" "$(grep -o '<failure' free.xml | wc -l)" 1
is "JUnit: with its members" "$(grep -c '^also shows as: H' free.xml)" "$(($(jq '.findings | length' free.json) - 1))"
ok "HTML: it is written" test -s free.html

# A document in which a group has no head, and two groups have each other's: no finding is lost, and none is in two groups.
jq '.groups = [{ head: "H999", members: ["H1", "H2", 7] }, { head: "H2", members: ["H3"] }, { head: "H3", members: ["H2"] }, 8]' free.json >odd.json
ok "a group without a head is read" "$heddle" report odd.json --sarif odd.sarif
same "and each finding is in one result" "$(jq -c '[.runs[0].results[].properties | .members // [.id] | .[]] | sort' odd.sarif)" "$(jq -c '[.findings[].id] | sort' free.json)"

# One copy races with each access to a member.
{
	printf '#include <pthread.h>\n#include <string.h>\nstruct config { int m[1]'
	for i in $(seq 40); do printf ', m%d' "$i"; done
	printf '; };\nstatic struct config current, next;\nstatic int sum;\nstatic void *reader(void *unused)\n{\n\tint own = 0;\n'
	for i in $(seq 40); do printf '\town += current.m%d;\n' "$i"; done
	printf '\treturn own == 1 ? unused : &sum;\n}\nint main(void)\n{\n\tpthread_t thread;\n\tpthread_create(&thread, NULL, reader, NULL);\n'
	printf '\tmemcpy(&current, &next, sizeof current);\n\tpthread_join(thread, NULL);\n\treturn 0;\n}\n'
} >copy.c
"$cc" -g -O0 -pthread copy.c -o copy || fail "copy.c is built"
tested copy --runs 100
is "a copy: 40 races" "$(jq '.findings | length' copy.json)" 40
is "a copy: one group" "$(groups copy.json)" 40
is "a copy: the reason" "$(jq -c '.groups[0].reasons' copy.json)" '["one-operation"]'

# Two races in one function have nothing to do with each other. Several lines that use one variable have.
cat >two.c <<'END'
#include <pthread.h>

static int one, other, several;

static void *count(void *unused)
{
	one++;
	other++;
	several = 1;
	several = 2;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
"$cc" -g -O0 -pthread two.c -o two || fail "two.c is built"
tested two --runs 200
is "two variables and a third in two lines: groups" "$(jq '.groups | length' two.json)" 3
is "the reason" "$(jq -c '[.groups[].reasons[]] | unique' two.json)" '["same-object"]'
sed -i 's/, several;/;/; /several =/d' two.c
"$cc" -g -O0 -pthread two.c -o two || fail "two.c is built again"
rm -rf two.store
timeout -s KILL 120 "$heddle" test --store two.store --runs 200 -- ./two >said 2>&1 </dev/null
like "no groups: the summary does not speak of them" "$(cat said)" '2 findings(,|$)'
unlike "no groups: nor does the table" "$(cat said)" 'also shows as'

# A race and the failure that only one order of its accesses has.
cp "$root/examples/tickets.c" . && "$cc" -g -O1 -pthread tickets.c -o tickets || fail "tickets.c is built"
tested tickets --runs 200 --classify yes
is "a race and its consequence: one group" "$(jq -c '[.groups[].reasons]' tickets.json)" '[["consequence"]]'
is "a race and its consequence: the race is the head" "$(jq -r '.groups[0].head as $head | .findings[] | select(.id == $head) | .kind' tickets.json)" data-race
rm -rf tickets.store
tested tickets --runs 200 --classify no
is "without the verdict nothing joins them" "$(groups tickets.json)" "1 1"

# Bugs that all end in one abort.
cat >abort.c <<'END'
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state[6];

static void bug(void)
{
	abort();
}

static int look(int number)
{
	pthread_mutex_lock(&lock);
	int seen = state[number];
	pthread_mutex_unlock(&lock);
	return seen;
}

static void set(int number, int value)
{
	pthread_mutex_lock(&lock);
	state[number] = value;
	pthread_mutex_unlock(&lock);
}

static void check_first(void)
{
	if (look(0))
		bug();
}

static void check_pair(void)
{
	if (look(1))
		bug();
	if (look(2))
		bug();
}

static void check(int number)
{
	if (look(number))
		bug();
}

static void *checks(void *unused)
{
	check_first();
	check_pair();
	check(3);
	check(4);
	if (look(5))
		bug();
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, checks, NULL);
	for (int i = 0; i < 6; i++) {
		set(i, 1);
		set(i, 0);
	}
	pthread_join(thread, NULL);
	return 0;
}
END
"$cc" -g -O0 -pthread abort.c -o abort || fail "abort.c is built"
tested abort --runs 600
is "one abort: six findings" "$(jq '.findings | length' abort.json)" 6
is "one abort: six groups" "$(groups abort.json)" "1 1 1 1 1 1"
is "one abort: the same line" "$(jq -r '[.findings[].sites[0] | "\(.file):\(.line)"] | unique | join(" ")' abort.json)" abort.c:9
like "one abort: what tells them apart" "$(jq -r '.findings[].summary' abort.json)" 'abort was called at abort\.c:9 in bug, called at abort\.c:[0-9]+ in check_pair'
tested abort --runs 600 --seed 9
is "another seed: the same six" "$(jq -r '[.findings[] | .id] | sort | join(" ")' abort.json)" "H1 H2 H3 H4 H5 H6"
is "another seed: known" "$(jq -r '[.findings[].standing] | unique | join(" ")' abort.json)" known
sed -i '1i \/\/ a line more' abort.c && "$cc" -g -O0 -pthread abort.c -o abort || fail "abort.c is built again"
tested abort --runs 600
is "lines that move: the same six" "$(jq -r '[.findings[] | .id] | sort | join(" ")' abort.json)" "H1 H2 H3 H4 H5 H6"

# A store of 0.1.0 has one of them, by the fingerprint of the place: the first that is seen is that one, and the others are new.
cp -r abort.store old.store
place=$(sqlite3 old.store/heddle.db 'SELECT place FROM finding WHERE id = 1')
sqlite3 old.store/heddle.db "DELETE FROM finding WHERE id > 1; DELETE FROM sighting WHERE finding > 1; DELETE FROM site WHERE finding > 1;
	UPDATE finding SET fingerprint = '$place', place = NULL; UPDATE sighting SET key = 'abort at bug:abort.c:10';
	DROP TABLE verdict; DROP TABLE mark; ALTER TABLE finding DROP COLUMN place; ALTER TABLE finding DROP COLUMN head; ALTER TABLE finding DROP COLUMN rules; PRAGMA user_version = 9;"
cp -r old.store older.store
timeout -s KILL 120 "$heddle" test --store old.store --runs 600 --json old.json -- ./abort >said 2>&1 </dev/null
is "an old store: six findings" "$(jq '.findings | length' old.json)" 6
is "an old store: the first is the old one" "$(jq -r '[.findings[] | select(.standing == "known") | .id] | join(" ")' old.json)" H1
is "an old store: the others are new" "$(jq -r '[.findings[] | select(.standing == "new")] | length' old.json)" 5
before=$(jq -c '[.findings[] | {id, fingerprint}] | sort_by(.id)' old.json)
timeout -s KILL 120 "$heddle" test --store old.store --runs 600 --seed 9 --json old.json -- ./abort >said 2>&1 </dev/null
is "an old store: a second test says the same" "$(jq -c '[.findings[] | {id, fingerprint}] | sort_by(.id)' old.json)" "$before"
"$heddle" list --store older.store >/dev/null # brings it to today's version
"$heddle" diff older.store old.store >said 2>errors || diag "$(cat errors)"
like "diff knows the old one" "$(cat said)" '^both  H1 '
like "diff: the others are new" "$(cat said)" '^5 new, 0 gone, 0 not tested enough, 1 in both$'
done_testing
