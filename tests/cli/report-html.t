#!/bin/bash
# The HTML report, in a real browser without a window: what is on the page, what a click and a word in the filter do, that nothing is asked
# of any network, and what hostile strings and ten thousand findings do to it. With HEDDLE_SHOTS=DIR it leaves pictures there.
. tests/lib/tap.sh
command -v "${CHROMIUM:-chromium}" >/dev/null || skip_all "there is no chromium: ./setup build installs it"
. tests/lib/cc.sh

# browse COMMANDS...: each is one line for tests/lib/browser; ${got[i]} is what came of number i
browse() {
	mapfile -t got < <(printf '%s\n' "$@" | timeout -s KILL 150 "$root/tests/lib/browser" 2>&1)
	# A browser that does not start on a busy machine is not the page's fault.
	if [ ${#got[@]} -ne $# ]; then
		diag "the browser gave ${#got[@]} answers to $# commands: ${got[*]}"
	fi
}

# count SELECTOR: the expression for how many there are
count() {
	echo "eval document.querySelectorAll('$1').length"
}

# text SELECTOR
text() {
	echo "eval [...document.querySelectorAll('$1')].map((e) => e.textContent)"
}

cp "$root/tests/lib/counter.c" race.c
"$cc" -g -O0 -pthread race.c -o race || fail "race.c is built"
timeout -s KILL 120 "$heddle" test --classify no --runs 50 --json race.json --html race.html -- ./race >said 2>&1 </dev/null
cp "$root/examples/deadlock.c" .
"$cc" -g -O2 -pthread deadlock.c -o deadlock
timeout -s KILL 120 "$heddle" test --classify no --runs 60 --json deadlock.json -- ./deadlock >said 2>&1 </dev/null

# One finding: everything that its JSON has is there.
browse "size 1300 900" "open file://$work/race.html" "$(text '#list b')" "$(text 'h2')" "$(count '#diagram .row')" "$(count '#diagram .marked')" \
	"$(text '#diagram .marked .value')" "$(count '#diagram .switch')" "$(text '#diagram .name')" "$(count '#diagram .race')" \
	"$(text '.source tr.marked')" "$(text '#sites td.value')" "$(text '#replay')" "click #diagram .row.marked" "$(text 'tr.looked td.number')" \
	"eval [document.images.length, document.querySelectorAll('[style]').length]" "shot $work/race.png" problems requests
is "the page loads" "${got[1]}" '"Heddle report"'
is "the list" "${got[2]}" '["H1"]'
like "the headline" "${got[3]}" 'H1 data race on counter'
is "the diagram has every row" "${got[4]}" "$(jq '.findings[0].interleaving | length' race.json)"
is "the racing accesses are marked" "${got[5]}" 2
is "with what they changed" "${got[6]}" \
	"$(jq -c '.findings[0] | . as $f | [.interleaving[] | select(.site != null) | $f.sites[.site] | if .after then .before + " → " + .after else .before end]' race.json)"
is "switches are drawn" "${got[7]}" "$(jq '.findings[0].interleaving | [range(1; length) as $i | .[$i - 1:$i + 1] |
	select(.[0].thread != .[1].thread and (.[1].left_out | not))] | length' race.json)"
is "a column for each thread" "${got[8]}" \
	"$(jq -c '.findings[0] | . as $f | [.interleaving[].thread] | unique | map(. as $t | ([$f.threads["\($t)"] // "", ($f.sites[] | select(.thread == $t).thread_name // "")] |
	map(select(. != "")) | .[0]) as $name | "thread \($t)" + (if $name then " " + $name else "" end))' race.json)"
is "the race is drawn" "${got[9]}" 1
like "the source has the line marked" "${got[10]}" '^\["5T[23] .*counter\+\+;"\]$'
is "the values are in the table" "${got[11]}" "$(jq -c '[.findings[0].sites[] | if .after then .before + " → " + .after else .before end]' race.json)"
like "the replay" "${got[12]}" '"heddle replay H[0-9]+"'
is "a click on an access shows its line" "${got[14]}" '["5"]'
is "no pictures, no styles that the policy would stop" "${got[15]}" '[0,0]'
ok "a picture of it" test "${got[16]}" -gt 10000
is "no complaints" "${got[17]}" '[]'
is "nothing is asked of a network" "${got[18]}" '[]'
shots=${HEDDLE_SHOTS:-}
[ -z "$shots" ] || cp race.png "$shots/race.png"

