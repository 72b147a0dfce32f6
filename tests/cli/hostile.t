#!/bin/bash
# Traces, programs and stores from elsewhere, damaged or made to harm: whatever is in them, the commands that read them end in
# time, by themselves, with a status of their own and words when they cannot go on, and leave other files alone. SEED is where the
# variants begin, ROUNDS how many times as many there are.
. tests/lib/tap.sh
. tests/lib/cc.sh
command -v sqlite3 >/dev/null || skip_all "there is no sqlite3: ./setup build installs it"
unset HEDDLE_STORE
seed=${SEED:-1} rounds=${ROUNDS:-1}
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

ok "traces can be changed" gcc -D_GNU_SOURCE -I"$root/include" -I"$root/src" -std=gnu11 -Wall -Wextra -Werror -Wno-format-truncation \
	"$root"/tests/unit/hostile_trace.c "$root"/src/trace/*.c "$root"/src/base/*.c -lzstd -o hostile_trace || done_testing
"$cc" -g -O1 -pthread "$root/tests/lib/locks.c" -o locks && cp locks locks.good
# The program races, too: one that exits, and one that cannot go on.
timeout 60 "$heddle" test --classify no --runs 40 --seed 1 --quiet -- ./locks >said 2>&1 </dev/null
is "evidence" $? 1
ids=$(sqlite3 .heddle/heddle.db "SELECT 'H' || id FROM finding ORDER BY id" | paste -sd ' ')
cp -r .heddle store.good

# tried WHAT COMMAND...: runs it; says what is wrong with how it ended, and what was changed
tried() {
	local what=$1 code
	shift
	timeout -k 5 20 "$@" >out 2>errors </dev/null
	code=$?
	case $code in
	0 | 1 | 2) ;;
	3) [ -s errors ] || echo "$what: $*: status 3 without a word" ;;
	*)
		# A run that was ended from outside ends so again.
		case $what in *outcome=0*) [ $code -ne 124 ] && return ;; esac
		echo "$what: $*: status $code: $(tail -n 2 errors)"
		;;
	esac
	grep -aqE 'Sanitizer|runtime error' errors && echo "$what: $*: $(grep -aE -m 1 'Sanitizer|runtime error' errors)"
}

# Whole traces that say what no run says.
traces=(store.good/evidence/*.trace)
modes=(--stats --columns "--hang 2" --stats)
replay_changed() {
	local i what
	for ((i = 0; i < 24 * rounds; i++)); do
		what="seed $((seed * 1000 + i)): $(./hostile_trace "${traces[i % ${#traces[@]}]}" variant.trace $((seed * 1000 + i)) | tr -d '\0')"
		# shellcheck disable=SC2086 # an option and its value
		tried "$what" "$heddle" replay ${modes[i / ${#traces[@]} % 4]} variant.trace
	done
}
is "traces, seed $seed" "$(replay_changed)" ""

# damage FROM TO SEED [OFFSET SIZE]...: writes a copy with some bytes changed, in these parts of it or anywhere; prints where
cat >damage.pl <<'EOP'
my ($from, $to, $seed, @parts) = @ARGV;
open my $in, "<:raw", $from or die; local $/; my $bytes = <$in>; close $in;
srand $seed;
@parts = (0, length $bytes) unless @parts;
my @values = (0, 1, 0x7f, 0x80, 0xff);
if (rand() < 0.1) { $bytes = substr $bytes, 0, rand length $bytes; print "cut at ", length $bytes; }
for (1 .. (1, 1, 2, 4, 16)[rand 5]) {
	my $part = 2 * int rand @parts / 2;
	my $at = $parts[$part] + int rand $parts[$part + 1];
	next if $at >= length $bytes;
	my $size = (1, 1, 2, 4, 8)[rand 5];
	my $value = rand() < 0.5 ? $values[rand @values] : int rand 256;
	$size = length($bytes) - $at if $size > length($bytes) - $at;
	substr($bytes, $at, $size) = chr($value) x $size;
	print "$at=$value*$size ";
}
open my $out, ">:raw", $to or die; print $out $bytes; close $out;
chmod 0755, $to;
EOP
damage() {
	perl damage.pl "$@"
}

# Programs: tables, units, names and debug information, but no code, as some of them are run.
parts() {
	readelf -SW locks.good | sed 's/\[ */[/' | perl -ane "print hex(\$F[4]), ' ', hex(\$F[5]), ' ' if \$F[1] =~ /$1/ && hex(\$F[5])"
}
tables=$(parts '^heddle_(functions|sites|inlines|calls|lines)|^\.note\.heddle|^\.shstrtab')
words=$(parts '^\.debug_|^\.symtab|^\.strtab|^heddle_(functions|sites|inlines|lines)|^\.eh_frame')
units=$(parts '^\.line\.heddle')
analyse_changed() {
	local i what
	for ((i = 0; i < 8 * rounds; i++)); do
		# shellcheck disable=SC2086 # the parts are words
		what="seed $((seed * 1000 + i)): $(damage locks.good variant $((seed * 1000 + i)) $units $tables)"
		tried "$what" "$heddle" check --all variant
		tried "$what" "$heddle" sites variant
	done
}
is "programs that are analysed, seed $seed" "$(analyse_changed)" ""
use_changed() {
	local i what id
	set -- $ids
	for ((i = 0; i < 12 * rounds; i++)); do
		rm locks
		# shellcheck disable=SC2086 # the parts are words
		what="seed $((seed * 1000 + i)): $(damage locks.good locks $((seed * 1000 + i)) $words)"
		id=${*:i % $# + 1:1}
		case $((i % 4)) in
		0) tried "$what" "$heddle" replay "$id" ;;
		1) tried "$what" "$heddle" show "$id" ;;
		2) tried "$what" "$heddle" replay --columns "$id" ;;
		3) tried "$what" "$heddle" report --html=page.html "$id" ;;
		esac
	done
	cp locks.good locks
}
is "programs beside their evidence, seed $seed" "$(use_changed)" ""

