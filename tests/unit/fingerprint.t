#!/bin/bash
# What makes a finding the same: fingerprints of places in sources that were edited.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/driver" tests/unit/fingerprint_driver.c || {
	done_testing
	exit
}
cd "$work" || exit 1

# print ARGUMENTS...: the fingerprint
print() {
	timeout -s KILL 20 ./driver "$@" 2>&1
}

# same NAME A B: the same finding in the same surroundings; alike: in others; differs: another finding
same() {
	is "$1" "$2" "$3"
}
alike() {
	is "$1" "${2% *}" "${3% *}"
	[ "${2#* }" != "${3#* }" ] && pass "$1: the surroundings differ" || fail "$1: the surroundings differ"
}
differs() {
	[ "${2% *}" != "${3% *}" ] && pass "$1" || fail "$1"
}

cat >a.c <<'END'
static int x, y;
void work(void)
{
	int n = 0;
	x = n + 1;
	y = 2;
	n++;
}
END
x=$(print race work x a.c 5 work x a.c 5)
y=$(print race work y a.c 6 work y a.c 6)
differs "two variables" "$x" "$y"
differs "another kind" "$x" "$(print deadlock work x a.c 5)"
differs "another function" "$x" "$(print race other x a.c 5 work x a.c 5)"
same "both orders of a pair" "$(print race work x a.c 5 work y a.c 6)" "$(print race work y a.c 6 work x a.c 5)"
same "parameters of functions do not matter" "$x" "$(print race 'work(int)' x a.c 5 'work(int)' x a.c 5)"
alike "another variable on that line" "$x" "$(print race work n a.c 5 work x a.c 5)"
same "elements of an array" "$(print race work 'x[3].y' - 0)" "$(print race work 'x[41].y' - 0)"

{ printf '/* one\ntwo */\n\n// three\n'; sed 's/\tint n = 0;/\n  int   n=0; \/* x = 9 *\/\n/; s/x = n + 1/x=n +1 /' a.c; } >moved.c
mv moved.c a.c
same "moved, with other white space and comments" "$x" "$(print race work x a.c 11 work x a.c 11)"
sed -i 's/^\ty = 2;/\tn--;\n&/' a.c
alike "a line was added below" "$x" "$(print race work x a.c 11 work x a.c 11)"
mkdir sub && cp a.c sub/a.c
same "another folder" "$(print race work x a.c 11)" "$(print race work x sub/a.c 11)"
sed -i 's/x=n +1/x = n + 2/' a.c
differs "the line itself was changed" "$x" "$(print race work x a.c 11 work x a.c 11)"

# Comments and strings
line() {
	printf '%s\n' "$1" >line.c
	print race f v line.c 1
}
same "a comment at the end" "$(line 'a = b;')" "$(line 'a = b; // c')"
same "a comment within" "$(line 'a = b;')" "$(line 'a /* is */ = b;')"
same "white space" "$(line 'return a+b;')" "$(line $'\treturn  a + b ;')"
differs "white space between names" "$(line 'int a;')" "$(line 'inta;')"
differs "a comment between names parts them" "$(line 'int/**/a;')" "$(line 'inta;')"
differs "slashes in a string are none" "$(line 'a("//b");')" "$(line 'a("//c");')"
differs "white space in a string counts" "$(line 'a("b c");')" "$(line 'a("bc");')"
differs "a quote in a string" "$(line 'a("\"//b");')" "$(line 'a("\"//c");')"
differs "a quote as a character" "$(line "a('\"'); // b")" "$(line "a('x'); // b")"
same "a quote as a character begins no string" "$(line "a('\"'); // b")" "$(line "a('\"'); // c")"
same "quotes within numbers" "$(line "a = 1'000; // b")" "$(line "a = 1'000; // c")"
printf '/* a\nx = 1;\n*/ x = 1;\n' >block.c
differs "what a comment hides" "$(print race f v block.c 2)" "$(print race f v block.c 3)"
printf 'x = 1;\r\n' >line.c
same "line ends of another system" "$(print race f v line.c 1)" "$(line 'x = 1;')"

# No source to look at
none=$(print race f v missing.c 1)
same "no such file" "$none" "$(print race f v missing.c 7)"
differs "no such file: the variable makes the difference" "$none" "$(print race f w missing.c 1)"
printf 'x = 1;\n' >missing.c
same "no such line" "$none" "$(print race f v missing.c 99)"
same "no line" "$none" "$(print race f v missing.c 0)"
touch built && sleep 0.05 && touch missing.c
same "changed since the build" "$none" "$(BUILT=built print race f v missing.c 1)"
rm missing.c && mkfifo missing.c
same "a FIFO" "$none" "$(print race f v missing.c 1)"
rm missing.c && mkdir missing.c
same "a folder" "$none" "$(print race f v missing.c 1)"
rmdir missing.c && ln -s /dev/zero missing.c
same "a device" "$none" "$(print race f v missing.c 1)"
rm missing.c && : >missing.c
same "an empty file" "$none" "$(print race f v missing.c 1)"
same "nothing is known: the program is" "$(print hang - - - 0)" "$(print hang)"
head -c 300000 /dev/urandom >noise.c
like "noise" "$(print race f v noise.c 300)" '^[0-9a-f]{32} [0-9a-f]{32}$'
done_testing
