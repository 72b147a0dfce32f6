#!/bin/bash
# heddle report of what the store has: the same reports as of the test that found it, findings by id, several programs,
# folders to write to, and input that is wrong.
. tests/lib/tap.sh
. tests/lib/cc.sh
for command in sqlite3 xmllint jq; do
	command -v $command >/dev/null || skip_all "there is no $command: ./setup build installs it"
done
unset HEDDLE_STORE
db=.heddle/heddle.db

# report ARGUMENTS...: $said, $errors, $code
report() {
	said=$(timeout -s KILL 60 "$heddle" report "$@" 2>errors </dev/null)
	code=$?
	errors=$(cat errors)
}

# refuses NAME STATUS REGEX ARGUMENTS...
refuses() {
	local name=$1 want=$2 regex=$3
	shift 3
	report "$@"
	is "$name: exit status" "$code" "$want"
	like "$name: said" "$errors" "$regex"
}

cp "$root/tests/lib/counter.c" race.c
"$cc" -g -O1 -pthread race.c -o race
"$cc" -g -O2 -pthread "$root/examples/deadlock.c" -o deadlock
refuses "no store" 3 'there is no store in "\.heddle"' --html page.html
ok "no store: nothing is written" test ! -e page.html
timeout -s KILL 120 "$heddle" test --classify no --runs 40 --quiet --json=race.json --sarif=race.sarif -- ./race >said 2>&1 </dev/null

# As the test itself had it, but for what only one test can tell.
cp race spared
"$heddle" test --classify no --runs 1 --json ./spared ./race >said 2>&1 </dev/null
is "a program that is taken for the file of a report: refused" $? 3
is "it is kept" "$(cmp spared race && echo same)" same
like "it is said" "$(cat said)" '^heddle: error: "\./spared" is a program and is not overwritten by a report$'
rm spared

report --json
is "from the store: exit status" "$code $errors" "0 "
printf '%s\n' "$said" >stored.json
# Numbers of sites are of one build, and are not kept.
same "from the store: the findings are those of the test" "$(jq -S '.findings[] | del(.program)' stored.json)" "$(jq -S '.findings[] | del(.sites[].site)' race.json)"
is "from the store: it has an interleaving" "$(jq '.findings[0].interleaving | length > 3' stored.json)" true
same "one build id everywhere" "$(jq -r .build stored.json race.json | sort -u)" "$(sqlite3 "$db" 'SELECT identity FROM build')"
same "it is the program's own build id" "$(jq -r .build stored.json)" "$(readelf -n race | sed -n 's/.*Build ID: //p')"
same "heddle sites has the same" "$("$heddle" sites --json race | jq -r '[.build, .weave] | @text')" "$(jq -r '[.build, .weave] | @text' race.json)"
is "heddle run --count has the same" "$("$heddle" run --count --json=- -- ./race 2>/dev/null | sed -n '/^{/,$p' | jq -r '.objects[0] | [.build, .weave] | @text')" \
	"$(jq -r '[.build, .weave] | @text' race.json)"
report --sarif=stored.sarif
same "from the store: the results are those of the test" "$(jq -S '.runs[0].results | del(.[].properties.program)' stored.sarif)" "$(jq -S '.runs[0].results | del(.[].properties.program)' race.sarif)"
report --json --brief
is "brief: without interleavings" "$(jq -c '[.findings[] | has("interleaving")] | unique' <<<"$said")" '[false]'

# Several programs
timeout -s KILL 120 "$heddle" test --classify no --runs 60 --quiet -- ./deadlock >said 2>&1 </dev/null
clang-19 -g -pthread race.c -o plain
timeout -s KILL 120 "$heddle" test --classify no --allow-unwoven --runs 12 --quiet -- ./plain >said 2>&1 </dev/null
report --html pages/ --sarif=all.sarif --junit all.xml
is "several programs: exit status" "$code $said$errors" "0 "
ok "several programs: the page is in the folder" test -s pages/index.html
is "several programs: each finding has its own" "$(jq -r '[.runs[0].results[] | .ruleId + " " + .properties.program] | sort | join(", ")' all.sarif)" \
	"data-race race, deadlock deadlock"
