#!/bin/bash
# heddle check as a user calls it: what it prints for what the analysis found, which is made up here, and what it says when
# something is wrong. What the analysis itself finds is in tests/analysis.
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >race.c <<'CODE'
#include <pthread.h>
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	if (counter > 5)
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
CODE
ok "a program" $cc -g -O1 -pthread race.c -o race
site=$("$heddle" sites race | awk '$3 == "work" && $4 == "write" { print $1 }')

# fake: a heddle of its own that finds our heddle-analyse
mkdir -p fake/bin fake/lib/heddle
cp "$heddle" fake/bin/heddle
fake=fake/bin/heddle
cat >fake/lib/heddle/heddle-analyse <<'CODE'
#!/bin/sh
printf '%s\n' "$*" >asked
echo "progress 500 points-to" >&2
[ ! -e says ] || cat says >&2
[ ! -e told ] || cat told
[ ! -e kills ] || kill -9 $$
exit "$(cat status 2>/dev/null || echo 0)"
CODE
chmod +x fake/lib/heddle/heddle-analyse
cat >good <<'CODE'
{"heddle-analysis":1,"version":"0","stopped":null,
"programs":[{"path":"race","build":"00","units":1}],
"phases":[{"name":"read","milliseconds":100},{"name":"points-to","milliseconds":250}],"peak_bytes":83886080,
"is_library":false,"units":1,"functions":2,"instructions":40,"accesses":4,"objects":9,
"gaps":[{"kind":"external","name":"strange","function":"work","count":2,"first":{"file":"race.c","line":9,"column":1}},
{"kind":"external","name":"odd\u001b[31m","function":"work","count":1,"first":null},
{"kind":"assembly","name":null,"function":"work","count":3,"first":null}],
"statistics":{"points_values":5,"unified_functions":0,"merged_functions":0},
"roots":[{"kind":"main","function":"main","file":"race.c","line":11,"many":false,"why":null,"created":null},
{"kind":"thread","function":"work","file":"race.c","line":4,"many":true,"why":"created in a loop","created":{"function":"main","file":"race.c","line":15,"column":3}}],
"is_cut":false,"shared_accesses":3,"pruned":{"pairs":10,"atomic":1,"unshared":2,"ordered":3,"locked":2,"left":2},
"groups":[{"variable":"counter","score":93,"object":{"kind":"global","name":"counter","function":null,"size":4,"file":"race.c","line":2,"column":12},"pairs":"0 1 0 1 0 1 93 2,2 1 0 1 0 1 20 0,"}],"doubts":["anywhere","initial"],
"is_orders_cut":false,"cycles":[{"certain":true,"variants":1,"edges":[
{"root":1,"function":"work","at":{"file":"race.c","line":6,"column":2},"held":{"name":"a","kind":"single","mode":"write","file":"race.c","line":5,"column":1},"taken":{"name":"b","kind":"single","mode":"write","file":null,"line":0,"column":0},"locks":0},
{"root":0,"function":"main","at":{"file":"race.c","line":16,"column":2},"held":{"name":"b","kind":"single","mode":"read","file":"race.c","line":15,"column":1},"taken":{"name":"a","kind":"one-of-several","mode":"write","file":null,"line":0,"column":0},"locks":0}]}],
"sites":[{"function":"work","function_file":"race.c","same":0,"ordinal":1,"file":"race.c","line":7,"column":9,"inlined":[],"variable":"counter","access":2,"order":0,"size":4,"flags":256},
{"function":"main","function_file":"race.c","same":0,"ordinal":0,"file":"race.c","line":16,"column":6,"inlined":[{"file":"race.c","line":18,"column":2}],"variable":"counter","access":1,"order":0,"size":4,"flags":256},
{"function":"_ZN4gone3forEv","function_file":"race.c","same":0,"ordinal":1,"file":null,"line":0,"column":0,"inlined":[],"variable":null,"access":2,"order":0,"size":4,"flags":1}],
"locksets":[[{"name":"lock","kind":"single","mode":"write","file":"race.c","line":6,"column":2}],[]]}
CODE
cp good told
got=$($fake check race 2>errors)
is "candidates: exit status" $? 1
is "nothing on standard error that is no terminal" "$(cat errors)" ""
is "what it printed" "$got" "$(cat <<END
counter: global variable counter at race.c:2; 2 candidates
   93 write at race.c:7 holds lock, read at race.c:16 holds no lock
      race.c:7:9 in work, site $site: counter
          | counter++;
          thread work, created at race.c:15 (several: created in a loop)
          holds lock, taken at race.c:6
      race.c:16:6 in main, site 0: counter
          | if (counter > 5)
          inlined at race.c:18 in main
          the main thread
      doubt: one side comes right after the allocation of the block
   20 write at access 1 of gone::for() holds lock, read at race.c:16 holds no lock
      access 1 in gone::for()
          thread work, created at race.c:15 (several: created in a loop)
          holds lock, taken at race.c:6
      race.c:16:6 in main, site 0: counter
          | if (counter > 5)
          inlined at race.c:18 in main
          the main thread

