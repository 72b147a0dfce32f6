#!/bin/bash
# heddle run: the program keeps its streams, signals and end; what was counted survives it.
. tests/lib/tap.sh
. tests/unit/fake.sh
fake=$work/fake
make_fake "$fake" -DFAKE_MAIN

is "exit status 0" "$(status "$heddle" run --free -- "$fake" exit 0)" 0
is "exit status 7" "$(status "$heddle" run --free -- "$fake" exit 7)" 7
is "exit status 255" "$(status "$heddle" run --free -- "$fake" exit 255)" 255
is "exit status with counts" "$(status "$heddle" run --count -- "$fake" exit 7)" 7
is "says nothing unasked" "$("$heddle" run --free -- "$fake" 2>&1)" "3 3 0"
is "switch" "$("$heddle" run --free --switch 'add_*' -- "$fake" 2>&1)" "203 203 0"
is "standard input" "$(echo hello | "$heddle" run --free -- sh -c "cat; '$fake' exit 0" 2>&1)" hello
is "standard output is the program's alone" "$("$heddle" run --count -- "$fake" 2>/dev/null)" "203 203 0"

# The world has a page in the lowest 2 GB, where this program has data.
cat >"$work/low.c" <<'END'
static char room[256 << 10] = { 1 };
int main(void) { return room[0] + 3; }
END
if ok "compiled a program at the place of the world's page" clang-19 -no-pie -Wl,-Ttext-segment=0x7ffb0000 "$work/low.c" -o "$work/low"; then
	is "by itself it runs" "$(status "$work/low")" 4
	is "it cannot be controlled" "$(status "$heddle" run -- "$work/low")" 3
	like "and that is said" "$("$heddle" run -- "$work/low" 2>&1)" 'off: out of memory: at 0x7fff0000'
fi

# given_back COMMAND...: with the signals that whoever runs the tests may ignore. It becomes the command: call it in ( ).
given_back() {
	exec perl -e '$SIG{INT} = $SIG{QUIT} = $SIG{HUP} = "DEFAULT"; exec @ARGV' "$@"
}

# Signals. The shell prints what ended a program only when asked; the status is 128 + N.
for number in 9 11 6 15 2 10; do
	is "ended by signal $number" "$( (given_back "$heddle" run --count -- "$fake" kill $number) >/dev/null 2>"$work/said"; echo $?)" \
		$((128 + number))
	like "ended by signal $number: counted" "$(cat "$work/said")" '^heddle: 3503 accesses'
done
is "really by the signal, not by a status" "$(perl -e 'system(@ARGV); print $? & 127' "$heddle" run --free -- "$fake" kill 9)" 9
absolute=$(realpath "$heddle")
(ulimit -c unlimited && cd "$work" && "$absolute" run -- "$fake" kill 11; :) >/dev/null 2>&1
ok "no core file of heddle" sh -c "! ls '$work' | grep -q '^core.*heddle'"
cat >"$work/catch.sh" <<END
#!/bin/bash
for name in TERM HUP USR1 USR2 INT QUIT; do trap "echo \$name >>'$work/caught'; exit 40" \$name; done
'$fake' exit 0
echo ready >'$work/ready'
while :; do sleep 0.05; done
END
chmod +x "$work/catch.sh"
for name in TERM HUP USR1 USR2 INT QUIT; do
	rm -f "$work/ready" "$work/caught"
	# A background job of a shell without job control ignores INT and QUIT, one under nohup HUP: perl gives them back.
	given_back "$heddle" run --free -- "$work/catch.sh" >/dev/null 2>&1 &
	for i in $(seq 1 100); do [ -e "$work/ready" ] && break; sleep 0.05; done
	kill -$name $!
	wait $!
	is "$name is sent on: status" "$?" 40
	is "$name is sent on" "$(cat "$work/caught" 2>&1)" $name
done