is "several programs: a suite each" "$(xmllint --xpath '//testsuite/@name' all.xml | sort | paste -sd ' ' | tr -s ' ')" ' name="deadlock" name="plain" name="race"'
is "several programs: what failed" "$(xmllint --xpath '//testcase[failure]/@classname | //testcase[failure]/@name' all.xml | paste -sd ' ' | tr -s ' ')" \
	' classname="heddle.deadlock" name="deadlock" classname="heddle.race" name="data-race"'
is "several programs: what could not be seen" "$(xmllint --xpath '//testcase[skipped]/@classname' all.xml | sort -u | tr -d ' ')" 'classname="heddle.plain"'
like "several programs: sums" "$(xmllint --xpath 'string(/testsuites/@failures)' all.xml)" '^2$'

# By id
race=$(jq -r '.runs[0].results[] | select(.ruleId == "data-race").properties.id' all.sarif)
stuck=$(jq -r '.runs[0].results[] | select(.ruleId == "deadlock").properties.id' all.sarif)
report "$stuck" --json
is "by id" "$(jq -r '[.findings[].id] | join(" ")' <<<"$said")" "$stuck"
report --json "$race" "$stuck" "$race"
is "by ids: each once" "$(jq -r '[.findings[].id] | join(" ")' <<<"$said")" "$race $stuck"
refuses "an id that is not there" 3 'there is no finding H999' H999 --json
refuses "an id and a file" 2 '"race\.json" is not the id of a finding' H1 race.json --html=x.html
refuses "a file and --store" 2 '--store, --all and --brief apply to findings of the store' race.json --store .heddle --html=x.html
refuses "a file and --json" 2 '--json applies to findings of the store' race.json --json=x.json
refuses "ids and --all" 2 '--all cannot be combined' H1 --all --json
refuses "no report" 2 'requires at least one of --html, --sarif, --junit and --json' H1
refuses "two to the standard output" 2 'only one report' --json --sarif
refuses "no name" 2 '--json= requires a file name' --json=
ok "nothing was written" test ! -e x.html -a ! -e x.json

# States
printf 'id:%s\n' "$race" >unwanted
timeout -s KILL 120 "$heddle" test --classify no --runs 5 --quiet --suppressions unwanted -- ./race >said 2>&1 </dev/null
report --json
is "suppressed: not reported" "$(jq -r '[.findings[].id] | join(" ")' <<<"$said")" "$stuck"
report --json --all --sarif=suppressed.sarif
is "suppressed: with --all it is" "$(jq -rc '.findings[] | select(.suppressed) | [.id, .standing]' <<<"$said")" "[\"$race\",\"suppressed\"]"
is "suppressed: SARIF says so" "$(jq -r '.runs[0].results[] | select(.suppressions).properties.id' suppressed.sarif)" "$race"

# Folders: the usual names; made when asked for.
mkdir there
report --html=there --json=there --sarif=there --junit=there
is "a folder: the usual names" "$code $(ls there | paste -sd ' ')" "0 heddle.json heddle.sarif heddle.xml index.html"
refuses "a folder in a folder that is not there" 3 'cannot create the directory "no/such/": No such file' --html no/such/
timeout -s KILL 120 "$heddle" test --classify no --runs 5 --quiet --html=there -- ./race >said 2>&1 </dev/null
like "a test writes to a folder, too" "$(find there -newer suppressed.sarif -name index.html)" index.html

# Evidence that is gone, or is of a build that is.
rm .heddle/evidence/deadlock-*.trace
report "$stuck" --json --html=gone.html
is "evidence gone: exit status" "$code $errors" "0 "
like "evidence gone: noted" "$(jq -r '.notes[]' <<<"$said")" "^the evidence of $stuck is gone: it cannot be replayed\$"
is "evidence gone: no replay is offered" "$(jq -c '.findings[0] | [.trace, .replay]' <<<"$said")" '[null,null]'
mv race away
report "$race" --json
like "build gone: noted" "$code $(jq -r '.notes[]' <<<"$said")" "^0 $race is reported without the interleaving: cannot run"
mv away race

