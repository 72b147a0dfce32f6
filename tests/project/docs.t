#!/bin/bash
# What the documentation shows is what happens: the demo in docs/TOUR.md, the files it names, the help of the scripts, a
# short run of the bench.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh

# What differs from one machine to another: how fast it is, where memory is, and what is known of libc's own functions.
# Training and guarding, the last part, have native runs, which differ; what it has to show is looked for below.
# The table is as wide as the terminal.
unset COLUMNS
stable() {
	sed -E '/^\$ heddle train/,$d;/^$/d;s/in [0-9.]+ s \([0-9.]+ per second\)/in N s (N per second)/;s/runs in [0-9.]+ s to (reduce|classify)/runs in N s to \1/g;s/0x[0-9a-f]+/0xN/g;/^    at _/d'
}
seconds=$(mktemp)
demo=$({ TIMEFORMAT="%U %S"; time sh mk/demo.sh 2>&1; } 2>"$seconds")
is "the demo runs" $? 0
ok "the demo takes less than a minute of processor time" awk -v used="$(tail -n 1 "$seconds")" 'BEGIN { split(used, s); exit !(s[1] + s[2] > 0 && s[1] + s[2] < 60) }'
rm -f "$seconds"
want=$(sed -n '/^<!-- the demo/,/^<!-- end of the demo/{s/^    //p;}' docs/TOUR.md | stable)
got=$(printf '%s\n' "$demo" | stable)
same "docs/TOUR.md shows what the demo prints (mk/readme.sh writes it)" "$got" "$want"
# shows FILE NAME ID: the part of that name in the file is the finding as the demo prints it
shows() {
	want=$(sed -n "/^<!-- \(one\|the\) $2:/,/^<!-- end of the $2/{s/^    //p;}" "$1" | stable)
	got=$(printf '%s\n' "$demo" | sh mk/readme.sh finding "$3" | stable)
	like "$1: there is a $2" "$want" "^$3 "
	same "$1 shows $3 as the $2" "$got" "$want"
}
shows README.md finding H2
shows docs/MANUAL.md race H1
shows docs/MANUAL.md deadlock H4
ok "README.md has less than 200 lines" test "$(wc -l <README.md)" -lt 200
ok "docs/ARCHITECTURE.md has at most 250 lines" test "$(wc -l <docs/ARCHITECTURE.md)" -le 250
for word in 'data race' 'assertion' 'deadlock' 'came after sale.c:[0-9]+ read left' 'left: 0' 'thread 1 main .* thread 2 .* thread 3'; do
	like "the demo shows: $word" "$demo" "$word"
done

for file in $(grep -oh '`[a-zA-Z.]*[/A-Z][a-zA-Z/_.-]*`' README.md CONTRIBUTING.md docs/*.md docs/design/*.md | tr -d '`' | sort -u); do
	case $file in
	build/* | */ | /* | PROG | SET | CC | CXX | HEDDLE* | *.heddle | *_*) continue ;;
	*/* | *.md | LICENSE | Makefile) ok "$file, named in the documentation, exists" test -e "$file" -o -e "src/$file" ;;
	esac
done

# A figure names the commit it was measured at, and that commit is in the history.
if [ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = false ]; then
	missing=
	for commit in $(grep -ohE 'commit [0-9a-f]{7,40}\b' README.md docs/*.md docs/design/*.md | cut -d' ' -f2 | sort -u); do
		git merge-base --is-ancestor "$commit" HEAD 2>/dev/null || missing="$missing $commit"
	done
	is "the commits that figures name are in the history" "$missing" ""
else
	skip "the commits that figures name are in the history" "the history is not here"
fi

# Links within a document lead to one of its headings. A heading's anchor is its text in lower case, without punctuation, with hyphens for blanks.
for file in README.md CONTRIBUTING.md docs/*.md docs/design/*.md; do
	anchors=$(sed -n 's/^##* //p' "$file" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-')
	for link in $(grep -oh '](#[^)]*)' "$file" | tr -d ']()#' | sort -u); do
		ok "$file: the link #$link leads to a heading" grep -qx -e "$link" <<<"$anchors"
	done
done
is "the manual has a list of its chapters" "$(sed -n 's/^[0-9]*\. .*](#\(.*\))$/\1/p' docs/MANUAL.md)" \
	"$(sed -n 's/^## //p' docs/MANUAL.md | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-')"

# The table of options in the manual, and those of --help, each have what the other has (some share a row).
help=$(build/bin/heddle run --help)
rows=$(sed -n '/^| option/,/^$/p' docs/MANUAL.md)
for option in $(printf '%s\n' "$rows" | grep -o -e '--[a-z][a-z]*' | sort -u); do
	like "heddle run has $option, named in the manual" "$help" "^  $option[[ ]"
done
for option in $(printf '%s\n' "$help" | grep -o -e '^  --[a-z]*' | grep -v -e --help -e --verbose); do
	like "the manual has $option" "$rows" "\`$option[\` ]"
done
for version in TRACE_VERSION HEDDLE_ABI_VERSION STORE_VERSION; do
	now=$(sed -n "s/^#define $version \([0-9]*\)u$/\1/p" src/trace/trace.h include/heddle/abi.h src/store/schema.h)
	like "docs/FORMATS.md has $version $now" "$(cat docs/FORMATS.md)" "\| $now \| \`$version\`"
done

like "make help lists the targets" "$(make help)" "^  demo  .*"
for target in all test demo bench lint fmt install help; do
	like "make help lists $target" "$(make help)" "^  $target "
done
like "setup, README and CI agree" "$(cat .ci/run)" "setup test"

ok "tests/run --help" tests/run --help
tests/run --wrong >/dev/null 2>&1
is "tests/run refuses an unknown option" $? 2
ok "bench/run --help" bench/run --help
for wrong in "--only nothing" "--runs 3" "--wrong"; do
	bench/run $wrong >/dev/null 2>&1
	is "bench/run refuses $wrong" $? 2
done
for other in control detect bugs shapes classify check operations; do
	ok "bench/run $other --help" bench/run $other --help
	bench/run $other --wrong >/dev/null 2>&1
	is "bench/run $other refuses --wrong" $? 2
done
tests/real/build nothing woven >/dev/null 2>&1
is "tests/real/build refuses an unknown program" $? 2

output=$(bench/run --quick --only hash 2>&1)
is "a short bench runs" $? 0
like "it prints a row of ratios" "$output" '^\| hash \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|'
like "and the geometric mean" "$output" '^\| \*\*geometric mean\*\* \| \*\*[0-9.]+\*\* \|'
output=$(bench/run detect --quick --only hash 2>&1)
is "a short bench of detection runs" $? 0
like "it prints times, ratios and memory" "$output" '^\| hash( \| [0-9.]+){8} \|$'
# Two locks in opposite order: all three tools know that, and find nothing in the twin.
output=$(bench/run bugs --quick --only deadlock-two-locks 2>&1)
is "a short bench of bugs runs" $? 0
like "it prints what was found" "$output" \
	'^\| deadlock-two-locks \| deadlock \| 2 of 2 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| 100 \| 2 of 2 \| [0-9.]+ \| 0 of 2 \|'
done_testing
