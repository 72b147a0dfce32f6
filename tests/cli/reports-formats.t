#!/bin/bash
# Reports for other programs: SARIF 2.1.0 and JUnit's XML, from a test and from its JSON; what hostile strings, many findings and damaged
# input do to them. tests/cli/report-html.t looks at the page.
. tests/lib/tap.sh
. tests/lib/cc.sh

# sarif NAME FILE: it is valid SARIF, and within GitHub's limits
sarif() {
	is "$1: valid SARIF within the limits" "$(jq -c -f "$root/tests/lib/sarif.jq" "$2" 2>&1 | head -c 2000)" '[]'
}

# xml NAME FILE: it is well-formed, and its numbers are right
xml() {
	ok "$1: well-formed XML" xmllint --noout "$2"
	local counted
	counted=$(xmllint --xpath 'concat(count(//testcase), " ", count(//failure), " ", count(//error), " ", count(//skipped))' "$2")
	is "$1: its numbers" "$counted" \
		"$(xmllint --xpath 'concat(//testsuite/@tests, " ", //testsuite/@failures, " ", //testsuite/@errors, " ", //testsuite/@skipped)' "$2")"
}

# report FILE OPTIONS...: heddle report; $said, $errors and $code are what came of it
report() {
	said=$(timeout -s KILL 60 "$heddle" report "$@" 2>"$work/errors")
	code=$?
	errors=$(cat "$work/errors")
}

command -v xmllint >/dev/null || skip_all "there is no xmllint: ./setup build installs it"

# A race, from the test itself.
cp "$root/tests/lib/counter.c" race.c
"$cc" -g -O0 -pthread race.c -o race || fail "race.c is built"
timeout -s KILL 120 "$heddle" test --classify no --runs 50 --json race.json --sarif race.sarif --junit race.xml --html race.html -- ./race \
	>said 2>&1 </dev/null
is "a test with reports: exit status" $? 1
sarif "a race" race.sarif
xml "a race" race.xml
# The validator sees what is wrong.
for change in 'del(.runs[0].results[0].message)' '.runs[0].results[0].ruleIndex = 1' '.runs[0].results[0].level = "bad"' '.version = "2.0.0"' \
	'.runs[0].results[0].locations = []' '.runs[0].results[0].more = 1' '.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0' \
	'.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri = "a b.c"' 'del(.runs[0].originalUriBaseIds)' \
	'.runs[0].results[0].codeFlows[0].threadFlows[0].locations = []' '.runs[0].results = [range(5001) as $i | .runs[0].results[0]]'; do
	like "a fault is seen: $change" "$(jq "$change" race.sarif | jq -c -f "$root/tests/lib/sarif.jq")" '^\["'
done
is "a race: the rule and the level" "$(jq -r '.runs[0].results[] | "\(.ruleId) \(.level)"' race.sarif)" "data-race warning"
is "a race: the place" "$(jq -c '.runs[0].results[0].locations[0].physicalLocation | [.artifactLocation.uri, .artifactLocation.uriBaseId, .region.startLine]' race.sarif)" \
	'["race.c","%SRCROOT%",5]'
is "a race: one thread flow for each thread" "$(jq -c '[.runs[0].results[0].codeFlows[0].threadFlows[].id] | sort | .[-2:]' race.sarif)" '["2","3"]'
is "a race: both accesses are in the flows" \
	"$(jq '[.runs[0].results[0].codeFlows[].threadFlows[].locations[] | select(.importance == "essential")] | length' race.sarif)" 2
is "a race: a flow goes forwards" \
	"$(jq '[.runs[0].results[0].codeFlows[].threadFlows[].locations | map(.executionOrder) | . == sort] | all' race.sarif)" true
is "a race: no two places at the same time" \
	"$(jq '[.runs[0].results[0].codeFlows[].threadFlows[].locations[].executionOrder] | length == (unique | length)' race.sarif)" true
