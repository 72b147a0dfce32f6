#!/bin/bash
# heddle sites: what it prints, and what it says about files that it cannot read.
. tests/lib/tap.sh
. tests/unit/fake.sh
fake=$work/fake
make_fake "$fake" -DFAKE_MAIN

text=$(cat <<'END'
1  src/fake.c:11:9  add_one        read 8 volatile                       shared_value
2  src/fake.c:11:2  add_one        write 8 volatile                      shared_value
3  src/fake.h:99:1  fake::inner()  atomic exchange 4 seq_cst, acquire on failure  q->head\x1b[31m\xff
        inlined at src/fake.h:7:3 in outer
        inlined at src/fake.c:12:5 in add_one
4  src/fake.c       add_one        write n block
5  src/fake.c:21:4  add_two        atomic read 8 seq_cst                 shared_value
END
)
is "text" "$("$heddle" sites "$fake")" "$text"
strip -s "$fake" -o "$work/stripped"
is "stripped" "$("$heddle" sites "$work/stripped")" "$text"
cp "$fake" "$work/headless"
perl -e 'open my $f, "+<", $ARGV[0] or die; seek $f, 40, 0; print $f "\0" x 8; seek $f, 60, 0; print $f "\0" x 4' \
	"$work/headless"
is "without section headers" "$("$heddle" sites "$work/headless")" "$text"
unlike "without section headers: no bytes of code" "$("$heddle" sites --summary "$work/headless")" 'bytes of code'
for linker in gold lld; do
	make_fake "$work/$linker" -DFAKE_MAIN -no-pie -fuse-ld=$linker
	is "linked by $linker" "$("$heddle" sites "$work/$linker")" "$text"
done
make_fake "$work/library.so" -shared
is "a library" "$("$heddle" sites "$work/library.so")" "$text"
objcopy --only-keep-debug "$fake" "$work/debug" 2>/dev/null
is "a file of debug information has no tables" "$(status "$heddle" sites "$work/debug")" 3

is "by function" "$("$heddle" sites "$fake" --function 'add_t*')" \
	"5  src/fake.c:21:4  add_two  atomic read 8 seq_cst  shared_value"
like "by function: readable name" "$("$heddle" sites "$fake" --function='fake::*')" '^3 '
like "by function: linkage name" "$("$heddle" sites "$fake" --function='_ZN4fake*')" '^3 '
is "by function: inlined into" "$("$heddle" sites "$fake" --function=add_one | grep -c '^[0-9]')" 4
is "by file" "$("$heddle" sites "$fake" --file fake.h | grep -c '^[0-9]')" 1
is "by file with folders" "$("$heddle" sites "$fake" --file 'src/*.c' | grep -c '^[0-9]')" 4
is "nothing matches: exit status" "$(status "$heddle" sites "$fake" --file x)" 0
like "nothing matches: said" "$("$heddle" sites "$fake" --file x 2>&1)" 'no sites match'

is "--summary and --function: exit status" "$(status "$heddle" sites --summary --function x "$fake")" 2
like "--summary and --file: said" "$("$heddle" sites --summary --file x "$fake" 2>&1)" 'cannot be combined with'

summary=$("$heddle" sites --summary "$fake")
for line in 'units compiled by heddle-cc +2$' 'functions woven +3$' 'with variable arguments +1$' 'setjmp .*1$' \
	'with exceptions +1$' 'left plain +1$' 'naked.* 1$' 'resolver.* 0$' 'other compilers +5$' 'dropped +1$' \
	'opaque.* 1$' 'provably not shared\) +3$' '^sites +5$' '^  read +1$' '^  atomic exchange +1$' '^  fence +0$' \
	'with a line +4 +80\.0 %' 'with a variable +4 +80\.0 %' 'code in clones +[1-9]' 'weave +feed0102' 'build +[0-9a-f]{40}'; do
	like "summary: $line" "$summary" "$line"
done
is "summary: every reason" "$(grep -cE 'HEDDLE_PLAIN_[A-Z_]+ = [1-9]' include/heddle/abi.h)" \
	"$(printf '%s\n' "$summary" | sed -n '/left plain/,/other compilers/p' | grep -c '^  ')"

json=$("$heddle" sites --json "$fake")
ok "JSON parses" jq . <<<"$json"
is "JSON: head" "$(jq -c '[.heddle, .program, .weave, .units]' <<<"$json")" \
	"[1,\"$fake\",\"feed0102030405060708090a0b0c0d01\",2]"
is "JSON: sites" "$(jq -c '[.sites[].id]' <<<"$json")" "[1,2,3,4,5]"
is "JSON: names" "$(jq -c '.sites[2] | [.function, .linkage_name, .access, .order, .failure_order, .size]' <<<"$json")" \
	'["fake::inner()","_ZN4fake5innerEv","atomic exchange","seq_cst","acquire",4]'
is "JSON: chain" "$(jq -c '[.sites[2].inlined_at[] | [.file, .line, .function]]' <<<"$json")" \
	'[["src/fake.h",7,"outer"],["src/fake.c",12,"add_one"]]'
is "JSON: size known at run time only" "$(jq -c '.sites[3] | [.size, .variable, .flags]' <<<"$json")" \
	'[null,null,["range","memory_intrinsic"]]'
is "JSON: functions" "$(jq -c '[.functions[] | [.id, .function, .plain, .sites]]' <<<"$json")" \
	'[[1,"add_one",null,4],[2,"add_two",null,1],[3,"fake::twin(int)",null,0],[4,"naked_one","naked",0]]'
is "JSON: bytes that are no text" "$(jq -r '.sites[2].variable' <<<"$json" | od -An -tx1 | tr -d ' \n')" \
	"712d3e686561641b5b33316defbfbd0a"
unlike "JSON: no control characters" "$("$heddle" sites --json "$fake" | tr -d '\n')" '[[:cntrl:]]'
is "JSON: summary" "$("$heddle" sites --json --summary "$fake" | jq '.summary.sites')" 5

# cannot NAME MESSAGE HINT FILE
cannot() {
	got=$("$heddle" sites "$4" 2>&1)
	is "$1: exit status" "$?" 3
	like "$1: message" "$got" "^heddle: error: .*$2"
	like "$1: hint" "$got" "^heddle: hint: .*$3"
	is "$1: two lines" "$(printf '%s\n' "$got" | wc -l)" 2
}
echo 'int main(void) { return 0; }' >"$work/plain.c"
gcc "$work/plain.c" -o "$work/plain"
gcc -static "$work/plain.c" -o "$work/static"
gcc -static-pie "$work/plain.c" -o "$work/static-pie"
gcc -c "$work/plain.c" -o "$work/plain.o"
objcopy --add-section .line.heddle="$work/plain.c" "$work/plain.o" "$work/woven.o"
ar rc "$work/lib.a" "$work/woven.o"
printf '#!/bin/sh\n' >"$work/script"
: >"$work/empty"
echo hello >"$work/text"
head -c 17 "$fake" >"$work/short"
printf '\003' | dd of="$work/plain" bs=1 seek=18 conv=notrunc 2>/dev/null && cp "$work/plain" "$work/i386"
gcc "$work/plain.c" -o "$work/plain"
version=$(sed -n 's/^#define HEDDLE_ABI_VERSION \([0-9]*\)u/\1/p' include/heddle/abi.h)
sed "s/\.long[[:space:]]*$version\$/.long 9/" <(gcc -O2 -fPIC -Iinclude -Isrc -S src/rt/woven.c -o -) >"$work/other.s"
gcc -O2 -Iinclude -DFAKE_MAIN -fPIC tests/unit/fake_woven.c "$work/other.s" -o "$work/other" -pthread
cannot "not found" 'nowhere": No such file' 'built with heddle-cc' "$work/nowhere"
cannot "a folder" 'is a directory' 'path of a program' "$work"
cannot "a device" 'not a regular file' 'path of a program' /dev/null
cannot "empty" 'not an ELF file' 'path of a program' "$work/empty"
cannot "text" 'not an ELF file' 'path of a program' "$work/text"
cannot "a script" 'is a script' 'the program that the script starts' "$work/script"
cannot "an archive" 'is an archive' 'link it' "$work/lib.a"
cannot "half a header" 'damaged or truncated' 'rebuild it' "$work/short"
cannot "another architecture" 'another architecture' 'x86-64' "$work/i386"
cannot "not woven" 'is not woven' 'CC=heddle-cc' "$work/plain"
cannot "static" 'statically linked' 'dynamically' "$work/static"
cannot "static and movable" 'statically linked' 'dynamically' "$work/static-pie"
cannot "an object file" 'heddle-cc did not compile' 'CC=heddle-cc' "$work/plain.o"
cannot "an object file of heddle-cc" 'not linked yet' 'link it with heddle-cc' "$work/woven.o"
cannot "another version" "version 9, this heddle reads version $version" 'rebuild it' "$work/other"
cannot "a name that attacks the terminal" 'x\\x1b\[2J' 'built with heddle-cc' "$work/$(printf 'x\033[2J')"

make_fake "$work/big" -DFAKE_MAIN -DFAKE_SITES=100000
is "many sites" "$("$heddle" sites "$work/big" | wc -l)" 100006
# Ten times the sites take about ten times the processor time; a walk through all for each would take a hundred times.
TIMEFORMAT='%U %S'
took() {
	{ time "$heddle" sites --json "$1" >"$work/listed"; } 2>&1 | awk '{ print int(1000 * ($1 + $2)) + 1 }'
}
make_fake "$work/tenth" -DFAKE_MAIN -DFAKE_SITES=10000
few=$(took "$work/tenth") many=$(took "$work/big")
is "many sites in JSON" "$(jq '.sites | length >= 100000' "$work/listed")" true
ok "ten times the sites take less than forty times: $few and $many ms" test "$many" -lt $((40 * few))
is "a reader that goes away" "$("$heddle" sites "$work/big" 2>&1 | head -n 1 | cut -c 1)" 1
is "a reader that goes away, SIGPIPE ignored" \
	"$(trap '' PIPE; ("$heddle" sites "$work/big"; echo $? >"$work/status") 2>"$work/said" | head -n 1 >/dev/null; cat "$work/status" "$work/said")" 0
is "full disk" "$("$heddle" sites "$work/big" 2>/dev/null >/dev/full; echo $?)" 3
is "full disk, little output" "$("$heddle" sites "$fake" 2>/dev/null >/dev/full; echo $?)" 3
is "closed output" "$("$heddle" sites "$fake" 2>/dev/null >&-; echo $?)" 3
done_testing