# What lacks the same for the same reason is noted once.
cat >three.c <<'C'
#include <pthread.h>

int first, second, third;

static void *work(void *unused)
{
	first++;
	second++;
	third++;
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	return pthread_join(thread, NULL);
}
C
"$cc" -g -O1 -pthread three.c -o three
timeout -s KILL 120 "$heddle" test --classify no --runs 20 --quiet --store threes -- ./three >said 2>&1 </dev/null
mv three away
report --store threes --json
is "build gone: all three are there" "$(jq '.findings | length' <<<"$said")" 3
like "build gone: one note for all, with their ids" "$(jq -r '.notes[]' <<<"$said")" \
	'^3 findings are reported without the interleaving \(H1, H2, H3\): cannot run'
is "build gone: no other note of it" "$(jq -r '.notes[]' <<<"$said" | grep -c interleaving)" 1
mv away three

# Nothing in the database is trusted.
cp -r .heddle good
evil="</script><img src=x onerror=alert(1)>]]>&\"'"
sqlite3 "$db" "UPDATE finding SET summary = '${evil//\'/\'\'}' || char(27) || '[2J', details = char(7), kind = 'data-race';
	UPDATE site SET file = '../secret.c', function = '${evil//\'/\'\'}', before = 'x', event = -1, thread = -1, line = -5;
	UPDATE sighting SET trace = '../../victim'; UPDATE subject SET program = '${evil//\'/\'\'}' || char(10) || id"
echo "int secret_of_ours;" >../secret.c
report --all --html=evil.html --sarif=evil.sarif --junit=evil.xml --json=evil.json
is "hostile: exit status" "$code $errors" "0 "
is "hostile: no markup in the page" "$(grep -c '<img' evil.html)" 0
ok "hostile: XML" xmllint --noout evil.xml
ok "hostile: JSON and SARIF" jq -e . evil.json evil.sarif
is "hostile: no file elsewhere" "$(cat evil.* | grep -c 'secret_of_ours')" 0
is "hostile: no trace elsewhere" "$(jq -c '[.findings[].trace] | unique' evil.json)" '[null]'
rm ../secret.c
sqlite3 "$db" "UPDATE finding SET kind = 'no-such-kind'"
report --all --json
like "a kind that is not known" "$code $(jq -rc '.notes[], (.findings | length)' <<<"$said" | paste -sd ' ')" '^0 H1 is omitted: its kind is unknown.* 0$'
rm -rf .heddle && cp -r good .heddle
refuses "nothing to write to" 3 'cannot write "/dev/full": No space left' --json=/dev/full
for command in "list --json=/dev/full" "sites --json=/dev/full race"; do
	is "$command: exit status" "$(status "$heddle" $command)" 3
done
refuses "a folder that is not there" 3 'cannot write "no/page\.html": No such file' --html=no/page.html

# Read-only: reports can be made, elsewhere; and a test says that it has nowhere to write to.
mkdir mounted
read_only='mount --bind . mounted && mount -o remount,bind,ro mounted && cd mounted && "$@"'
if unshare -rm sh -c "$read_only" sh true 2>/dev/null; then
	said=$(unshare -rm sh -c "$read_only" sh "$heddle" report --json --all 2>&1)
	is "read-only: the report has all" "$(jq -c '[(.findings | length), ([.findings[] | select(.trace) | has("interleaving")] | unique)]' <<<"$said")" '[2,[true]]'
	like "read-only: nothing to write to" "$(unshare -rm sh -c "$read_only" sh "$heddle" report --html=page.html 2>&1)" \
		'^heddle: error: cannot write "page\.html": Read-only file system$'
	got=$(unshare -rm sh -c "$read_only" sh "$heddle" test --classify no --runs 2 --store nowhere -- ./race 2>&1 </dev/null; echo "status $?")
	like "read-only: a test" "$got" '^heddle: error: cannot create the directory "nowhere": Read-only file system$'
	like "read-only: a test: status" "$got" '^status 3$'
else
	skip "read-only" "no mount in a namespace of one's own"