is "a race: what is done in the flows, in this order, is what is done in the interleaving" \
	"$(jq -c '[.runs[0].results[0].codeFlows[].threadFlows[].locations[] | [.executionOrder, (.location.message.text | sub(" \\(.*"; ""))]] | sort' race.sarif)" \
	"$(jq -c '[.findings[0].interleaving | to_entries[] | [.key + 1, .value.what]]' race.json)"
# What was written last is what is read next: the values go together with the order of the two accesses.
is "a race: values in JSON, of the write" "$(jq -c '.findings[0].sites[] | select(.access == "write") | [.before, .after] | map(type)' race.json | head -n 1)" \
	'["string","string"]'
is "a race: the row of a site is its event" "$(jq -c '.findings[0] | . as $f | [.interleaving[] | select(.site != null) | .event == $f.sites[.site].event and .thread == $f.sites[.site].thread]' race.json)" \
	'[true,true]'
is "a race: the words of the rows" "$(jq -r '.findings[0].interleaving[] | select(.site != null) | .what' race.json | sort -u | grep -vxE '(read|write) counter')" ""
is "a race: threads have names" "$(jq -r '.runs[0].results[0].codeFlows[].threadFlows[] | select(.id > "1").message.text' race.sarif | sort)" "$(printf 'thread 2 work\nthread 3 work')"
is "a race: the state has the value" "$(jq -c '[.runs[0].results[0].codeFlows[].threadFlows[].locations[].state // empty | keys[]] | unique' race.sarif)" \
	'["counter"]'
is "a race: JUnit's failure" "$(xmllint --xpath 'string(//testcase[@name="data-race"]/failure/@type)' race.xml)" data-race
like "a race: JUnit's text has the replay" "$(xmllint --xpath 'string(//failure)' race.xml)" '^replay: heddle replay '
# What to try, as it is told.
advice=$(jq -r '.findings[0].advice[0]' race.json)
like "a race: what to try" "$advice" '^hold the same lock '
ok "a race: what to try is what is told" grep -qF -- "- $advice" said
ok "a race: SARIF has what to try" jq -e --arg advice "- $advice" '.runs[0].results[0].message.text | contains($advice)' race.sarif
like "a race: JUnit has what to try" "$(xmllint --xpath 'string(//failure)' race.xml)" "^- ${advice:0:30}"
ok "a race: the page has what to try" grep -qF "${advice:0:30}" race.html
is "a race: the report of the store has it" "$("$heddle" report --json - | jq -r '.findings[0].advice[0]')" "$advice"
jq '.findings[0].advice = [1, null, {}, "one"]' race.json >odd.json
report odd.json --junit odd.xml --sarif odd.sarif
is "advice that is none: exit status" "$code" 0
sarif "advice that is none" odd.sarif
jq '.findings[0].advice = "none"' race.json >odd.json
report odd.json --junit odd.xml
is "advice that is no list: exit status" "$code" 0
is "a race: nothing else failed" "$(xmllint --xpath 'count(//failure)' race.xml)" 1

# From JSON, later: the same.
report race.json --sarif again.sarif --junit again.xml --html again.html
is "from JSON: exit status" "$code $said$errors" "0 "
ok "from JSON: the same SARIF" cmp race.sarif again.sarif
ok "from JSON: the same XML" cmp race.xml again.xml
ok "from JSON: the same page" cmp race.html again.html
is "to standard output" "$("$heddle" report race.json --sarif - | cmp - race.sarif && echo same)" same
is "from standard input" "$("$heddle" report - --sarif - <race.json | cmp - race.sarif && echo same)" same

# The fingerprint stays when lines move, and is another one for another function.
fingerprint() {
	jq -r '.runs[0].results[0].partialFingerprints["heddle/v1"]' "$1"
}
mkdir moved other
{ printf '/* one\n * two */\n\n' && cat race.c; } >moved/race.c
sed 's/\bwork\b/labour/g' race.c >other/race.c
for folder in moved other; do
	(cd "$folder" && "$cc" -g -O0 -pthread race.c -o race &&
		timeout -s KILL 120 "$heddle" test --classify no --runs 50 --seed 7 --sarif race.sarif -- ./race >said 2>&1 </dev/null)
	sarif "$folder" "$folder/race.sarif"
done
is "lines that moved" "$(jq '.runs[0].results[0].locations[0].physicalLocation.region.startLine' moved/race.sarif)" 8
same "lines that moved: the same fingerprint" "$(fingerprint moved/race.sarif)" "$(fingerprint race.sarif)"
unlike "another function: another fingerprint" "$(fingerprint other/race.sarif)" "$(fingerprint race.sarif)"
like "a fingerprint" "$(fingerprint race.sarif)" '^[0-9a-f]{32}$'

# The class of a race decides how bad it is.
while read -r class rule level failures; do
	jq --arg class "$class" '.findings[0] += {class: $class, verdict: "is what it is", why: "because", difference: "  - a\n  + b\n"}' race.json >classed.json
	report classed.json --sarif classed.sarif --junit classed.xml
	sarif "$class" classed.sarif
	xml "$class" classed.xml
	is "$class: the rule and the level" "$(jq -r '.runs[0] | .results[0] as $it | "\($it.ruleId) \($it.level) \(.tool.driver.rules[$it.ruleIndex].id)"' classed.sarif)" "$rule $level $rule"
	like "$class: the verdict is in the text" "$(jq -r '.runs[0].results[0].message.text' classed.sarif | tr '\n' '|')" '\|This race is what it is\. Why: because\.\|  - a\|  \+ b\|'
	is "$class: failures of JUnit" "$(xmllint --xpath 'count(//testcase[@name="data-race"]/failure)' classed.xml)" "$failures"
	like "$class: JUnit has it" "$(xmllint --xpath 'string(//testcase[@name="data-race"])' classed.xml | tr '\n' '|')" '\|This race is what it is\. Why: because\.\|'
done <<-END
	spec-violated data-race-harmful error 1
	output-differs data-race warning 1
	harmless data-race-harmless note 0
	single-ordering data-race-harmless note 0
	undecided data-race warning 1
	a-later-one data-race warning 1
END
is "severities are of rules, worse for what leads to failures" \
	"$(jq -c '[.runs[0].tool.driver.rules[] | select(.id | startswith("data-race")) | [.id, .properties."security-severity"]]' classed.sarif)" \
	'[["data-race","5.9"],["data-race-candidate",null],["data-race-harmful","7.5"],["data-race-harmless",null]]'
jq '.findings = [(.findings[0] | .class = "harmless" | .id = "H7"), (.findings[0] | .class = "spec-violated" | .id = "H8" | .group = "H8")] | .groups = []' race.json >worst.json
report worst.json --junit worst.xml --sarif worst.sarif
is "the worst is first" "$(jq -c '[.runs[0].results[].properties.id]' worst.sarif) $(xmllint --xpath 'string(//failure)' worst.xml | grep -oE '^H[78]' | tr '\n' ' ')" '["H8","H7"] H8 H7 '

# Sources in a folder: paths are relative to the root.
report race.json --root "$work/moved" --sarif rooted.sarif
is "another root: the file is there" "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' rooted.sarif)" race.c
mkdir -p deep/src && cp race.c deep/src/race.c
jq --arg file "$work/deep/src/race.c" '.findings[0].sites[].file = $file' race.json >deep.json
report deep.json --root deep --sarif deep.sarif
is "an absolute path below the root" "$(jq -c '.runs[0].results[0].locations[0].physicalLocation.artifactLocation' deep.sarif)" \
	'{"uri":"src/race.c","uriBaseId":"%SRCROOT%"}'
report deep.json --root moved --sarif deep.sarif
is "an absolute path elsewhere" "$(jq -c '.runs[0].results[0].locations[0].physicalLocation.artifactLocation' deep.sarif)" \
	"{\"uri\":\"file://$work/deep/src/race.c\"}"
sarif "an absolute path elsewhere" deep.sarif

# A deadlock: three threads, places of the program where the code is a library's.
"$cc" -g -O2 -pthread "$root/examples/deadlock.c" -o deadlock
timeout -s KILL 120 "$heddle" test --classify no --runs 60 --json deadlock.json --sarif deadlock.sarif --junit deadlock.xml -- ./deadlock >said 2>&1 </dev/null
sarif "a deadlock" deadlock.sarif
xml "a deadlock" deadlock.xml
is "a deadlock: the level" "$(jq -r '.runs[0].results[0].level' deadlock.sarif)" error
is "a deadlock: each thread ends where it waits" \
	"$(jq -c '[.runs[0].results[0].codeFlows[0].threadFlows[] | [.id, (.locations[-1] | .importance, .location.physicalLocation.region.startLine)]] | sort' deadlock.sarif)" \
	'[["1","essential",43],["2","essential",22],["3","essential",22]]'
is "a deadlock: locks are taken in the flows" \
	"$(jq -c '[.runs[0].results[0].codeFlows[].threadFlows[].locations[] | select(.kinds == ["acquire","lock"])] | length' deadlock.sarif)" 4

# A crash: its interleaving is that of the reduced schedule, where another thread may be the one that crashes.
"$cc" -g -O1 -pthread -I"$root/include" "$root/bugs/pbzip2-queue-delete.c" -o crash 2>/dev/null
timeout -s KILL 120 "$heddle" test --classify no --runs 40 --json crash.json --sarif crash.sarif -- ./crash >said 2>&1 </dev/null
sarif "a crash" crash.sarif
is "a crash: the row where it is" "$(jq -c 'first(.findings[] | select(.kind == "crash")) | [.interleaving[] | select(.site == 0) | .what, .line]' crash.json)" '["unlock 0x0",68]'
is "a crash: nothing is done after it" "$(jq -c 'first(.findings[] | select(.kind == "crash")) | [.interleaving[] | select(.what | test(", not done$") | not)][-1].site' crash.json)" 0
is "a crash: the worst is the first result" "$(jq -r '.runs[0].results[0].ruleId' crash.sarif)" crash

# What is not woven cannot have races that are seen.
clang-19 -g -pthread race.c -o plain
timeout -s KILL 120 "$heddle" test --classify no --allow-unwoven --runs 12 --junit plain.xml --sarif plain.sarif -- ./plain >said 2>&1 </dev/null
is "nothing found: exit status" $? 0
sarif "nothing found" plain.sarif
xml "nothing found" plain.xml
is "not woven: races are skipped" "$(xmllint --xpath 'count(//testcase[@name="data-race"]/skipped)' plain.xml)" 1
like "notes are in SARIF" "$(jq -r '.runs[0].invocations[0].toolExecutionNotifications[].message.text' plain.sarif)" 'not woven'
like "notes are in JUnit" "$(xmllint --xpath 'string(//system-out)' plain.xml)" 'not woven'

# Hostile strings: markup, control characters, bytes that are not UTF-8, quotes, newlines, links of SARIF.
evil=$'</script><img src=x onerror=alert(1)>]]>&amp;"\'\n\x1b[31mred [x](1) \\ %41 a:b'
jq -c --arg evil "$evil" '.program = "/tmp/" + $evil | .arguments = [$evil, "-x"] | .notes = [$evil] | .findings[0] |= (.summary = $evil |
	.details = $evil + "\n" + $evil | .id = "H1" | .replay = $evil | .trace = $evil | .name = $evil | .threads = {"2": $evil, "3": $evil} |
	.sites[] |= (.file = $evil | .function = $evil | .variable = $evil | .access = $evil | .before = $evil) |
	.interleaving[] |= (.file = "..//" + $evil | .what = $evil))' race.json >evil.json
