# cc.sh: for tests of heddle-cc. Source it after tap.sh, from the root of the repository. It makes a folder of its own,
# goes there, and puts TMPDIR in it, so that leftovers show. It sets $root, $build, $cc, $cxx, $heddle, $clang, $clangxx,
# $work, and writes main.c, part.c and part.h: a program of two units that prints "total 30 5".
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
cc=$build/bin/heddle-cc cxx=$build/bin/heddle-c++ heddle=$build/bin/heddle clang=clang-19 clangxx=clang++-19
[ -x "$cc" ] && [ -x "$heddle" ] || skip_all "run make first"
command -v $clang >/dev/null || skip_all "there is no $clang: ./setup build installs it"
command -v jq >/dev/null || skip_all "there is no jq: ./setup build installs it"
unset HEDDLE HEDDLE_OPTIONS HEDDLE_SUPPRESSIONS LD_PRELOAD
# Every access is announced, so that what a test sees does not depend on what an analysis finds out. Tests of what users have unset it.
export HEDDLE_CC_OPTIONS=prove=no
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/tmp"
export TMPDIR=$work/tmp
cd "$work" || exit 1

cat >part.h <<'END'
int part_add(int value);
int part_calls(void);
END
cat >part.c <<'END'
#include "part.h"
static int calls, sum;
int part_add(int value)
{
	calls++;
	sum += value;
	return sum > 10 ? 10 : sum;
}
int part_calls(void)
{
	return calls;
}
END
cat >main.c <<'END'
#include <stdio.h>
#include "part.h"
int total;
int main(void)
{
	for (int i = 0; i < 5; i++)
		total += part_add(i + 1);
	printf("total %d %d\n", total, part_calls());
	return total == 30 ? 0 : 7;
}
END

# program NAME [FLAGS...]: the source on standard input becomes ./NAME
program() {
	local name=$1
	shift
	cat >"$name.c"
	"$cc" -g -O1 -pthread "$@" "$name.c" -o "$name" 2>&1 || fail "$name is built"
}

# status COMMAND...: prints its exit status and nothing else
status() {
	"$@" >/dev/null 2>&1
	echo $?
}

# silent NAME COMMAND...: passes when it exits 0 and prints nothing
silent() {
	cc_name=$1
	shift
	cc_said=$("$@" 2>&1) && [ -z "$cc_said" ] && pass "$cc_name" && return
	fail "$cc_name"
	diag "command: $*"
	diag "exit status or output: $cc_said"
	return 1
}

# woven_functions FILE: names of its functions that have a clone, sorted, on one line
woven_functions() {
	"$heddle" sites --json "$1" 2>&1 | jq -r '[.functions[] | select(.plain == null) | .linkage_name // .function] |
		unique | join(" ")' 2>&1
}

# works NAME FILE WANT FUNCTIONS: one test. FILE prints WANT and exits 0 when it runs dormant, with every clone on and
# counted; each of FUNCTIONS (words) has a clone; some access was counted.
works() {
	cc_name=$1 cc_file=$2 cc_want=$3 cc_why=
	case $cc_file in */*) ;; *) cc_file=./$cc_file ;; esac
	cc_got=$("$cc_file" 2>&1) && [ "$cc_got" = "$cc_want" ] || cc_why="dormant: $cc_got"
	cc_got=$("$heddle" run --free --switch all -- "$cc_file" 2>&1) && [ "$cc_got" = "$cc_want" ] || cc_why="$cc_why all on: $cc_got"
	cc_got=$("$heddle" run --json "$work/works.json" -- "$cc_file" 2>/dev/null) && [ "$cc_got" = "$cc_want" ] ||
		cc_why="$cc_why counted: $cc_got"
	[ "$(jq .accesses "$work/works.json" 2>/dev/null)" -gt 0 ] || cc_why="$cc_why nothing was counted"
	cc_have=" $(woven_functions "$cc_file") "
	for cc_function in $4; do
		case $cc_have in *" $cc_function "*) ;; *) cc_why="$cc_why $cc_function has no clone" ;; esac
	done
	[ -z "$cc_why" ] && pass "$cc_name" && return
	fail "$cc_name"
	diag "$cc_why"
	return 1
}

# is_clean NAME: nothing of Heddle's is left in TMPDIR
is_clean() {
	is "$1" "$(ls -A "$TMPDIR")" ""
}
both="main part_add part_calls" want="total 30 5"
