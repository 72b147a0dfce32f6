# tap.sh: the Test Anything Protocol for tests written in sh or bash. Source it, call the functions, end with
# done_testing. Every function returns 0 when its test passed and 1 when it did not, so `ok ... || diag ...` works.
#
#   ok NAME COMMAND...     passes when COMMAND exits 0; its output is shown only when it does not
#   is NAME GOT WANT       passes when the two strings are equal
#   like NAME GOT REGEX    passes when GOT matches the extended regular expression, line by line
#   unlike NAME GOT REGEX  the opposite
#   same NAME GOT WANT     as is, for two results of commands: fails when they are empty
#   without NAME GOT REGEX as unlike, but fails when GOT is empty: nothing has nothing wrong in it
#   pass NAME | fail NAME  decided by the caller
#   skip NAME REASON       one test that could not be run; prove shows it as skipped
#   skip_all REASON        the whole file; call it first; exits
#   diag TEXT...           a comment for the reader of a failure
#   done_testing           the plan; exits 1 when a test failed

tap_count=0
tap_failed=0

pass() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

fail() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	return 1
}

diag() {
	printf '%s\n' "$*" | sed 's/^/# /' >&2
}

ok() {
	tap_name=$1
	shift
	if tap_output=$("$@" 2>&1); then
		pass "$tap_name"
	else
		tap_status=$?
		fail "$tap_name" || :
		diag "command: $*"
		diag "exit status: $tap_status"
		[ -z "$tap_output" ] || diag "$(printf '%s\n' "$tap_output" | tail -n 40)"
		return 1
	fi
}

is() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" || :
		diag "got:  $2"
		diag "want: $3"
		return 1
	fi
}

same() {
	if [ -n "$2" ]; then
		is "$@"
	else
		fail "$1" || :
		diag "both results are to be compared, and the first is empty"
		return 1
	fi
}

without() {
	if [ -n "$2" ]; then
		unlike "$@"
	else
		fail "$1" || :
		diag "there is nothing to look at"
		return 1
	fi
}

like() {
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		pass "$1"
	else
		fail "$1" || :
		diag "got:  $2"
		diag "want a match of: $3"
		return 1
	fi
}

unlike() {
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		fail "$1" || :
		diag "got:  $2"
		diag "want no match of: $3"
		return 1
	else
		pass "$1"
	fi
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

done_testing() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}

# strategies HEDDLE: the names of the strategies that heddle run has, as its help lists them
strategies() {
	"$1" run --help | sed -n 's/^ *--strategy NAME .*: \(.*\) (default.*/\1/p' | tr -d ','
}