# A byte that is no UTF-8, and characters that no XML may have, straight into strings.
LC_ALL=C sed 's/red /red \xff\xfe\xc3 \\u0000 \\ud800 \\uffff \\u0001 /g' evil.json >evil2.json
for name in evil evil2; do
	report "$name.json" --sarif "$name.sarif" --junit "$name.xml" --html "$name.html"
	is "$name: exit status" "$code $errors" "0 "
	sarif "$name" "$name.sarif"
	xml "$name" "$name.xml"
	ok "$name: SARIF is UTF-8" iconv -f UTF-8 -t UTF-8 "$name.sarif"
	ok "$name: the page is UTF-8" iconv -f UTF-8 -t UTF-8 "$name.html"
	is "$name: no control characters" "$(LC_ALL=C tr -d '\n\t' <"$name.sarif" | LC_ALL=C grep -c '[[:cntrl:]]')" 0
	is "$name: no markup in the page" "$(grep -c '<img' "$name.html")" 0
	is "$name: scripts in the page" "$(grep -o '</script' "$name.html" | wc -l)" 2
done
is "the message is what it was, with brackets of links escaped" \
	"$(jq -r '.runs[0].results[0].message.text' evil.sarif | head -n 2 | sed -n 2p)" "$(printf '\033[31mred [x](1) \\ %%41 a:b' | sed 's/[][\\]/\\&/g')"
