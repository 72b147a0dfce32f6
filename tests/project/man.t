#!/bin/bash
# The manual pages: one for each program and each command, without a fault, with every option that --help has and no other;
# and the completion of bash, asked as bash asks it.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
heddle=$build/bin/heddle pages=$build/share/man/man1 completion=$build/share/bash-completion/completions/heddle
[ -x "$heddle" ] && [ -d "$pages" ] || skip_all "run make first"
command -v man >/dev/null || skip_all "there is no man: ./setup build installs it"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8

# shown FILE: the page as a reader gets it, in one long line a paragraph
shown() {
	(cd "$build/share/man" && MANWIDTH=2000 MANOPT='' man -E UTF-8 -l "man1/$1.1" 2>/dev/null | col -b -x | sed 's/  */ /g')
}

# options FILE: the options that have an entry of their own in the page, sorted
options() {
	sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/{s/^\\fB\\-\\-\([a-z\\-]*\)\\fR.*/\1/p;}' "$pages/$1.1" | tr -d '\\' | sort
}

commands=$("$heddle" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
like "there are commands" "$commands" '^doctor$'
is "the pages are those of the programs and the commands" "$(cd "$pages" && echo *)" \
	"$(printf '%s.1\n' heddle heddle-cc heddle-c++ $(printf 'heddle-%s ' $commands) | sort | tr '\n' ' ' | sed 's/ $//')"
for page in "$pages"/*.1; do
	name=$(basename "$page" .1)
	is "$name: man has nothing to say about it" "$(cd "$build/share/man" && man --warnings=w -E UTF-8 -l "man1/$name.1" 2>&1 >/dev/null)" ""
	text=$(shown "$name")
	like "$name: its name" "$text" '^ heddle[a-z+-]* - [a-z]'
	like "$name: its exit status" "$text" '^EXIT STATUS$'
	like "$name: version and other pages" "$text" '^SEE ALSO$'
	is "$name: no character is lost" "$(printf '%s\n' "$text" | grep -c '\\f\|\\-')" 0
done
for command in $commands; do
	help=$("$heddle" "$command" --help)
	is "heddle-$command: the options of --help" "$(options "heddle-$command")" \
		"$(printf '%s\n' "$help" | sed -n 's/^  --\([a-z-]*\)[[ ].*/\1/p' | sort)"
	text=$(shown "heddle-$command")
	while read -r line; do
		case $text in *"$line"*) ;; *) fail "heddle-$command: $line" ;; esac
	done < <(printf '%s\n' "$help" | sed -nE 's/^  --[a-z-]*(\[=[A-Z]*\])? *([A-Z:]+ )* *//p' | grep -v '^print this help$' | sed 's/  */ /g')
	like "heddle(1) has $command" "$(shown heddle)" "^ heddle-$command\(1\)"
done
# An option means the same kind of value in every command, but for --from: the first event of a replay, and the log of a classification.
is "no option with a value here and without one there" "$(for command in $commands; do
	"$heddle" "$command" --help | grep -oE '^  --[a-z-]+( [A-Z:]+|\[=[A-Z]+\])?'
done | grep -vx '  --from EVENT' | sort -u | awk '{ print $1 }' | sed 's/\[.*//' | uniq -d)" ""
is "heddle-cc: the options of --heddle-help" "$(options heddle-cc)" \
	"$("$build/bin/heddle-cc" --heddle-help | sed -n 's/^  --\([a-z-]*\).*/\1/p' | sort)"