# The rows of memory that is freed twice, and how threads were left: what JSON has is drawn, in its order.
jq -c '.findings[0].interleaving = [{ event: 5, count: 0, thread: 2, file: "race.c", line: 3, what: "free it", site: null, act: "freed", turn: { how: "preempted", thread: 2, next: 3 } },
	{ event: 4, count: 1, thread: 3, file: "race.c", line: 4, what: "yield", site: null, turn: { how: "yields", thread: 3, next: 2 } },
	{ event: 9, count: 1, thread: 2, file: "race.c", line: 5, what: "read counter", site: 0, left_out: 3 }]' race.json >turns.json
"$heddle" report turns.json --html turns.html
browse "size 1300 900" "open file://$work/turns.html" "$(text '#diagram .row title')" "$(text '#diagram .turn')" "$(count '#diagram .marked')" "$(text '#diagram .quiet')" problems \
	"$(text '#diagram .row text:nth-of-type(1)')" "$(text h3)"
like "rows are drawn in their order, those of memory marked" "${got[2]}" '^\["race\.c:3 free it","race\.c:4 yield","race\.c:5 read counter'
is "how threads were left" "${got[3]}" '["preempted"]'
is "rows of memory are marked" "${got[4]}" 2
is "what is no event has no number, and what is left out is said" "${got[5]}" '["","preempted","4","⋯ 3 events not shown","9"]'
is "turns: no complaints" "${got[6]}" '[]'
is "rows of one file begin with the line" "${got[7]}" '["● 3 free it","4 yield","● 5 read counter"]'
like "the file is named above" "${got[8]}" '"Interleaving, by lines of race\.c"'
# The file of a site may be another one than that of its row, and the line may be near.
jq -c '.findings[0].interleaving[2].file = "other.c" | .findings[0].interleaving[1].is_near = true' turns.json >near.json
jq -c '.findings[0].sites[0].file = "other.c" | .findings[0].interleaving[2].file = "race.c" |
	.findings[0].suppressed = true | .findings[0].suppression = {file: "lines", line: 3, text: "race:x"}' turns.json >two.json
"$heddle" report near.json --html near.html
"$heddle" report two.json --html two.html
browse "open file://$work/near.html" "$(text '#diagram .row text:nth-of-type(1)')" "open file://$work/two.html" "$(text '#diagram .row text:nth-of-type(1)')" \
	"$(text '.facts span')" "$(text '#counts')"
is "a near line has its sign" "${got[1]}" '["● 3 free it","~4 yield","● 5 read counter"]'
is "two files: rows name them" "${got[3]}" '["● race.c:3 free it","race.c:4 yield","● other.c:5 read counter"]'
like "the line that suppresses it" "${got[4]}" '"suppressed by lines:3 \(race:x\)"'
like "what is suppressed is counted apart" "${got[5]}" '; nothing found, 1 suppressed"'

# Lines of a source that was changed since are not shown, and that is said; what did not change is.
cp race.c race.kept
sed 's/counter++/counter += 2/' race.kept >race.c
"$heddle" report race.json --html changed.html
browse "open file://$work/changed.html" "$(text '[data-file="race.c"]')" "$(count '.source tr')" problems
like "a changed source: it is said" "${got[1]}" 'race\.c was changed after the program was built, so its lines are not shown'
is "a changed source: no lines" "${got[2]}" 0
is "a changed source: no complaints" "${got[3]}" '[]'
cp race.kept race.c && touch -r race race.c

# Of 40 lines those around 10 and 24 are shown: one line between them is, too, and does not become a gap. Around 38 there is one.
seq -f 'int line_%g;' 40 >long.c
touch -r race long.c # what is newer than the program is not shown
jq -c '.findings[0].interleaving = [10, 24, 38 + 2 | { event: ., count: 1, thread: 2, file: "long.c", line: ., what: "yield", site: null }]' race.json >long.json
"$heddle" report long.json --html long.html
browse "open file://$work/long.html" "eval [...document.querySelectorAll('[data-file=\"long.c\"] tr')].map((row) => row.dataset.line || 'gap').slice(12, 17)" \
	"$(count '[data-file="long.c"] tr.gap')"
is "a gap is more than one line" "${got[1]}" '["16","17","18","19","20"]'
is "a gap of several lines is one" "${got[2]}" 1

# Of what the store has: two programs, each finding with its own.
"$heddle" report --html=store.html
browse "size 1300 900" "open file://$work/store.html" "$(text '#program')" "$(text '#counts')" "$(text '#list b')" "$(text '.facts span')" "$(count '#diagram .marked')" \
	problems