is "XML has the markup as text" "$(xmllint --xpath 'string(//testcase[@name="data-race"]/failure/@message)' evil.xml | head -n 1)" \
	$'</script><img src=x onerror=alert(1)>]]>&amp;"\''

# A document of somebody else's does not bring other files into a report.
echo "int ours; // secret_of_ours" >"$TMPDIR/secret.c"
mkdir inside && ln -s "$TMPDIR/secret.c" inside/link.c
for file in "$TMPDIR/secret.c" ../tmp/secret.c link.c; do
	jq --arg file "$file" '.findings[0].sites[] |= (.file = $file | .line = 1 | .code = "int ours;")' race.json >leak.json
	report leak.json --root inside --html leak.html
	is "$(basename "$file"): not read" "$code $(grep -c secret_of_ours leak.html)" "0 0"
done
jq --arg file "$TMPDIR/secret.c" '.findings[0].sites[] |= (.file = $file | .line = 1 | .code = "int ours;")' race.json >leak.json
report leak.json --root "$TMPDIR" --html leak.html
is "below the root it is" "$(grep -c secret_of_ours leak.html)" 1

# Ten thousand findings.
jq -c '.findings[0] as $one | .findings = [range(10000) | . as $i | $one | .id = "H\($i + 1)" | .summary += " \($i)" |
	if $i % 100 == 99 then .kind = "crash" else . end | .sites[].function = "f\($i)"]' race.json >many.json