lock order: a -> b for reading -> a
      thread work, created at race.c:15 (several: created in a loop) takes b at race.c:6 while it holds a, taken at race.c:5
          | pthread_mutex_lock(&lock);
      the main thread takes one of several a at race.c:16 while it holds b for reading, taken at race.c:15
          | if (counter > 5)

2 candidates for data races at 1 variable, 1 lock order that could deadlock
1 unit, 2 functions, 4 accesses in 0.3 s and 80 MB
1 place where threads start, 0 signal handlers
10 pairs of accesses may touch the same bytes, one of them writing:
             1   10.0 %  both are atomic
             2   20.0 %  no memory shared between threads
             3   30.0 %  never at the same time
             2   20.0 %  the same lock at both
             2   20.0 %  remaining
not analysed, or only roughly:
  3 x inline assembly: its accesses and the pointers that it computes are unknown
  3 x functions that are neither analysed nor in the models (strange, odd\x1b[31m): assumed to keep their arguments, to call them, also in their own threads, and to return them; their own accesses are unknown
  1 x accesses of candidates without a place: the compiler merged several lines, or there is no debug information, as in units that were not compiled from source
END
)"
like "it was asked" "$(cat asked)" '^--progress --memory [0-9]+ -- race$'
$fake check race --memory 77 >/dev/null
like "--memory" "$(cat asked)" '^--progress --memory 77 '
$fake check race --allocator one --allocator two,1 >/dev/null
like "--allocator" "$(cat asked)" ' --allocator one --allocator two,1 -- race$'
like "--min-score" "$($fake check race --min-score 50)" '^1 candidate for data races at 1 variable with a score of 50 or more, 1 lock order that could deadlock$'
left=$($fake check race --min-score 94)
is "--min-score: an order of locks is no less a finding" $? 1
like "--min-score: orders of locks stay" "$left" '^no candidates for data races with a score of 94 or more, 1 lock order that could deadlock$'
like "--min-score: ... and are shown" "$left" '^lock order: a -> b for reading -> a$'
is "--min-score: ... in JSON, too" "$($fake check race --min-score 100 --json | jq -c '[.findings[].kind]')" '["lock-order-candidate"]'
sed 's/"cycles":\[{"certain"/"others":[{"certain"/' good >told
like "--min-score: nothing is left" "$($fake check race --min-score 94)" '^no candidates for data races with a score of 94 or more$'
is "--min-score: exit status" "$(status $fake check race --min-score 94)" 0
cp good told
like "--top" "$($fake check race --top 0)" '^1 more variable: --all or --top'

json=$($fake check race --json)
is "--json: exit status" $? 1
is "--json: the candidates" "$(jq -c '[.heddle, .analysis, .is_library, .stopped, (.findings[] | .id, .kind, .score)]' <<<"$json")" \
	'[1,1,false,null,"C1","data-race-candidate",93,"C2","data-race-candidate",20,"C3","lock-order-candidate",60]'
is "--json: numbers of sites" "$(jq -c '[.findings[0:2][] | .sites[].site]' <<<"$json")" "[$site,0,null,0]"
is "--json: threads and locks" "$(jq -c '.findings[0].sites[0] | [.thread, .thread_name, .locks[0].name, .locks[0].line]' <<<"$json")" \
	'[2,"thread work, created at race.c:15 (several: created in a loop)","lock",6]'
is "--json: what was not analysed" "$(jq -c '[.gaps[] | .kind, .count, .line]' <<<"$json")" '["external",2,9,"external",1,0,"assembly",3,0]'
$fake check race --json=file.json >text
same "--json=FILE: the same" "$(jq -cS . file.json)" "$(jq -cS . <<<"$json")"
is "... beside the text" "$(cat text)" "$got"
$fake check race --sarif=found.sarif --html=found.html >/dev/null
ok "SARIF is valid" jq -e -f "$root/tests/lib/sarif.jq" found.sarif
is "SARIF: levels" "$(jq -c '[.runs[0].results[] | .ruleId, .level]' found.sarif)" \
	'["data-race-candidate","warning","lock-order-candidate","warning","data-race-candidate","note"]'