same "of the store: the programs" "$(jq -r '.[0] | split(", ") | sort | join(" ")' <<<"${got[2]}")" "$(jq -rn '[inputs.program | split("/")[-1]] | sort | join(" ")' race.json deadlock.json)"
is "of the store: schedules of all" "${got[3]}" "[\"$(jq -n '[inputs.schedules] | add' race.json deadlock.json) schedules; 2 findings\"]"
is "of the store: the list" "${got[4]}" '["H1","H2"]'
like "of the store: the program of a finding, and its schedules" "${got[5]}" '"race","in [0-9]+ schedules? of [0-9]+"'
is "of the store: the accesses are marked" "${got[6]}" 2
is "of the store: no complaints" "${got[7]}" '[]'

# Several: lists, filters, links and the way back.
jq -c --slurpfile other deadlock.json '.findings += [($other[0].findings[0] | .id = "H2")] + [range(3; 8) as $i | {id: "H\($i)", kind: "crash", seen: $i,
	summary: "crash number \($i)", sites: [], details: ""}] | .notes = ["a note"]' race.json >several.json
"$heddle" report several.json --html several.html
browse "size 1300 900" "open file://$work/several.html" "$(text '#list b')" "$(text '#kind option')" "$(text '#notes li')" "type #text crash" \
	"$(text '#list b')" "$(text '#matches')" "$(text 'h2')" "type #text  7" "$(text '#list b')" "eval location.hash" \
	"eval (document.querySelector('#text').value = '', document.querySelector('#text').dispatchEvent(new Event('input')), 1)" \
	"eval (document.querySelector('#kind').value = 'deadlock', document.querySelector('#kind').dispatchEvent(new Event('change')), 1)" "$(text '#list b')" \
	"$(count '#diagram .marked')" "$(text '.source h4')" "eval (location.hash = '', new Promise((done) => setTimeout(() => done(1), 50)))" \
	"click #list li:nth-child(4) a" "$(text 'h2')" "eval location.hash" "$(text '#list a[aria-current] b')" \
	"eval new Promise((done) => { addEventListener('popstate', () => setTimeout(() => done(location.hash), 50)); history.back(); })" "$(text 'h2')" \
	"type #text nothing-has-this" "$(text '#matches')" "$(text '#detail')" problems requests
is "several: all are listed" "${got[2]}" '["H1","H2","H3","H4","H5","H6","H7"]'
is "several: kinds with numbers" "${got[3]}" '["All kinds","crash (5)","data-race (1)","deadlock (1)"]'
is "several: notes" "${got[4]}" '["a note"]'
is "a word in the filter" "${got[6]} ${got[7]}" '["H3","H4","H5","H6","H7"] ["5 of 7 findings"]'
is "the first of them is shown" "${got[8]}" '["H3 crash number 3"]'
is "two words" "${got[10]}" '["H7"]'
is "the address has the filter" "${got[11]}" '"#text=crash+7"'
is "a kind in the filter" "${got[14]}" '["H2"]'
is "a deadlock: where the threads wait is marked" "${got[15]}" 3
like "a deadlock: its source" "${got[16]}" 'deadlock\.c'
is "a click in the list" "${got[19]} ${got[20]} ${got[21]}" '["H4 crash number 4"] "#id=H4" ["H4"]'
like "the way back" "${got[22]} ${got[23]}" '^"" \["H1 data race'
is "nothing matches" "${got[25]} ${got[26]}" '["0 of 7 findings"] ["No finding matches."]'
is "several: no complaints, no requests" "${got[27]} ${got[28]}" '[] []'

# Classes: a badge, the sentence, and a filter, which is there only if something has a class.
jq -c '.findings = [(.findings[0] | .class = "harmless" | .verdict = "is harmless in 4 runs" | .why = "both write 1" | .id = "H1" | .group = "H1"),
	(.findings[0] | .class = "spec-violated" | .verdict = "is harmful: it crashes" | .id = "H2" | .group = "H2")] | .groups = []' race.json >classes.json
"$heddle" report classes.json --html classes.html >/dev/null
browse "open file://$work/classes.html" "$(text '#class option')" "$(text '#list .class')" "$(text '#detail #verdict')" "$(text '#detail .badge.note')" \
	"eval (document.querySelector('#class').value = 'spec-violated', document.querySelector('#class').dispatchEvent(new Event('change')), 1)" \
	"$(text '#list b')" "eval location.hash" "$(text '#detail #verdict')" "$(count '#list a.error')" "open file://$work/several.html" "eval document.querySelector('#class').hidden"