# Of three, the one that the machine disturbed least.
best=$(for _ in 1 2 3; do
	{ TIMEFORMAT="%U %S %R"; time "$heddle" report many.json --html many.html; } 2>&1
done | awk '{ print $1 + $2, "s of processor time," , $3, "s" }' | sort -n | head -n 1)
ok "ten thousand: the page is made in less than 2 s of processor time" awk "BEGIN { exit !(${best%% *} < 2) }"
diag "ten thousand: $best"
report many.json --sarif many.sarif --junit many.xml
sarif "ten thousand" many.sarif
xml "ten thousand" many.xml
is "ten thousand: 5000 results" "$(jq '.runs[0].results | length' many.sarif)" 5000
is "ten thousand: the worst first" "$(jq '[.runs[0].results[:100][].ruleId] | unique == ["crash"]' many.sarif)" true
like "ten thousand: it says so" "$(jq -r '.runs[0].invocations[0].toolExecutionNotifications[0].message.text' many.sarif)" '^only the worst 5000 of 10000 findings'
is "ten thousand: no fingerprint twice" "$(jq -r '.runs[0].results[].partialFingerprints["heddle/v1"]' many.sarif | sort | uniq -d | wc -l)" 0
ok "ten thousand: less than 10 MB compressed" test "$(gzip -c many.sarif | wc -c)" -lt 10000000
like "ten thousand: JUnit counts" "$(xmllint --xpath 'string(//testcase[@name="data-race"]/failure/@message)' many.xml)" '\(and 9899 more\)$'
jq -c '.findings[] |= del(.interleaving) | .findings[].sites[].function = "f" | .findings |= .[:3]' many.json >alike.json
report alike.json --sarif alike.sarif
is "findings that look alike: fingerprints differ" "$(jq '[.runs[0].results[].partialFingerprints["heddle/v1"]] | unique | length' alike.sarif)" 3
is "without an interleaving the places are the flows" "$(jq -c '[.runs[0].results[0].codeFlows[0].threadFlows[] | .locations | length]' alike.sarif)" '[1,1]'
jq '.findings[0].interleaving = [range(5000) | {event: (. + 1), count: 1, thread: (. % 3 + 1), file: "race.c", line: 5, what: "read counter", site: null}] |
	.findings[0].sites = [range(500) | {file: "race.c", line: 5, thread: 1, access: "read"}]' race.json >long.json