is "SARIF: done" "$(jq .runs[0].invocations[0].executionSuccessful found.sarif)" true
is "SARIF: what was not analysed" "$(jq '.runs[0].invocations[0].toolExecutionNotifications | length' found.sarif)" 3
like "HTML" "$(cat found.html)" 'data-race-candidate'
same "heddle report takes the JSON" "$($fake report file.json --sarif - | jq -cS .runs[0].results)" "$(jq -cS .runs[0].results found.sarif)"

# Lines as they are in the source, but for what a terminal would do with them.
cp race.c race.kept
printf '%s\n' '/^	if (counter/s/.*/	if (counter\t\t>\x1b 5)\t/' | sed -f - race.kept >race.c
like "tabs in a line are spaces, and what is no text is told" "$($fake check race)" '^          \| if \(counter {13}>\\x1b 5\)$'
mv race.kept race.c

# On a terminal, after two seconds, how far it is; and nothing of it stays.
if command -v script >/dev/null; then
	cp fake/lib/heddle/heddle-analyse kept
	cat >fake/lib/heddle/heddle-analyse <<'CODE'
#!/bin/sh
echo "progress 100 early" >&2
sleep 2.2
echo "progress 450 points-to" >&2
cat told
CODE
	script -qec "$fake check race" /dev/null </dev/null >terminal
	like "a terminal: how far it is" "$(tr '\r' '\n' <terminal)" '\[#{13} {17}\]  45 % points-to'
	unlike "a terminal: not before two seconds" "$(cat terminal)" 'early'
	like "a terminal: it is wiped out" "$(tr -d '\n' <terminal)" 'points-to'$'\r\033''\[K'
	script -qec "$fake check race --quiet" /dev/null </dev/null >terminal
	unlike "a terminal, --quiet: nothing of it" "$(cat terminal)" 'points-to'
	mv kept fake/lib/heddle/heddle-analyse
else
	skip "a terminal" "there is no script"
fi

# The site is found by its place when the number is another, and by nothing when that is not there either.
sed 's/"same":0,"ordinal":1,"file":"race.c"/"same":0,"ordinal":0,"file":"race.c"/' good >told
is "another number: found by line, column and access" "$($fake check race --json | jq .findings[0].sites[0].site)" "$site"
sed 's/"line":7,"column":9/"line":7,"column":10/' good >told
is "another column: not found" "$($fake check race --json | jq .findings[0].sites[0].site)" null
sed 's/"0 1 0 1 0 1 93 2,/"99 99 99 1 99999999999 4294967295 500 4294967295,/; s/"root":1/"root":99/; s/"locks":0/"locks":99/' good >told
is "numbers that are none: no crash" "$(status $fake check race --all)" 1
is "... nor in JSON" "$(status $fake check race --json)" 1
sed 's/93 2,2 1 0/93 2,2 1 x/' good >told
is "what is no number ends the pairs" "$($fake check race --json | jq '[.findings[] | select(.kind == "data-race-candidate")] | length')" 1
perl -pe 's/"pairs":"([^"]*)"/"\"pairs\":\"" . "0 1 0 1 0 1 93 2," x 3000 . "\""/e' good >told
is "many: the first of a variable" "$($fake check race --json | jq -c '[(.findings | length), .left_out]')" "[1001,2000]"
is "many: all" "$($fake check race --json --all | jq -c '[(.findings | length), .left_out]')" "[3001,0]"
sed 's/"pairs":"0/"alike":8,"tally":"93 5000000000,20 7,","pairs":"0/' good >told
is "more than are told: counted" "$($fake check race --json --all | jq -c '[(.findings | length), .left_out]')" "[3,5000000005]"
is "... with a least score" "$($fake check race --json --all --min-score 50 | jq -c '[(.findings | length), .left_out]')" "[2,4999999999]"
like "... and said" "$($fake check race --all)" "and 5000000005 more, too many to list"
like "... and which object it is" "$($fake check race)" "at race.c:2, or any of 7 that cannot be distinguished from it; 5000000007 candidates"
sed 's/"pairs":"0/"tally":"93 0,500 3,x","pairs":"0/' good >told
is "a tally that is none: what is told counts" "$($fake check race --json --all | jq -c '[(.findings | length), .left_out]')" "[3,0]"
sed 's/"locksets":\[\[\({[^}]*}\)/"locksets":[[\1,{"name":"lock","kind":"same-object","mode":"write","file":"race.c","line":6,"column":2}/' good >told
is "a lock that is known in two ways is told once" "$($fake check race --all | grep -c 'holds lock, taken')" 2

