#!/bin/bash
# The command line itself: help, version, and that a typing error runs nothing.
. tests/lib/tap.sh
. tests/unit/fake.sh

like "version" "$("$heddle" --version)" '^heddle [0-9]+\.[0-9]+\.[0-9]+$'
like "help lists the commands" "$("$heddle" --help)" '^  sites '
same "help CMD is CMD --help" "$("$heddle" help sites)" "$("$heddle" sites --help)"
same "help help" "$("$heddle" help --help)" "$("$heddle" --help)"
same "-h" "$("$heddle" run -h)" "$("$heddle" help run)"
for command in $("$heddle" help --commands); do
	is "help $command: exit status" "$(status "$heddle" help $command)" 0
	like "help $command: usage" "$("$heddle" $command --help)" "^usage: heddle $command "
	without "help $command: plain words" "$("$heddle" $command --help)" "so many|so much|be had|taken for|has to fit|that can be,"
	for option in $("$heddle" $command --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
		is "$command --$option is known" "$("$heddle" $command --$option --nonsense 2>&1 | grep -c "unknown option \"--$option\"")" 0
	done
done

# usage NAME HINT COMMAND...: fails with status 2 and that hint
usage() {
	name=$1 hint=$2
	shift 2
	got=$("$heddle" "$@" 2>&1)
	is "$name: exit status" "$?" 2
	like "$name: hint" "$got" "$hint"
}

usage "no command" 'heddle --help'
usage "unknown command" 'did you mean heddle sites\?' sits x
usage "unknown command, far off" 'heddle --help' frobnicate
usage "unknown command after help" 'did you mean heddle run\?' help rn
usage "unknown general option" 'did you mean --version\?' --verison
usage "unknown option" 'did you mean --summary\?' sites --sumary x
usage "beginning of an option" 'did you mean --function\?' sites --fun x
usage "short option" 'heddle sites --help' sites -x y
usage "no operand" 'heddle sites --help' sites
usage "two operands" 'unexpected operand "b"' sites a b
usage "a flag with a value" 'takes no value' sites --summary=1 x
usage "a file to write without its name" '--json= requires a file name' sites --json= x
usage "an option without its value" 'requires a value: --file GLOB' sites x --file
usage "not a number" 'expects a number, not "many"' run --top many true
usage "not a number: negative" 'expects a number' run --top -1 true
usage "not a number: empty" 'expects a number' run --top= true
usage "no program" 'heddle run requires' run --count
usage "no program after --" 'heddle run requires' run --
"$heddle" run --cuont -- touch "$work/ran" 2>/dev/null
ok "nothing runs after a typing error" test ! -e "$work/ran"
is "options of the program are its own" "$("$heddle" run --free -- echo --help -- -x 2>/dev/null)" "--help -- -x"
is "also without --" "$("$heddle" run --free echo --count 2>/dev/null)" "--count"

is "full disk" "$("$heddle" --help 2>/dev/null >/dev/full; echo $?)" 3
is "closed output" "$("$heddle" --help 2>/dev/null >&-; echo $?)" 3
done_testing