# The environment.
other=$(ls /lib/x86_64-linux-gnu/libm.so.6)
is "LD_PRELOAD is kept" "$(LD_PRELOAD=$other "$heddle" run --free -- "$fake" env)" "$(realpath "$runtime"):$other"
like "HEDDLE_OPTIONS is kept" "$(HEDDLE_OPTIONS=verbose=1 "$heddle" run --free -- "$fake" 2>&1)" 'functions switched'
is "HEDDLE_OPTIONS does not win" "$(HEDDLE_OPTIONS=switch=all "$heddle" run --free -- "$fake" 2>&1)" "3 3 0"
mkdir -p "$work/a b:c/bin" "$work/a b:c/lib/heddle"
cp "$heddle" "$work/a b:c/bin/" && cp "$runtime" "$work/a b:c/lib/heddle/"
is "installed where a blank and a colon are in the path" "$("$work/a b:c/bin/heddle" run --free --switch all -- "$fake" 2>&1)" \
	"203 203 0"
rm "$work/a b:c/lib/heddle/libheddle.so"
is "no runtime: exit status" "$(status "$work/a b:c/bin/heddle" run --free -- "$fake")" 3
like "no runtime: hint" "$("$work/a b:c/bin/heddle" run --free -- "$fake" 2>&1)" 'hint: reinstall Heddle'
is "found in PATH" "$(PATH=$work:$PATH "$heddle" run --free --switch all fake 2>&1)" "203 203 0"
is "a script that starts woven programs" "$("$heddle" run --top 0 -- sh -c "'$fake' work 1; '$fake' work 1" 2>&1)" \
	"heddle: 12 accesses at 3 of 5 sites, 2 processes, 4 functions switched"
printf 'add_one\n' >"$work/set"
is "a file of patterns" "$(cd "$work" && "$absolute" run --free --switch @set -- sh -c "cd / && '$fake'" 2>&1)" "103 103 0"
is "a file of patterns that is not there" "$(status "$heddle" run --free --switch "@$work/none" -- "$fake")" 3
is "a limit on the size of files" "$(ulimit -f 300000; "$heddle" run --top 0 -- "$fake" work 1 2>&1)" \
	"heddle: 6 accesses at 3 of 5 sites, 1 process, 2 functions switched"
is "a limit on memory" "$(ulimit -v 300000; "$heddle" run --top 0 -- "$fake" work 1 2>&1)" \
	"heddle: 6 accesses at 3 of 5 sites, 1 process, 2 functions switched"
is "no descriptor is left open in the program" "$("$heddle" run --count -- sh -c "'$fake' exit 0; ls /proc/self/fd" 2>/dev/null |
	tr '\n' ' ')" "$(sh -c 'ls /proc/self/fd' | tr '\n' ' ')"

table=$("$heddle" run --top 1 -- "$fake" work 1000 2>&1)
like "table: totals" "$table" '^heddle: 3503 accesses at 4 of 5 sites, 1 process, 2 functions switched$'
like "table: hottest site" "$table" '^ +1001 +28\.6 %  src/fake\.c:11:9 +add_one +read 8 volatile +shared_value$'
is "table: no more than asked for" "$(printf '%s\n' "$table" | wc -l)" 3
"$heddle" run --json "$work/json" -- "$fake" work 10 2>/dev/null
is "JSON: totals" "$(jq -c '[.heddle, .program, .arguments, .processes, .accesses, .sites_hit, .sites]' "$work/json")" \
	"[1,\"$fake\",[\"work\",\"10\"],1,38,4,5]"
is "JSON: every site" "$(jq -c '[.objects[0].sites[] | [.id, .count]]' "$work/json")" "[[1,11],[2,11],[3,0],[4,5],[5,11]]"
is "JSON: into a folder that is not there" "$(status "$heddle" run --json "$work/no/json" -- touch "$work/ran")" 3
ok "JSON: then nothing runs" test ! -e "$work/ran"
is "JSON: full disk" "$(status "$heddle" run --json /dev/full -- "$fake")" 3
cp "$fake" "$work/gone"
like "the program removed itself" "$("$heddle" run --count -- sh -c "'$work/gone'; rm '$work/gone'" 2>&1)" \
	'site 1 of gone'
long=$work/$(printf 'x%.0s' $(seq 1 200))/$(printf 'y%.0s' $(seq 1 200))/$(printf 'z%.0s' $(seq 1 200))
mkdir -p "$long" && cp "$fake" "$long/fake"
like "a path that does not fit" "$("$heddle" run --count -- "$long/fake" 2>&1)" 'have no names: cannot open'