cat >told <<'CODE'
{"heddle-analysis":1,"version":"0","stopped":null,"programs":[],"phases":[],"peak_bytes":1,"is_library":true,"units":1,"functions":2,
"accesses":0,"gaps":[],"statistics":{},"roots":[{"kind":"exported","function":"f","many":true,"why":null,"created":null}],
"is_cut":false,"pruned":{"pairs":0},"groups":[],"cycles":[],"sites":[],"locksets":[]}
CODE
got=$($fake check race)
is "nothing found: exit status" $? 0
like "nothing found: said" "$got" '^no candidates for data races$'
like "a library" "$got" 'no main: each exported function'
sed -i 's/"stopped":null/"stopped":"out of memory in points-to"/' told
got=$($fake check race 2>&1)
is "not done to its end: exit status" $? 3
like "not done to its end: said" "$got" 'did not complete: out of memory in points-to'
sed -i 's/"groups":\[\],"cycles":\[\],//' told
unlike "not come to candidates: it does not say that there is none" "$($fake check race 2>/dev/null)" 'no candidate'

# Doubts by types: told pairs count, and those that are not told.
sed -e 's/"doubts":\["anywhere","initial"\]/"doubts":["anywhere","initial","types"]/' -e 's/ 20 0,"/ 20 4,"/' \
	-e 's/"left":2}/"left":9,"agreeing":7}/' -e 's/"pairs":"0/"tally":"20 2,93 7,","types_tally":"20 2,","pairs":"0/' good >told
got=$($fake check race)
like "types: of a variable" "$got" '^counter: global variable counter at race.c:2; 9 candidates, types agree in 7$'
like "types: the doubt" "$got" '^      doubt: the types of the language imply different objects$'
like "types: the summary" "$got" '^types agree in 7 candidates, at 1 variable; in the others the types'
like "types: of those that are left" "$got" '^ +7   70.0 %  of these, the types of the language allow the same object$'
unlike "types: nothing is said where all agree" "$($fake check race --min-score 50)" '^types agree'
json=$($fake check race --json)
is "types: JSON" "$(jq -c '[.pruned.agreeing, .variables, .agreeing_variables, .findings[1].doubts]' <<<"$json")" '[7,1,1,["types"]]'
sed -i 's/"20 2,93 7,","types_tally":"20 2,"/"20 2,93 7,","types_tally":"20 999,93 7,x"/' told
like "types: more than there are" "$($fake check race)" '; 9 candidates, types agree in none$'

# --explain
cat >told <<'CODE'
{"heddle-analysis":1,"stopped":null,"programs":[],"phases":[],"peak_bytes":1,
"explain":{"a":"race.c:7","b":"race.c:16","accesses_a":2,"accesses_b":1,"pair_count":70,"pairs":[
{"a":{"function":"work","function_file":"race.c","same":0,"ordinal":1,"file":"race.c","line":7,"column":9,"inlined":[],"variable":"counter","access":2,"size":4,"flags":0},
"b":{"function":"main","function_file":"race.c","same":0,"ordinal":0,"file":"race.c","line":16,"column":6,"inlined":[],"variable":"counter","access":1,"size":4,"flags":0},
"verdict":"locked","lock":{"name":"lock","kind":"single","mode":"write"},"roots_a":[{"kind":"thread","function":"work"}],"roots_b":[{"kind":"main","function":"main"}]}]}}
CODE
got=$($fake check race --explain race.c:7 race.c:16)
is "--explain: exit status" $? 0
like "--explain: asked" "$(cat asked)" '--explain race.c:7 race.c:16 -- race$'
like "--explain: why" "$got" '^    not a candidate: the same lock is held at both: lock$'
like "--explain: how many more" "$got" 'and 69 more pairs'
like "--explain: what all pairs come to is first" "$(head -n 1 <<<"$got")" '^not a candidate: none of 70 pairs of accesses at these places$'
is "--explain --json" "$($fake check race --explain race.c:7 race.c:16 --json | jq -c '[.explained[] | .verdict, .sites[].site]')" "[\"locked\",$site,0]"
sed -i 's/"verdict":"locked"/"verdict":"candidate","score":50,"doubts":["types",7,"\\u001bnew"]/' told
like "--explain of a candidate: it is first" "$($fake check race --explain race.c:7 race.c:16 | head -n 1)" '^a candidate: 1 of 70 pairs of accesses at these places, score 50$'
sed 's/"pair_count":70/"pair_count":70,"candidates":9,"score":80/; s/"verdict":"candidate","score":50/"verdict":"locked"/' told >kept && cp told first && cp kept told
like "--explain: a candidate that is not told one by one" "$($fake check race --explain race.c:7 race.c:16 | head -n 1)" '^a candidate: 9 of 70 pairs of accesses at these places, score 80 or less$'
is "... exit status" "$(status $fake check race --explain race.c:7 race.c:16)" 1
is "... in JSON" "$($fake check race --explain race.c:7 race.c:16 --json | jq -c '[.pair_count, .candidates, .score]')" '[70,9,80]'
mv first told && rm kept
is "--explain of a candidate: exit status" "$(status $fake check race --explain race.c:7 race.c:16)" 1
like "--explain of a candidate: doubts" "$($fake check race --explain race.c:7 race.c:16)" \
	'^      doubt: the types of the language imply different objects
      doubt: .x1bnew$'