# Stores: pages, and values that no Heddle writes.
commands=("list --json" "show --brief H1" "report --json --brief" "list --all" "forget H1" "diff locks locks" "replay H1" "report --sarif=s --junit=j --brief")
restore() {
	rm -rf .heddle && cp -r store.good .heddle
	echo mine | tee victim .heddle/victim .heddle/evidence/.victim >/dev/null
}
check_victims() {
	cmp -s victim .heddle/victim && cmp -s victim .heddle/evidence/.victim && [ "$(cat victim)" = mine ] || echo "$1: a file that is no evidence was changed"
}
use_store() {
	local i what
	for ((i = 0; i < 16 * rounds; i++)); do
		restore
		what="seed $((seed * 1000 + i)): $(damage store.good/heddle.db .heddle/heddle.db $((seed * 1000 + i)))"
		# shellcheck disable=SC2086 # a command is words
		tried "$what" "$heddle" ${commands[i % ${#commands[@]}]}
		check_victims "$what"
	done
}
is "pages of the store, seed $seed" "$(use_store)" ""
values=(-1 0 9223372036854775807 "(-9223372036854775807 - 1)" 4294967296 1e300 NULL "''" "x'fffe80'" "CAST(x'fffe80' AS TEXT)" "'../../victim'"
	"'evidence/../victim'" "'evidence/.victim'" "'evidence/'" "'/etc/passwd'" "printf('%.*c', 200000, 'x')" "char(27) || ']0;x' || char(7)" "'evidence/a' || char(10)"
	"'</script>'" "'data-race'" "'fixed'")
columns=$(for table in finding site sighting test build subject; do sqlite3 store.good/heddle.db "SELECT '$table.' || name FROM pragma_table_info('$table')"; done)
use_values() {
	local i what column value
	set -- $columns
	for ((i = 0; i < 24 * rounds; i++)); do
		restore
		RANDOM=$((seed * 1000 + i))
		column=${*:RANDOM % $# + 1:1} value=${values[RANDOM % ${#values[@]}]}
		what="seed $((seed * 1000 + i)): $column = $value"
		sqlite3 .heddle/heddle.db "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;
			UPDATE OR REPLACE ${column%.*} SET ${column#*.} = $value" 2>/dev/null
		# shellcheck disable=SC2086 # a command is words
		tried "$what" "$heddle" ${commands[i % ${#commands[@]}]}
		tr -d '\n\t' <out | LC_ALL=C grep -aq '[[:cntrl:]]' && echo "$what: control characters are told"
		check_victims "$what"
	done
}
is "values of the store, seed $seed" "$(use_values)" ""

# What was found so, one by one.
trace=$(sqlite3 store.good/heddle.db "SELECT 'store.good/' || trace FROM sighting s JOIN finding f ON f.id = s.finding WHERE kind = 'deadlock'")
# refused NAME REGEX CHANGE...: the trace of the deadlock, so changed, is not replayed
refused() {
	local name=$1 want=$2 got code
	shift 2
	./hostile_trace "$trace" variant.trace "$@" >/dev/null
	got=$(timeout -k 5 20 "$heddle" replay variant.trace 2>&1 </dev/null)
	code=$?
	is "$name: exit status" $code 3
	like "$name: message" "$got" "$want"
	like "$name: hint" "$got" '^heddle: hint: '
}
refused "a signal that stops" 'its section "result" is invalid' outcome=0 wait-status=19
refused "a signal that does not exist" 'its section "result" is invalid' outcome=0 wait-status=102
refused "an outcome that does not exist" 'its section "result" is invalid' outcome=10
refused "a fork server is asked for" 'its section "request" is invalid' flags=8
refused "a strategy that does not exist" 'its section "request" is invalid' strategy=$(grep -cE '^	EACH\([A-Z_]+, ' "$root/include/heddle/strategies.h")
refused "the first record is damaged" 'cannot be replayed: its log is damaged' log-byte=0
refused "the log ends in a record" 'the log of the trace is damaged: unterminated number' log-bytes=2
refused "a limit of the stack that cannot be" 'cannot (run|set the stack limit)|was not controlled' stack=1
mkdir folder.build
refused "a build that is no file" '"folder.build": it is not a file' build=folder.build
# The same trace, made by somebody else: --trust takes their word for what is in it, and not for where it leads.
# elsewhere NAME WANT CHANGE: with --trust
elsewhere() {
	local got code
	XDG_STATE_HOME=$work/theirs ./hostile_trace "$trace" foreign.trace "$3" >/dev/null
	got=$(timeout -k 5 20 "$heddle" replay --trust foreign.trace 2>&1 </dev/null)
	code=$?
	is "from elsewhere, $1: exit status" $code 3
	like "from elsewhere, $1: message" "$got" "is from elsewhere and $2: it is not replayed, even with --trust"
	like "from elsewhere, $1: hint" "$got" '^heddle: hint: '
}
XDG_STATE_HOME=$work/theirs ./hostile_trace "$trace" foreign.trace variable=A=1 >/dev/null
got=$(timeout -k 5 20 "$heddle" replay --trust foreign.trace 2>&1 </dev/null)
is "from elsewhere, nothing that leads anywhere: exit status" $? 1
like "from elsewhere, nothing that leads anywhere: it is replayed" "$got" '^heddle: deadlock: '
elsewhere "a folder that is relative" 'has a relative working directory: "\."' folder=.
elsewhere "a program that is relative" 'has a program with a relative path: "\./locks"' program=./locks
elsewhere "a library that is relative" 'has a file with a relative path: "\./own\.so"' build=./own.so
elsewhere "options that name a file" 'has options for the runtime that name files: "switch=@names"' options=switch=@names
elsewhere "a variable of the loader" 'sets "LD_AUDIT=\./own\.so"' variable=LD_AUDIT=./own.so
said() {
	restore
	sqlite3 -bail .heddle/heddle.db "$1" || return
	shift
	"$heddle" "$@" 2>&1
}
like "numbers that overflow" "$(said 'UPDATE sighting SET seen = 9223372036854775807; INSERT INTO
	test(id, build, subject, strategy, seed, began, ended, schedules, kinds) SELECT id + 100, build, subject, strategy, seed, began, ended,
	9223372036854775807, kinds FROM test; INSERT INTO sighting(finding, test, key, schedule, seen, strategy, seed, trace, event) SELECT
	finding, test + 100, key, schedule, seen, strategy, seed, trace, event FROM sighting' list)" '^H1 +new +9223372036854775807 '
like "tables that are missing" "$(said 'PRAGMA foreign_keys = OFF; DROP TABLE site' show --brief H1)" 'is damaged: no such table: site'
like "tables without a version" "$(said 'PRAGMA user_version = 0' list)" 'is damaged: it has no version; it is kept as'
like "a version below 0" "$(said 'PRAGMA user_version = -3' list)" 'is damaged: it has no version; it is kept as'
like "a trace elsewhere is not told" "$(said "UPDATE sighting SET trace = '../../victim'" list --json)" '"trace":null'
# A test takes a number that is larger than all that there are.
tested() {
	timeout -s KILL 20 "$heddle" test --classify no --runs 2 --quiet -- ./locks 2>&1 </dev/null
}
for number in 9223372036854775807 9223372036854775806 999999999999999; do
	restore
	sqlite3 .heddle/heddle.db "UPDATE test SET mark = $number"
	like "a test has the number $number" "$(tested)" 'is damaged: numbers of its tests or its evidence are too large'
done
restore
touch .heddle/evidence/deadlock-00000000.999999999999999.trace
like "evidence has the largest number" "$(tested)" 'is damaged: numbers of its tests or its evidence are too large'
restore
sqlite3 .heddle/heddle.db "UPDATE test SET mark = -9223372036854775807 - 1"
unlike "a test has a number below 0" "$(tested; echo "status $?")" 'status (3|137)'
restore
mkdir elsewhere && echo mine >elsewhere/victim && rm -r .heddle/evidence && ln -s ../elsewhere .heddle/evidence
sqlite3 .heddle/heddle.db "UPDATE sighting SET trace = 'evidence/victim'"
is "evidence is a link: forget" "$(for id in $ids; do "$heddle" forget "$id" 2>&1; done)" ""
ok "evidence is a link: what is no trace stays" test -s elsewhere/victim
restore
rm .heddle/heddle.db && ln -s ../elsewhere/made.db .heddle/heddle.db
like "the database is a link to nothing" "$(tested; echo "status $?")" 'it is a dangling symbolic link'
ok "the database is a link to nothing: no file is made" test ! -e elsewhere/made.db
restore
sqlite3 .heddle/heddle.db "UPDATE site SET function = replace(printf('%.*c', 200000, 'x'), 'x', 'a<b>')"
is "a name as long as a book" "$(tried "a long name" "$heddle" show --brief H1; tried "a long name" "$heddle" report --json --brief)" ""
cp locks.good holes && truncate -s 1T holes 2>/dev/null && {
	like "a program of holes" "$(timeout -k 5 20 "$heddle" sites holes 2>&1)" 'cannot read "holes": File too large'
	like "a report of holes" "$(timeout -k 5 20 "$heddle" report --html=page.html holes 2>&1)" 'cannot read "holes": it is larger than 256 MiB'
}
done_testing
