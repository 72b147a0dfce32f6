#!/bin/bash
# SARIF is valid by the schema of OASIS for 2.1.0: of findings of several kinds, of none, of the store, and of hostile strings.
. tests/lib/tap.sh
. tests/lib/cc.sh
why=$("$root/tests/lib/sarif-schema" --install) || skip_all "$why"
unset HEDDLE_STORE

# valid NAME FILE
valid() {
	is "$1: valid" "$("$root/tests/lib/sarif-schema" "$2" 2>&1)" ""
}

cp "$root/tests/lib/counter.c" race.c
"$cc" -g -O1 -pthread race.c -o race
"$cc" -g -O2 -pthread "$root/examples/deadlock.c" -o deadlock
"$cc" -g -O1 -pthread -I"$root/include" "$root/bugs/pbzip2-queue-delete.c" -o crash 2>/dev/null
printf 'int main(void) { return 0; }\n' >nothing.c
"$cc" nothing.c -o nothing
for name in race deadlock crash nothing; do
	timeout -s KILL 120 "$heddle" test --classify no --runs 40 --quiet --json=$name.json --sarif=$name.sarif -- ./$name >said 2>&1 </dev/null
	valid "$name" $name.sarif
done
is "they have what is said of them" "$(jq -r '.runs[0].results[0].ruleId // "none"' race.sarif deadlock.sarif crash.sarif nothing.sarif | paste -sd ' ')" \
	"data-race deadlock crash none"
printf 'race:work\n' >unwanted
timeout -s KILL 120 "$heddle" test --classify no --runs 10 --quiet --suppressions unwanted --sarif=suppressed.sarif -- ./race >said 2>&1 </dev/null
valid "suppressed" suppressed.sarif
is "suppressed: it is" "$(jq '.runs[0].results[0].suppressions | length' suppressed.sarif)" 1
"$heddle" report --all --sarif=store.sarif
valid "of the store" store.sarif
is "of the store: it has findings" "$(jq '.runs[0].results | length > 2' store.sarif)" true

evil=$'</script>]]>&"\'\n\x1b[31m [x](1) \\ %41 a:b \xff'
jq -c --arg evil "$evil" '.program = "/tmp/" + $evil | .arguments = [$evil] | .notes = [$evil] | .findings[0] |= (.summary = $evil | .details = $evil |
	.id = $evil | .replay = $evil | .trace = $evil | .name = $evil | .threads = {"2": $evil} |
	.sites[] |= (.file = $evil | .function = $evil | .variable = $evil | .access = $evil | .before = $evil) |
	.interleaving[] |= (.file = "..//" + $evil | .what = $evil))' race.json >evil.json
"$heddle" report evil.json --sarif=evil.sarif
valid "hostile strings" evil.sarif
for change in '.findings[0] |= {}' '.findings[0].sites = [1, null, {}]' '.findings[0].interleaving = [{}, 3]' '.findings[0].sites[].line = -1' \
	'.findings[0].kind = "new-kind"' 'del(.program)' '.findings[0].sites[].file = "/"' '.findings[0].sites[].file = "a b:c"'; do
	jq "$change" race.json >odd.json
	"$heddle" report odd.json --sarif=odd.sarif
	valid "$change" odd.sarif
done
jq -c '.findings[0] as $one | .findings = [range(10000) | . as $i | $one | .id = "H\($i + 1)"]' race.json >many.json
"$heddle" report many.json --sarif=many.sarif
valid "ten thousand" many.sarif

# What is not valid is noticed.
for change in '.version = "2.0.0"' '.runs[0].results[0].level = "bad"' '.runs[0].results[0].locations[0].physicalLocation.region.startLine = 0' \
	'del(.runs[0].tool)' '.runs[0].extra = 1' '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri = "a b"'; do
	jq "$change" race.sarif >wrong.sarif
	like "wrong: $change" "$("$root/tests/lib/sarif-schema" wrong.sarif 2>&1)" '^wrong\.sarif: .* must '
done
done_testing