is "--explain of a candidate: doubts in JSON" "$($fake check race --explain race.c:7 race.c:16 --json | jq -c '.explained[0].doubts[0]')" '"types"'
$fake check race --explain "$site" 0 >/dev/null
like "--explain of sites" "$(cat asked)" '--explain site:0:1:work site:0:0:main -- race$'
for wrong in "race.c 3" "3 race.c:" "1 999999" "1 :3"; do
	# shellcheck disable=SC2086
	is "--explain $wrong: exit status" "$(status $fake check race --explain $wrong)" 2
done
is "--explain with one place" "$(status $fake check race --explain race.c:7)" 2
is "--explain with SARIF" "$(status $fake check race --explain 0 1 --sarif=x)" 2

# What goes wrong.
is "no program" "$(status $fake check)" 2
for wrong in "race --sarif found.txt" "--sarif found.txt race"; do
	# shellcheck disable=SC2086
	like "heddle check $wrong: a hint" "$($fake check $wrong 2>&1)" 'to name a file for --sarif, write --sarif=FILE$'
done
like "heddle sites race --json found.txt: a hint" "$($fake sites race --json found.txt 2>&1)" 'to name a file for --json, write --json=FILE$'
unlike "two programs that are not there: no such hint" "$($fake check --json -- nothing either 2>&1)" 'is written'
is "two reports to standard output" "$(status $fake check race --json --sarif=-)" 2
is "a score of more than 100" "$(status $fake check race --min-score 101)" 2
is "a file that is not there" "$(status $fake check nothing)" 3
$clang -pthread race.c -o plain 2>/dev/null
like "a plain program: a hint" "$($fake check plain 2>&1)" 'heddle-cc'
is "a plain program: exit status" "$(status $fake check plain)" 3
is "a folder that is not there" "$(status $fake check race --sarif=no/such/file)" 3
rm told
echo "heddle: error: the units are gone" >says
echo 3 >status
is "the analysis cannot be done: exit status" "$(status $fake check race)" 3
is "... and said why" "$($fake check race 2>&1)" "heddle: error: the units are gone"
rm says
like "it ends without a word" "$($fake check race 2>&1)" 'exited with status 3 and no message'
echo 0 >status
is "it prints nothing" "$(status $fake check race)" 3
echo '{"heddle-analysis":7}' >told
like "another version" "$($fake check race 2>&1)" 'another version'
echo '{"heddle-analysis":1,' >told
is "no JSON" "$(status $fake check race)" 3
touch kills
like "it is killed" "$($fake check race 2>&1)" 'killed by signal 9'
rm fake/lib/heddle/heddle-analyse
like "it is not there" "$($fake check race 2>&1)" 'cannot run heddle-analyse'
is "it is not there: exit status" "$(status $fake check race)" 3

# The analysis itself, with programs that are not as they should be.
if [ ! -x "$build/lib/heddle/heddle-analyse" ]; then
	skip "the analysis itself" "there is no heddle-analyse"
	done_testing
fi
got=$("$heddle" check race)
is "a race: exit status" $? 1
like "a race: found" "$got" '^ +[0-9]+ write at race.c:7 holds lock, read at race.c:16 holds no lock$'
is "a race: the sites are those of heddle sites" "$("$heddle" check race --json | jq -c '[.findings[0].sites[].site]')" "[$site,0]"
like "a race: explained" "$("$heddle" check race --explain race.c:7 race.c:16)" '^    a candidate, score [0-9]+$'
like "a lock at both: explained" "$("$heddle" check race --explain race.c:7 race.c:7)" 'the same lock is held at both: lock$'
like "nothing there: explained" "$("$heddle" check race --explain race.c:1 race.c:7)" '^there is no access at race.c:1 that threads could share:'
for wrong in "foo.c:9 race.c:7" "race.c:7 foo.c:9" "ace.c:7 race.c:7" "race.c:999 race.c:7" "race.c:7 race.c:999:1"; do
	# shellcheck disable=SC2086
	is "--explain $wrong, which is not there: exit status" "$(status "$heddle" check race --explain $wrong)" 2
