#!/bin/bash
# Every command in README.md and docs/MANUAL.md is executed: those behind a prompt, in their order, in a folder with a program of
# one's own, and what they print is compared where it is shown; those within sentences by themselves. A command that is
# neither executed here nor named below with the test that does it fails.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
[ -x "$build/bin/heddle" ] || skip_all "run make first"
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
PATH=$build/bin:$PATH
unset COLUMNS HEDDLE_STORE HEDDLE_SUPPRESSIONS

# commands FILE: each command behind a prompt, after a line "command", and the lines that are shown behind it, after "shows"
commands() {
	awk '/^<!-- the demo/ { is_demo = 1 }
		/^<!-- end of the demo/ { is_demo = 0 }
		is_demo { next }
		/^    \$ / { print "command " substr($0, 7); is_in = 1; next }
		/^    / { if (is_in) print "shows " substr($0, 5); next }
		/./ { is_in = 0 }' "$1"
}

# same: what differs from one machine to another is taken out
same() {
	sed -E '/^$/d;/^heddle:     at /{/deadlock\.c/!d;};s/[0-9.]+ per second/N per second/;s/in [0-9.]+ s \(/in N s (/;s/runs in [0-9.]+ s to (reduce|classify)/runs in N s to \1/g;s/0x[0-9a-f]+/0xN/g'
}

# A folder with a program of one's own, as the text has it: sources, ways to build it, an older build that was tested.
prepare() {
	mkdir "$work" && cd "$work" || exit 1
	cp "$root"/examples/*.c .
	cp tickets.c prog.c
	printf 'CFLAGS = -O1 -g -pthread\nprog: prog.c\n\t$(CC) $(CFLAGS) $< -o $@\n' >Makefile
	printf '#!/bin/sh\nfor word; do export "$word"; done\n[ -n "$CC" ] && [ -n "$CXX" ] && $CC -g -O1 -pthread prog.c -o configured\n' >configure
	chmod +x configure
	mkdir inputs corpus
	echo '--strict --mode "very strict"' >inputs/modes.args
	echo 1 >corpus/one
	printf 'cmake_minimum_required(VERSION 3.16)\nproject(prog C CXX)\nadd_executable(prog prog.c)\n' >CMakeLists.txt
	heddle-cc -O2 -g -pthread prog.c -o prog-old
	heddle test --runs 5 --quiet -- ./prog-old >/dev/null 2>&1 </dev/null
	heddle-cc -O1 -g -pthread prog.c -o prog
}

# elsewhere COMMAND: which test executes it, with a pattern of how it is written there
elsewhere() {
	case $1 in
	"./setup build" | "./setup demo" | "./setup test") echo "tests/project/setup.t /setup\" ${1#* }" ;;
	"dpkg-buildpackage -us -uc -b") echo "tests/long/debian.t dpkg-buildpackage" ;;
	"make demo") echo "tests/project/docs.t mk/demo\.sh" ;;
	"make test") echo "tests/project/setup.t test:" ;;
	"make bench") echo "tests/project/docs.t bench/run --quick" ;;
	esac
}

# perform NAME COMMAND: executes it; $printed, $ended. Returns 1 when nobody knows how.
perform() {
	local where
	where=$(elsewhere "$2")
	printed='' ended=0
	if [ -n "$where" ]; then
		ok "$1: executed by ${where%% *}" grep -Eq -e "${where#* }" "$root/${where%% *}"
		return 2
	fi
	case $2 in
	"make install "* | "make uninstall "*) printed=$(cd "$root" && HOME=$work/home eval "$2" 2>&1) ;;
	"make "* | "./configure "* | ./bank | ./deadlock | "clang-19 "* | ./harmless-tsan* | "heddle "* | "heddle-cc "*) printed=$(eval "timeout -s KILL 120 $2" 2>&1 </dev/null) ;;
	"cmake "*)
		command -v cmake >/dev/null || { skip "$1" "there is no cmake" && return 2; }
		printed=$(eval "$2" 2>&1 </dev/null)
		;;
	*) return 1 ;;
	esac
	ended=$?
}

# judge NAME COMMAND: whether it ended as such a command does
judge() {
	case $2 in
	# A replay passes on how the program ended: 134 is the assertion that the race leads to.
	"heddle replay "*) ok "$1: exit status $ended" test "$ended" -le 1 -o "$ended" -eq 134 ;;
	"heddle "*) ok "$1: exit status $ended" test "$ended" -le 1 ;;
	./harmless-tsan*) is "$1: exit status" "$ended" 66 ;;
	*) is "$1: exit status" "$ended" 0 ;;
	esac || diag "$printed"
}

for file in README.md docs/MANUAL.md; do
	work=$top/${file##*/}
	prepare
	list=$(commands "$root/$file")
	like "$file: there are commands" "$list" '^command heddle test -- \./prog'
	shown='' command=''
	while IFS= read -r line; do
		case $line in
		"shows "*) shown+=${line#shows }$'\n' && continue ;;
		esac
		if [ -n "$command" ] && [ -n "$shown" ]; then
			is "$file: $command: what it prints" "$(printf '%s\n' "$printed" | same)" "$(printf %s "$shown" | same)"
		fi
		command=${line#command } shown=''
		bare=$(printf '%s\n' "$command" | sed -E 's/ +# .*//')
		[ "$command" != END ] || break
		perform "$file: $bare" "$bare"
		case $? in
		0) judge "$file: $bare" "$bare" ;;
		1) fail "$file: $bare: is executed" ;;
		esac
	done < <(printf '%s\ncommand END\n' "$list")
done
is "README.md: the page is there" "$(grep -c '<title>' "$top/README.md/found.html")" 1
is "README.md: what other tools read is there" "$(cd "$top/README.md" && ls found.json found.sarif found.xml | wc -l)" 3

# Within sentences: those that can be executed as they are, are; options of the others exist.
work=$top/inline
prepare
heddle test --runs 20 --quiet --json=found.json -- ./prog >/dev/null 2>&1 </dev/null
heddle classify H1 >/dev/null 2>&1 </dev/null
heddle run --seed 5 --trace deadlock.trace -- ./deadlock >/dev/null 2>&1 || { heddle-cc -O2 -g -pthread deadlock.c -o deadlock && heddle run --seed 5 --trace deadlock.trace -- ./deadlock >/dev/null 2>&1; }
perform "nothing" "frobnicate --all"
is "a command that nobody executes is noticed" $? 1
while IFS= read -r bare; do
	name="in a sentence: $bare"
	if grep -Eq '[A-Z]{2}|\.\.\.|^heddle [a-z]+( --[a-z-]+)*$' <<<"$bare"; then
		# With a word that stands for something, or without what it is about.
		help=$(heddle "$(cut -d ' ' -f 2 <<<"$bare")" --help 2>&1)
		case $bare in
		heddle\ *)
			like "$name: there is that command" "$help" '^usage: heddle '
			for option in $(grep -oE -e ' --[a-z-]+' <<<"${bare%% -- *}"); do
				like "$name: $option" "$help" "^  $option[[ ]"
			done
			;;
		esac
		continue
	fi
	case $bare in
	*)
		perform "$name" "$bare"
		case $? in
		0) judge "$name" "$bare" ;;
		1) fail "$name: is executed" ;;
		esac
		;;
	esac
done < <(cat "$root/README.md" "$root/docs/MANUAL.md" | tr '\n' ' ' | grep -oE '`(heddle|heddle-cc|make|\./setup|dpkg-buildpackage) [^`]*`' | tr -d '`' | tr -s ' ' | sort -u)
done_testing