# cannot NAME MESSAGE HINT ARGUMENTS...
cannot() {
	name=$1 message=$2 hint=$3
	shift 3
	got=$("$heddle" run --free "$@" 2>&1)
	is "$name: exit status" "$?" 3
	like "$name: message" "$got" "^heddle: error: .*$message"
	like "$name: hint" "$got" "^heddle: hint: .*$hint"
}
echo 'int main(void) { return 0; }' >"$work/plain.c"
gcc "$work/plain.c" -o "$work/plain"
gcc -static "$work/plain.c" -o "$work/static"
gcc -static-pie "$work/plain.c" -o "$work/static-pie"
cp "$work/plain" "$work/i386" && printf '\003' | dd of="$work/i386" bs=1 seek=18 conv=notrunc 2>/dev/null
cp "$work/plain" "$work/not-executable" && chmod -x "$work/not-executable"
echo 'echo hello' >"$work/no-interpreter" && chmod +x "$work/no-interpreter"
cannot "not woven" 'contains no woven code' 'CC=heddle-cc' -- "$work/plain"
cannot "not woven, counted" 'contains no woven code' 'CC=heddle-cc' --count -- "$work/plain"
cannot "not found" 'No such file' 'check the name' -- "$work/nowhere"
cannot "not found in PATH" 'No such file' 'check the name and PATH' -- nowhere-at-all
cannot "a folder" 'directory' 'program in it' -- "$work"
cannot "static" 'statically linked' 'dynamically' -- "$work/static"
cannot "static and movable" 'statically linked' 'dynamically' -- "$work/static-pie"
cannot "another architecture" 'another architecture' 'x86-64' -- "$work/i386"
cannot "no interpreter" 'not an ELF file' 'path of a program' -- "$work/no-interpreter"
if [ "$(id -u)" = 0 ] && "$work/not-executable" 2>/dev/null; then
	skip "not executable" "this user may execute everything"
else
	cannot "not executable" 'Permission denied' 'chmod' -- "$work/not-executable"
fi
is "not woven but failing: its own status" "$(status "$heddle" run --free -- sh -c 'exit 9')" 9
like "not woven but failing: said" "$("$heddle" run --free -- sh -c 'exit 9' 2>&1)" 'contains no woven code'
is "a value that is missing: exit status" "$(status "$heddle" run --count --switch -- "$fake")" 2
is "no file for JSON: the standard output" "$("$heddle" run --count --json -- "$fake" 2>/dev/null | tail -n +1 | grep -c "^{\"heddle\":1")" 1
ok "a value that is missing: no file of that name" test ! -e ./--
for name in twin fake::twin 'fake::twin(int)' 'fake::*' '_ZN4fake*'; do
	like "--switch $name" "$("$heddle" run --top 0 --switch "$name" -- "$fake" 2>&1)" '1 function switched'
done
like "--switch with an exclusion" "$("$heddle" run --top 0 --switch 'all,-twin,-add_two' -- "$fake" 2>&1)" '1 function switched'
like "no function matches: said" "$("$heddle" run --free --switch nosuch -- "$fake" 2>&1)" 'no function was switched: .*"nosuch"'
is "no function matches: the program's status" "$(status "$heddle" run --free --switch nosuch -- "$fake" exit 5)" 5
is "JSON to standard output" "$("$heddle" run --json - -- "$fake" work 10 2>/dev/null | head -c 11)" '{"heddle":1'

# Options of runs under control that would change nothing.
for wrong in "--depth 3" "--strategy pos --depth 3" "--length 100" "--strategy period --length 100" "--hang 0"; do
	is "$wrong: exit status" "$(status "$heddle" run $wrong -- "$fake")" 2
done
is "--depth with a strategy that has one" "$(status "$heddle" run --strategy pct --depth 3 --length 100 -- "$fake")" 0
like "a pattern that matches nothing: said" "$("$heddle" run --switch 'nosuch,add_one' -- "$fake" 2>&1)" \
	'^heddle: warning: --switch: no function of the program matches "nosuch"'
unlike "patterns that match: nothing said" "$("$heddle" run --switch 'add_one,-twin' -- "$fake" 2>&1)" 'warning'
done_testing