done
like "a file that is not there: said" "$("$heddle" check race --explain foo.c:9 x.c:3 2>&1)" '^heddle: error: the program has no code from a file "foo.c"$'
like "a line that is not there: said" "$("$heddle" check race --explain race.c:7 race.c:999 2>&1)" '^heddle: error: there is no line 999 in "race.c", which has 21$'
like "a file by its whole name" "$("$heddle" check race --explain "$PWD/race.c:7" ./race.c:16)" '^    a candidate, score [0-9]+$'
like "all pairs: explained" "$("$heddle" check race --explain race.c:7 race.c:16 | head -n 1)" '^a candidate: 1 of 2 pairs of accesses at these places, score [0-9]+$'
is "by numbers of sites" "$("$heddle" check race --explain "$site" 0 --json | jq -c '[.explained[].verdict]')" '["candidate"]'
$cc -O1 -pthread race.c -o without
like "built without -g: places all the same" "$("$heddle" check without)" 'write at race.c:7 holds lock'
for how in -s -g; do
	cp race stripped
	strip $how stripped
	got=$("$heddle" check stripped 2>&1)
	is "strip $how: exit status" $? 3
	like "strip $how: what to do" "$got" 'do not strip it'
done
$clang -S -emit-llvm -O1 -pthread race.c -o race.ll && $cc -pthread race.ll -o bare
got=$("$heddle" check bare)
like "without debug information: functions and numbers" "$got" 'write at access 1 of work holds lock, read at access 0 of main holds no lock'
like "without debug information: a hint" "$got" 'there is no debug information'
like "without debug information: the unit" "$got" "1 x units without debug information \(race.c\)"
is "without debug information: sites" "$("$heddle" check bare --json | jq -c '[.findings[0].sites[].site]')" "[$site,0]"
cat >library.c <<'CODE'
int shared;
void put(void) { shared++; }
int get(void) { return shared; }
CODE
$cc -g -O1 -fPIC -shared library.c -o library.so
got=$("$heddle" check library.so)
is "a library: exit status" $? 1
like "a library: said" "$got" 'there is no main: each exported function may be called from any thread'
like "a library: where the variable is" "$got" "global variable shared at library.c:1"
like "a library: found" "$got" 'write at library.c:2 holds no lock, read at library.c:3 holds no lock'
cat >user.c <<'CODE'
#include <pthread.h>
void put(void);
int get(void);
static void *work(void *argument)
{
	put();
	return argument;
}
int main(void)
{
	pthread_t id;
	pthread_create(&id, 0, work, 0);
	int got = get();
	pthread_join(id, 0);
	return got;
}
CODE
$cc -g -O1 -pthread user.c ./library.so -o user
got=$("$heddle" check user)
is "a program without its library: exit status" $? 0
like "a program without its library: what was not analysed" "$got" '2 x functions that are neither analysed nor in the models'
got=$("$heddle" check user library.so --json)
is "a program with its library: exit status" $? 1
is "a program with its library: whose sites" "$(jq -c '[.findings[0].sites[] | .program, .function, .thread_name[0:6]]' <<<"$got")" \
	'[1,"put","thread",1,"get","the ma"]'
# Of two threads that get there the one is told that needs no call of which nobody knows whom it means.
cat >remote.c <<'CODE'
#include <pthread.h>
#include <stdio.h>
static int shared;
static volatile int which;
static void use(void)
{
	printf("%d\n", shared);
}
#define EMPTY(n) static void empty_##n(void) { puts(#n); }
EMPTY(1) EMPTY(2) EMPTY(3) EMPTY(4) EMPTY(5) EMPTY(6) EMPTY(7) EMPTY(8)
static void (*const table[])(void) = { empty_1, empty_2, empty_3, empty_4, empty_5, empty_6, empty_7, empty_8, use };
static void *roundabout(void *argument)
{
	table[which % 9]();
	return argument;
}
static void *direct(void *argument)
{
	use();
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, roundabout, NULL);
	pthread_create(&threads[1], NULL, direct, NULL);
	shared = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
