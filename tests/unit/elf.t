#!/bin/bash
# Reading ELF files: what is found is what readelf finds, and no damaged file makes the reader look outside.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/elf" tests/unit/elf_test.c || {
	done_testing
	exit
}
cat >"$work/main.c" <<'END'
int shared;
int add(int x) { return shared += x; }
int main(void) { return add(1) - 1; }
END
cd "$work" || exit 1
gcc -g -O1 -Wl,--build-id main.c -o main
gcc -g -O1 -shared -fPIC -Wl,--build-id main.c -o library.so
gcc -g -O1 -static -Wl,--build-id=none main.c -o static
gcc -c main.c -o main.o

for file in main library.so static main.o; do
	./elf "$file" >got 2>&1
	is "$file: exit status" "$?" 0
	same "$file: viewed" "$(./elf --view "$file" 2>&1)" "$(cat got)"
	same "$file: sections" "$(grep '^section ' got)" "$(readelf -SW "$file" | sed 's/\[ */[/' | awk '/^ *\[[0-9]/ && $2 != "NULL" { print "section", $2, $6 }')"
	same "$file: symbols" "$(grep '^symbol ' got | sed 's/@.*//' | sort)" "$(readelf -sW "$file" | awk '/^ *[0-9]+: / && $4 != "SECTION" && $8 != "" { sub("@.*", "", $8); print "symbol", $2, $8 }' | sort)"
	is "$file: build-id" "$(sed -n 's/^build-id //p' got)" "$(readelf -n "$file" | sed -n 's/.*Build ID: //p')"
	is "$file: loader" "$(sed -n 's/^loader //p' got)" "$(readelf -lW "$file" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')"
	# Not all files have both, so two empty results are right for some.
	case $file in main) has="1 1" ;; library.so) has="1 0" ;; *) has="0 0" ;; esac
	is "$file: whether it has a build-id, and a loader" "$(grep -c '^build-id ' got) $(grep -c '^loader ' got)" "$has"
done
is "what is not there" "$(./elf main | grep '^missing')" "missing no"

# More sections than the header can count (gABI): the first section header has the numbers.
{ for i in {1..66000}; do echo ".section .s$i,\"a\"; .byte 1"; done; } >many.s
gcc -c many.s -o many.o
is "more than 65,535 sections" "$(./elf many.o | grep -c '^section \.s[0-9]')" 66000

is "no file" "$(./elf none 2>&1)" 'cannot open "none": No such file or directory'
is "a folder" "$(./elf . 2>&1)" '"." is a directory, not a program'
is "not ELF" "$(./elf main.c 2>&1)" '"main.c" is not an ELF file'
: >empty
is "nothing" "$(./elf empty 2>&1)" '"empty" is not an ELF file'
is "nothing, viewed" "$(./elf --view empty 2>&1)" '"empty" is not an ELF file'
is "not ELF, viewed" "$(./elf --view main.c 2>&1)" '"main.c" is not an ELF file'

# Cut off anywhere, and with bytes changed: an error or an answer, and never a fault.
size=$(stat -c %s library.so) bad=0
for cut in $(seq 1 199 "$size"); do
	head -c "$cut" library.so >cut
	timeout -s KILL 20 ./elf cut >/dev/null 2>&1
	[ $? -le 1 ] || bad=$((bad + 1))
done
is "cut off anywhere" "$bad" 0
is "bytes changed at random" "$(timeout -s KILL 120 ./elf --noise 3000 library.so 2>&1 | tail -n 1)" "some are read, some are refused"

# In place: what is written is in the file.
cp main written
./elf --write written
is "a section's header can be changed" "$(readelf -SW written 2>/dev/null | awk '/ \.comment /{ sub(".*\\.comment", ""); print $4 }')" 000001
is "the rest stays" "$(cmp -l main written | wc -l)" 1
done_testing