same "heddle-c++ is heddle-cc's" "$(shown heddle-c++)" "$(shown heddle-cc)"
# What the examples say is understood: an option that is not known would be told before the program is looked for.
grep -h '^heddle [a-z]* ' man/*.roff | sed 's/\\fI[A-Z]*\\fR//;s/\\//g' >"$work/examples"
like "there are examples" "$(cat "$work/examples")" '^heddle test -- ./prog'
while read -r line; do
	got=$(cd "$work" && eval "\"\$heddle\" ${line#heddle }" 2>&1 </dev/null)
	is "example: $line: status" $? 3
done < <(sed 's,2>/dev/null,,' "$work/examples")
is "a page of a command that is not there" "$("$heddle" help --man nothing 2>&1 >/dev/null; echo $?)" "heddle: error: unknown command \"nothing\"
heddle: hint: heddle --help lists the commands
2"

# The completion. complete_line WORD...: what bash offers for the last word, sorted, on one line.
complete_line() {
	(
		cd "$work/here" || exit
		. "$completion"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
		_heddle heddle "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>&1
		printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' | sed 's/^ *//;s/ $//'
	)
}
mkdir "$work/here" "$work/here/folder"
touch "$work/here/one.trace" "$work/here/two words"
ok "the completion is good bash" bash -n "$completion"
ok "it is registered" bash -c ". '$completion' && complete -p heddle | grep -q -- '-F _heddle heddle'"
is "commands" "$(complete_line heddle re)" "replay report"
same "all commands" "$(complete_line heddle '')" "$(printf '%s\n' $commands help --help --version | sort | tr '\n' ' ' | sed 's/ $//')"
is "options" "$(complete_line heddle run --st)" "--stats --strategy"
is "options after others" "$(complete_line heddle run --seed 4 --trace x --rep)" "--repeat"
is "values of an option" "$(complete_line heddle run --strategy r)" "random reverse round-robin"
is "other values of another command" "$(complete_line heddle test --strategy re)" "reads-from reverse"
is "behind an equals sign" "$(complete_line heddle test --strategy = p)" "pct period portfolio pos priority"
is "at an equals sign" "$(complete_line heddle test --output =)" "exact ignore lines"
is "in one word" "$(complete_line heddle test --output=e)" "--output=exact"
is "dates" "$(complete_line heddle run --date '')" "fixed real"
is "states" "$(complete_line heddle list --state '')" "fixed known new suppressed"
is "kinds" "$(complete_line heddle list --kind d)" "data-race deadlock"
is "a file as the value" "$(complete_line heddle run --trace o)" "one.trace"
is "nothing for a number" "$(complete_line heddle run --seed '')" ""
is "a file as the operand" "$(complete_line heddle replay one)" "one.trace"
is "options behind an operand" "$(complete_line heddle replay one.trace --colu)" "--columns"
is "a name with a blank" "$(complete_line heddle sites two)" "two words"
is "a program" "$(complete_line heddle run -- fold | tr ' ' '\n' | grep -x folder)" "folder"
like "a program of PATH" "$(complete_line heddle test -- bas)" '(^| )bash( |$)'
is "options of the program are not ours" "$(complete_line heddle test -- ./prog --str)" ""
is "nor without the dashes" "$(complete_line heddle test ./prog --str)" ""
is "its files" "$(complete_line heddle test -- ./prog on)" "one.trace"
is "help" "$(complete_line heddle help do)" "doctor"
is "a file to write, behind an equals sign" "$(complete_line heddle sites --json = o)" "one.trace"
is "a file to write, in one word" "$(complete_line heddle list --json=o)" "--json=one.trace"
is "a file to write, as the next word" "$(complete_line heddle test --json o)" "one.trace"
is "where the next word is the operand" "$(complete_line heddle sites --json two)" "two words"
is "an option behind one without a file" "$(complete_line heddle test --json --sand)" "--sandbox"
is "a program behind one without a file" "$(complete_line heddle test --json -- ./prog on)" "one.trace"
is "a folder as the value" "$(complete_line heddle list --store f)" "folder"
# Ids of findings
printf 'int main(void) { return 3; }\n' >"$work/bad.c"
"${CC:-cc}" "$work/bad.c" -o "$work/bad"
(cd "$work/here" && "$heddle" test --runs 2 --quiet --store ../kept -- ../bad </dev/null >/dev/null 2>&1)
cp -r "$work/kept" "$work/here/.heddle"
for command in show forget replay report; do
	is "ids: $command" "$(complete_line "$heddle" $command H)" "H1"
done
is "ids: several" "$(complete_line "$heddle" report H1 H)" "H1"
is "ids: of another store" "$(rm -r "$work/here/.heddle" && complete_line "$heddle" show --store ../kept H)" "H1"
is "ids: of another store, in one word" "$(complete_line "$heddle" show --store=../kept H)" "H1"
is "ids: of another store, behind an equals sign" "$(complete_line "$heddle" show --store = ../kept H)" "H1"
is "ids: without a store" "$(complete_line "$heddle" show H)" ""
is "ids: a file is one where it may be" "$(complete_line "$heddle" replay one)" "one.trace"
is "doctor has no operands" "$(complete_line heddle doctor '')" ""
is "an unknown command" "$(complete_line heddle frob '')" ""
is "nothing is run" "$(complete_line heddle run '--x$(touch ran)=-' ; ls "$work/here" | grep ran)" ""
for option in $("$heddle" test --help | sed -n 's/^  \(--[a-z-]*\)[[ ].*/\1/p'); do
	like "test $option is completed" "$(complete_line heddle test "$option")" "(^| )$option( |\$)"
done

# complete_cc WORD...: the same for heddle-cc
complete_cc() {
	(
		. "$completion-cc"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_heddle_cc 2>&1
		printf '%s\n' "${COMPREPLY[@]}" | sort | xargs
	)
}
is "heddle-cc: its own options" "$(complete_cc heddle-cc -O2 --heddle-)" \
	"$("$build/bin/heddle-cc" --heddle-help | sed -n 's/^  \(--[a-z-]*=\{0,1\}\).*/\1/p' | sort | xargs)"
is "heddle-cc: one of them" "$(complete_cc heddle-cc --heddle-j)" "--heddle-jobs="
is "heddle-cc: clang's are left to the default" "$(complete_cc heddle-cc -fsan)" ""
ok "heddle-c++: the same" cmp "$completion-cc" "$completion-c++"
done_testing