CODE
$cc -g -O0 -pthread remote.c -o remote
is "the most direct thread is told" "$("$heddle" check remote --json | jq -r '.findings[0].sites[] | select(.function == "use") | .thread_name' | sed 's/,.*//')" "thread direct"
# A lock is told by where this thread takes it, and by the name that it has in the source.
cat >locks.c <<'CODE'
#include <pthread.h>
static struct { int size; pthread_mutex_t lock; } q = { 0, PTHREAD_MUTEX_INITIALIZER };
static int count;
static void *work(void *argument)
{
	pthread_mutex_lock(&q.lock);
	count++;
	pthread_mutex_unlock(&q.lock);
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_mutex_lock(&q.lock);
	q.size = 1;
	pthread_mutex_unlock(&q.lock);
	pthread_create(&thread, NULL, work, NULL);
	count = 1;
	pthread_join(thread, NULL);
	return 0;
}
CODE
$cc -g -O1 -pthread locks.c -o locks
like "where a lock was taken" "$("$heddle" check locks)" 'holds q\.lock, taken at locks\.c:6'
# Of an order of locks: in the function that takes the second one, or on the way to it.
cat >move.c <<'CODE'
#include <pthread.h>
#include <stdlib.h>
static struct bucket { pthread_mutex_t lock; int value; } table[4];
static void put(int k)
{
	struct bucket *b = &table[k % 4];
	pthread_mutex_lock(&b->lock);
	b->value = k;
	pthread_mutex_unlock(&b->lock);
}
static void second(struct bucket *b, int value)
{
	pthread_mutex_lock(&b->lock);
	b->value = value;
	pthread_mutex_unlock(&b->lock);
}
static void move(int i, int j)
{
	struct bucket *a = &table[i % 4];
	pthread_mutex_lock(&a->lock);
	second(&table[j % 4], a->value);
	pthread_mutex_unlock(&a->lock);
}
static void *work(void *argument)
{
	int k = atoi(argument);
	put(k);
	move(k, k + 1);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, argv[argc - 1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
CODE
for level in -O0 -O2; do
	$cc -g $level -pthread move.c -o move
	like "$level: where the first lock of an order was taken" "$("$heddle" check move)" 'at move\.c:13 while it holds .*, taken at move\.c:20$'
done
# Names are those of the source, of what LLVM has taken apart, too.
cat >names.cc <<'CODE'
#include <cstdio>
#include <mutex>
#include <pthread.h>
static std::mutex m, a[3];
struct place { int v; place() { std::puts("made"); v = 1; } };
static place &only() { static place p; return p; }
static struct { int hits, misses; } stats;
static void *work(void *argument)
{
	long i = (long)argument;
	{ std::lock_guard<std::mutex> g(m); stats.hits++; only().v++; }
	{ std::lock_guard<std::mutex> g(a[i % 3]); std::lock_guard<std::mutex> h(a[(i + 1) % 3]); stats.misses++; }
	return nullptr;
}
int main()
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], nullptr, work, (void *)i);
	std::printf("%d %d %d\n", stats.hits, stats.misses, only().v);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], nullptr);
}
CODE
for level in -O0 -O2; do
	$cxx -g $level -pthread names.cc -o names
	got=$("$heddle" check --all names)
	unlike "$level: no mangled name" "$got" '_Z'
	like "$level: a lock of an order" "$got" '^lock order: one of several a -> one of several a$'
	like "$level: a variable that may have been taken apart" "$got" '^stats\.misses: global variable stats at names\.cc:7; '
	is "$level: in JSON, too" "$("$heddle" check names --json | jq -c '[.findings[] | .object.name, (.sites[].locks[]?.name)] | map(select(. != null and test("_Z|stats[.]"))) | length')" 0