fi

# Hostile names of source files and threads, from the program itself.
mkdir hostile && cat >hostile/race.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#line 2 "e<img src=x onerror=alert(1)>]]>\033[31m\n\"'&\377%s.c"
static int counter;
static void *work(void *argument)
{
	pthread_setname_np(pthread_self(), "<b>\033[2J\n\"\377");
	counter++;
	return argument;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
END
cd hostile && "$cc" -g -O1 -pthread race.c -o race
for command in "test --runs 10 --html=p.html --sarif=p.sarif --junit=p.xml -- ./race" list "show H1" "replay --columns H1" "replay H1" "list --json" \
	"report --json" "report --junit" "report --sarif" "sites race" "run --detect -- ./race" "run --count -- ./race"; do
	"$heddle" $command >said 2>&1 </dev/null
	is "hostile names: $command" "$(LC_ALL=C tr -d '\n\t' <said | LC_ALL=C grep -c '[[:cntrl:]]') $(test -s said && echo said)" "0 said"
done
is "hostile names: no markup in the page" "$(grep -c '<img\|<b>' p.html)" 0
ok "hostile names: XML" xmllint --noout p.xml
ok "hostile names: SARIF" jq -e '.runs[0].results[0]' p.sarif
cd ..

# --json is the same everywhere: alone it is the standard output, a file behind =, and as the next word where no operand is.
is "list: --json=FILE" "$("$heddle" list --json=list.json --all; jq -r '.findings | length' list.json)" 2
is "list: --json FILE" "$("$heddle" list --all --json list.json; jq -r '.findings | length' list.json)" 2
is "list: --json -" "$("$heddle" list --json - --all | jq -r '.findings | length')" 2
is "sites: --json=FILE" "$("$heddle" sites --json=sites.json race; jq -r '.heddle' sites.json)" 1
is "sites: --json PROG" "$("$heddle" sites --json race | jq -r '.heddle')" 1
is "doctor: --json=FILE" "$("$heddle" doctor --json=doctor.json; jq -r '.heddle' doctor.json)" 1
is "test: --json alone" "$("$heddle" test --classify no --allow-unwoven --runs 2 --quiet --json -- ./plain </dev/null | jq -r '.heddle')" 1
is "test: --json FILE" "$("$heddle" test --classify no --allow-unwoven --runs 2 --quiet --json test.json -- ./plain </dev/null; jq -r '.heddle' test.json)" 1
is "run: --json alone" "$("$heddle" run --json -- ./race 2>/dev/null | sed -n '/^{/,$p' | jq -r '.heddle')" 1

# Ten thousand: the page is made in less than two seconds of processor time. Of three, the one that was disturbed least.
sqlite3 "$db" "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
	INSERT INTO finding(kind, fingerprint, context, state, summary, details, first_build, last_build, first_seen, last_seen)
	SELECT 'data-race', hex(randomblob(16)), hex(randomblob(16)), 'known', 'data race number ' || i,
	 printf('%.500c', 'x'), 1, 1, 1, 1 FROM n;
	INSERT INTO sighting(finding, test, key, schedule, strategy, seed, trace)
	SELECT f.id, 1, 'k' || f.id, 1, 'random', 1, 'evidence/x.trace' FROM finding f
	WHERE NOT EXISTS (SELECT 1 FROM sighting s WHERE s.finding = f.id);
	INSERT INTO site(finding, position, file, line, column, function, variable, access, thread)
	SELECT id, 0, 'race.c', 5, 1, 'work', 'counter', 'read', 1 FROM finding WHERE id > 10"
best=$(for _ in 1 2 3; do
	{ TIMEFORMAT="%U %S"; time "$heddle" report --html many.html; } 2>&1
done | awk '{ print $1 + $2 }' | sort -n | head -n 1)
ok "ten thousand: the page is made in less than 2 s of processor time" awk "BEGIN { exit !($best < 2) }"
diag "ten thousand: $best s of processor time"
is "ten thousand: all are in it" "$(grep -o 'data race number' many.html | wc -l)" 10000
is_clean "nothing is left in TMPDIR"
done_testing