is "classes: with numbers" "${got[1]}" '["All classes","harmless (1)","spec-violated (1)"]'
is "classes: in the list" "${got[2]}" '["harmless","spec-violated"]'
is "classes: the sentence" "${got[3]}" '["This race is harmless in 4 runs. Why: both write 1."]'
is "classes: badges" "${got[4]}" '["data-race","harmless"]'
is "a class in the filter" "${got[6]}" '["H2"]'
is "a class in the address" "${got[7]}" '"#class=spec-violated"'
is "a class in the filter: the one that is shown" "${got[8]}" '["This race is harmful: it crashes."]'
is "a class decides the colour" "${got[9]}" 1
is "no classes, no filter" "${got[11]}" true

# A link to one; what is dark; what is narrow; what has nothing in it.
jq -c '.findings = []' race.json >none.json
"$heddle" report none.json --html none.html
browse "size 380 800" "scheme dark" "open file://$work/several.html#id=H2" "$(text 'h2')" "eval getComputedStyle(document.body).backgroundColor" \
	"eval document.documentElement.scrollWidth <= innerWidth" "shot $work/narrow.png" "scheme light" "eval getComputedStyle(document.body).backgroundColor" \
	"open file://$work/none.html" "$(text '#detail')" problems requests
like "a link" "${got[3]}" 'H2 deadlock'
is "dark" "${got[4]}" '"rgb(20, 23, 28)"'
is "narrow: the page does not scroll sideways" "${got[5]}" true
is "light" "${got[8]}" '"rgb(255, 255, 255)"'
is "nothing found" "${got[10]}" '["Nothing was found."]'
is "these: no complaints, no requests" "${got[11]} ${got[12]}" '[] []'
[ -z "$shots" ] || cp narrow.png "$shots/narrow.png"

# Hostile strings are text, everywhere, and only our own script runs.
evil=$'</script><script>alert(1)</script><img src=x onerror=alert(1)><!--\x1b[31m"\'&lt;'
cat >evil.c <<'END2'
/* </script><script>alert(2)</script><img src=http://127.0.0.1:9/x onerror=alert(3)><!-- */
END2
touch -r race evil.c
jq -c --arg evil "$evil" '.program = $evil | .arguments = [$evil] | .notes = [$evil] | .findings[0] |= (.summary = $evil | .details = $evil | .id = $evil |
	.kind = $evil | .class = $evil | .standing = $evil | .needs = $evil | .preemptions = 1 | .replay = $evil | .name = $evil | .threads = {"2": $evil, "3": $evil} |
	.sites[] |= (.file = "evil.c" | .line = 1 | .code = null | .function = $evil | .variable = $evil | .access = $evil | .before = $evil | .after = $evil) |
	.interleaving[] |= (.file = "evil.c" | .line = 1 | .what = $evil)) | .findings[1] = (.findings[0] | .sites[].file = $evil | .id = "javascript:alert(1)")' race.json >evil.json
"$heddle" report evil.json --html evil.html
browse "open file://$work/evil.html" "eval [document.images.length, document.scripts.length, document.querySelectorAll('iframe,object,embed,[onerror],[onclick]').length]" \
	"eval [document.querySelector('#program').textContent, document.querySelector('h2').textContent.slice(0, 9), document.querySelector('#needs').textContent] .join('|')" \
	"$(text '.source tr.marked td:last-child')" "eval [...document.links].every((link) => link.protocol === 'file:' && link.hash)" "click #list li:nth-child(2) a" \
	"eval document.querySelector('h2').textContent.slice(0, 19)" "open file://$work/evil.html#text=%3Cimg%20src=x%20onerror=alert(1)%3E" "eval document.images.length" \
	problems requests "eval (() => { const s = document.createElement('script'); s.textContent = 'window.bad = 1'; document.head.append(s); return window.bad === undefined; })()" \
	"eval (() => { const i = document.createElement('img'); document.body.append(i); return new Promise((done) => { i.onerror = () => done('stopped'); i.onload = () => done('loaded'); i.src = 'http://127.0.0.1:9/x.png'; }); })()" \
	"eval fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'stopped')"