done
sed 's/"name":"counter","function"/"name":"_ZTV4base","function"/; s/"name":"strange"/"name":"_ZN4base7strangeEv"/' good >told
mkdir -p fake/lib/heddle && printf '#!/bin/sh\ncat told\n' >fake/lib/heddle/heddle-analyse && chmod +x fake/lib/heddle/heddle-analyse
got=$($fake check race)
like "a table of virtual functions is no variable" "$got" '^counter: vtable for base at race\.c:2; '
like "functions that are not analysed" "$got" 'in the models \(base::strange\(\), odd'
# Whatever kind of lock it is, and whatever its size.
cat >kinds.c <<'CODE'
#include <pthread.h>
#include <threads.h>
static struct { int n; pthread_rwlock_t rw; pthread_spinlock_t spin; mtx_t c11; pthread_mutex_t m; } q;
static int a, b, c, d;
static void *work(void *x)
{
	pthread_rwlock_wrlock(&q.rw); a++; pthread_rwlock_unlock(&q.rw);
	pthread_spin_lock(&q.spin); b++; pthread_spin_unlock(&q.spin);
	mtx_lock(&q.c11); c++; mtx_unlock(&q.c11);
	pthread_mutex_lock(&q.m); d++; pthread_mutex_unlock(&q.m);
	return x;
}
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); a = b = c = d = 1; pthread_join(t, 0); return 0; }
CODE
$cc -g -O1 -pthread kinds.c -o kinds
is "names of all kinds of locks" "$("$heddle" check kinds | sed -n 's/^ *holds \([^,]*\), taken at.*/\1/p' | sort -u | paste -sd ' ')" "q.c11 q.m q.rw q.spin"
# What each call has on its own stack comes behind what there is once.
cat >stacks.c <<'CODE'
#include <pthread.h>
#include <stdio.h>
static int *seen;
static int total;
__attribute__((noinline)) static void use(int n)
{
	int own = n;
	seen = &own;
	own++;
	printf("%d\n", own);
}
static void *work(void *argument)
{
	use(1);
	total++;
	if (seen)
		*seen = 2;
	return argument;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	use(2);
	total++;
	pthread_join(thread, NULL);
	return 0;
}
CODE
$cc -g -O1 -pthread stacks.c -o stacks
got=$("$heddle" check stacks --json)
is "a stack of its own: a doubt" "$(jq -r '[.findings[] | select(.kind == "data-race-candidate" and (.summary | test("own"))) | .doubts | index("stack") != null] | all' <<<"$got")" true
is "a stack of its own: not first" "$(jq -r '[.findings[] | select(.kind == "data-race-candidate") | .doubts | index("stack") != null] | first' <<<"$got")" false
{
	echo 'int all[1000];'
	for ((i = 0; i < 2000; i++)); do echo "void f$i(int *p) { all[$((i % 1000))] += *p; $([ $i -eq 0 ] || echo "if (*p) f$((i - 1))(p + 1);") }"; done
	echo 'int main(void) { f1999(all); return 0; }'
} >many.c
$cc -O1 many.c -o many
got=$("$heddle" check many --memory 3 2>&1)
is "too little memory: exit status" $? 3
like "too little memory: said" "$got" 'memory'
unlike "too little memory: it does not say that there is nothing" "$got" 'no candidate'
is "enough memory" "$(status "$heddle" check many --memory 1000)" 0
cat >pool.c <<'CODE'
#include <pthread.h>
#include <stdlib.h>
struct slot { int count; };
static struct slot *only;
struct slot *NAME(unsigned long size);
__attribute__((noinline)) struct slot *NAME(unsigned long size)
{
	return only ? only : malloc(size);
}
static void *work(void *argument)
{
	NAME(sizeof(struct slot))->count++;
	return argument;
}
int main(void)
{
	pthread_t threads[2];
	only = NAME(sizeof *only);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
CODE
for function in slot_get cache_alloc sqlite3DbMallocRaw do_cache_alloc; do
	$cc -g -O1 -pthread -DNAME=$function pool.c -o pool
	is "$function: a name makes no allocator" "$(status "$heddle" check pool)" 1
	is "$function: an option does" "$(status "$heddle" check pool --allocator $function)" 0
done
is "--allocator: with its size" "$(status "$heddle" check pool --allocator do_cache_alloc,1)" 0
for wrong in malloc nothing do_cache_alloc,2 do_cache_alloc,0 do_cache_alloc,x; do
	is "--allocator $wrong: exit status" "$(status "$heddle" check pool --allocator $wrong)" 3
	like "--allocator $wrong: said" "$("$heddle" check pool --allocator $wrong 2>&1)" "the program has no function \"$wrong\""
done
proved() {
	HEDDLE_CC_OPTIONS= $cc -g -O1 -pthread --heddle-prove=heap -DNAME=slot_get pool.c -o pool "$@" &&
		"$heddle" sites pool --json | jq '[.sites[] | select(.variable | startswith("*slot_get")) | .flags | index("proved") != null] | all'
}
is "--heddle-allocator: not given, nothing is proved" "$(proved)" false
is "--heddle-allocator: its blocks are of who called it" "$(proved --heddle-allocator=slot_get)" true
is "--heddle-allocator: other names are left alone" "$(proved --heddle-allocator=other)" false
is "--heddle-allocator without a name" "$(status $cc --heddle-allocator= -c pool.c)" 2
is_clean "nothing is left"
done_testing