report long.json --sarif long.sarif
sarif "a long interleaving" long.sarif
jq '.findings[0] |= (.suppressed = true | .suppression = {file: "s", line: 1, text: "race:work", matched: 3})' race.json >suppressed.json
report suppressed.json --sarif suppressed.sarif --junit suppressed.xml
sarif "suppressed" suppressed.sarif
is "suppressed: SARIF says so, JUnit does not fail" \
	"$(jq -r '.runs[0].results[0].suppressions[0] | .kind, .justification' suppressed.sarif | paste -sd ' ') $(xmllint --xpath 'count(//failure)' suppressed.xml)" "external race:work 0"
jq '.interrupted = true | .findings = []' race.json >broken.json
report broken.json --sarif broken.sarif --junit broken.xml
is "interrupted: no success" "$(jq '.runs[0].invocations[0].executionSuccessful' broken.sarif) $(xmllint --xpath 'count(//error)' broken.xml)" "false 1"
# Members that are missing or of another type.
for change in '.findings[0] |= {}' '.findings[0].sites = "x"' '.findings[0].sites = [1, null, {}]' '.findings[0].interleaving = [{}, 3]' \
	'.findings[0].sites[].line = -1' '.findings[0].kind = "new-kind"' '.findings[0].interleaving[].site = 99' 'del(.program)' '.notes = [1]' \
	'.arguments = null' '.findings[0].sites[].file = ""' '.findings[0].sites[].file = "/"' '.findings[0].sites[].file = "."'; do
	jq "$change" race.json >odd.json
	report odd.json --sarif odd.sarif --junit odd.xml --html odd.html
	is "$change: exit status" "$code $errors" "0 "
	sarif "$change" odd.sarif
	ok "$change: well-formed XML" xmllint --noout odd.xml
done

# Input that is no such document.
bad() {
	report bad.json --sarif bad.sarif
	is "$1: exit status" "$code" 3
	like "$1: said" "$errors" "$2"
	ok "$1: nothing is written" test ! -e bad.sarif
}
: >bad.json && bad "empty" 'invalid JSON'
head -c 300 race.json >bad.json && bad "cut off" 'invalid JSON: line 1'
echo '{"heddle":1,"findings":[]} x' >bad.json && bad "something behind it" 'expected the end'
echo '[]' >bad.json && bad "an array" 'not a report of heddle test'
echo '{"heddle":1}' >bad.json && bad "no findings" 'not a report of heddle test'
echo '{"heddle":2,"findings":[]}' >bad.json && bad "a newer version" 'version 2'
echo '{"heddle":1,"findings":[3]}' >bad.json && bad "a finding that is a number" 'finding 1 is not an object'
printf '%0100000d' 0 | tr 0 '[' >bad.json && bad "nested without end" 'fewer nested values'
printf '{"heddle":1,"findings":[],"a":"\\q"}' >bad.json && bad "an escape that is none" 'a valid escape sequence'
printf '{"heddle":1,"findings":[],"a":01}' >bad.json && bad "a number that is none" 'expected'
head -c 100000 /dev/urandom >bad.json && bad "noise" 'invalid JSON'
rm bad.json && bad "not there" 'No such file'

is "no report asked for: exit status" "$(status "$heddle" report race.json)" 2
is "two to standard output: exit status" "$(status "$heddle" report race.json --sarif - --html -)" 2
is "two to standard output of a test: exit status" "$(status "$heddle" test --classify no --json - --sarif - -- ./race)" 2
is "full disk: exit status" "$(status "$heddle" report race.json --html /dev/full)" 3
is "a folder that is not there: exit status" "$(status "$heddle" report race.json --html no/page.html)" 3
is "a folder that is not there: the test does not begin" "$(status "$heddle" test --classify no --sarif no/x.sarif -- touch ran) $(ls ran 2>&1 | grep -c 'No such')" "3 1"
is "a root that is not there: exit status" "$(status "$heddle" report race.json --root no --html x.html)" 3
is_clean_except=$(ls -A "$TMPDIR" | grep -v '^secret.c$')
is "nothing is left behind" "$is_clean_except" ""
done_testing