is "hostile: no element of theirs" "${got[1]}" '[0,2,0]'
is "hostile: shown as it is" "$(jq -r . <<<"${got[2]}")" "$evil|</script>|$evil"
same "hostile: the source, too" "$(jq -r '.[0]' <<<"${got[3]}")" "$(cat evil.c)"
is "hostile: links stay on the page" "${got[4]}" true
is "hostile: an id that looks like a script" "${got[6]}" '"javascript:alert(1)"'
is "hostile: in the address" "${got[8]}" 0
is "hostile: no complaints, no requests" "${got[9]} ${got[10]}" '[] []'
is "another script would not run" "${got[11]}" true
is "no picture could be asked for" "${got[12]}" '"stopped"'
is "nothing could be sent" "${got[13]}" '"stopped"'

# Ten thousand.
jq -c '.findings[0] as $one | .findings = [range(10000) | . as $i | $one | .id = "H\($i + 1)" | .summary = "finding number \($i)"]' race.json >many.json
"$heddle" report many.json --html many.html
browse "size 1300 900" "open file://$work/many.html" "$(count '#list li')" "$(text '#matches')" "$(text '#more')" "click #more" "$(count '#list li')" \
	"eval performance.mark('typed') && 1" "type #text 9999" "$(text '#list b')" "eval Math.round(performance.now() - performance.getEntriesByName('typed')[0].startTime)" \
	"click #list a" "$(count '#diagram .marked')" problems requests
read -r -a used < <(printf '%s\n' "size 1300 900" "open file://$work/many.html" worked "type #text 9999" worked |
	timeout -s KILL 150 "$root/tests/lib/browser" | sed -n '3p;5p' | paste -sd ' ')
is "ten thousand: the first are listed" "${got[2]} ${got[3]} ${got[4]}" '200 ["10000 findings"] ["Show 200 more"]'
is "ten thousand: more on demand" "${got[6]}" 400
is "ten thousand: found by a word" "${got[9]}" '["H9999","H10000"]'
diag "ten thousand: the filter took ${got[10]} ms; the page took ${used[0]} s of processor time, with the filter ${used[1]}"
ok "ten thousand: the page is there in less than 2 s of processor time" awk -v a="${used[0]}" 'BEGIN { exit !(a > 0 && a < 2) }'
ok "ten thousand: it is filtered in less than 2 s of processor time" awk -v a="${used[0]}" -v b="${used[1]}" 'BEGIN { exit !(b > a && b - a < 2) }'
is "ten thousand: it is shown" "${got[12]}" 2
is "ten thousand: no complaints, no requests" "${got[13]} ${got[14]}" '[] []'
# How a training converged: a page of its own, and on that of a guarded run.
mkdir training && cd training || exit 1
"$cc" -g -O1 -pthread "$root/examples/sale.c" -o sale || fail "sale.c is built"
timeout -s KILL 120 "$heddle" train --quiet --html train.html --json train.json -- ./sale >said 2>&1 </dev/null
is "the training ends" "$?" 0
timeout -s KILL 60 "$heddle" guard --html guard.html --json guard.json -- ./sale >said 2>&1 </dev/null
columns=$(jq '[(.training.gains | length), 160] | min' train.json)
ok "it had runs" test "$columns" -gt 9
runs=$(jq .training.runs train.json) members=$(jq .training.members train.json)
same "the guarded run names the same training" "$(jq -c .training guard.json)" "$(jq -c .training train.json)"
browse "open file://$PWD/train.html" "$(count '#training rect')" "$(text '#training figcaption')" "$(text '#counts')" problems "open file://$PWD/guard.html" "$(count '#training rect')" "$(text '#training text')" problems
is "the plot has a column for each run" "${got[1]}" "$columns"
like "what it says" "${got[2]}" "new members per run. $runs correct runs, $members members; the last [0-9]+ runs added nothing"
is "it is no test" "${got[3]}" '["heddle train"]'
is "nothing goes wrong" "${got[4]}" "[]"
is "the page of the guarded run has it, too" "${got[6]}" "$columns"
like "with its scale" "${got[7]}" "^\\[\"[0-9]+\",\"0\",\"run 1 to $(jq '.training.gains | length' train.json)\"\\]\$"
is "nothing goes wrong there" "${got[8]}" "[]"
jq '.training.gains = [1e300, "x<b>", null, -5, {}] | .training.runs = "<i>"' train.json >hostile.json
"$heddle" report hostile.json --html hostile.html
browse "open file://$PWD/hostile.html" "$(count '#training rect')" "$(count '#training i')" problems
is "hostile numbers" "${got[*]:1}" "5 0 []"
cd "$work" || exit 1
is_clean "nothing is left behind"
done_testing
