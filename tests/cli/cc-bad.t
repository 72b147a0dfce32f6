#!/bin/bash
# heddle-cc and bad input: one clear error with the next step, exit status 2 or 3, and no half-written output.
. tests/lib/tap.sh
. tests/lib/cc.sh

# refuses NAME STATUS MESSAGE HINT OUTPUT COMMAND...: MESSAGE and HINT are patterns; OUTPUT must not exist afterwards
refuses() {
	name=$1 want_status=$2 message=$3 hint=$4 output=$5
	shift 5
	said=$("$@" 2>&1)
	is "$name: exit status" $? "$want_status"
	like "$name: message" "$said" "$message"
	[ -z "$hint" ] || like "$name: next step" "$said" "^heddle-c.*: hint: .*$hint"
	ok "$name: no output" test ! -e "$output"
	case $name in *lld) ;; *) ok "$name: at most six lines" test "$(printf '%s\n' "$said" | wc -l)" -le 6 ;; esac
}
refuses "no clang" 3 '^heddle-cc: error: cannot find "/nonexistent/clang"' 'clang-19' main.o $cc --heddle-clang=/nonexistent/clang -c main.c
refuses "no clang in PATH" 3 '^heddle-cc: error: cannot find "clang-19"' 'clang-19' main.o env PATH="$work" $cc -c main.c
refuses "no clang, from the environment" 3 'cannot find "/nonexistent"' 'clang' main.o env HEDDLE_CC_OPTIONS=clang=/nonexistent $cc -c main.c
refuses "a clang that is no program" 3 '^heddle-cc: error: ' '' main.o $cc --heddle-clang="$work/main.c" -c main.c
mkdir -p moved/bin && cp "$cc" moved/bin/heddle-cc
refuses "heddle-weave is missing" 3 '^heddle-cc: error: .*heddle-weave' 'install' main.o moved/bin/heddle-cc -c main.c
mkdir -p moved/lib/heddle && : >moved/lib/heddle/heddle-weave && chmod +x moved/lib/heddle/heddle-weave
refuses "heddle-weave is empty" 3 '^heddle-cc: error: ' '' main.o moved/bin/heddle-cc -c main.c
cp "$build/lib/heddle/heddle-weave" moved/lib/heddle/
refuses "woven.o is missing" 3 'woven\.o' '' prog moved/bin/heddle-cc main.c part.c -o prog

# The unit in an object.
$cc -O2 -c main.c part.c
section=$(readelf -SW part.o | grep -o '\.[a-z.]*heddle[a-z]*' | head -n 1)
objcopy -O binary --only-section="$section" --set-section-flags "$section=alloc" part.o unit.bin
ok "the unit can be taken out" test -s unit.bin
size=$(stat -c %s unit.bin)
# with_unit NAME: part.o with unit.changed for its unit
with_unit() {
	objcopy --update-section "$section=unit.changed" part.o "$1" 2>/dev/null
}
# flip OFFSET: one byte of the unit
flip() {
	perl -e 'open my $f, "<:raw", "unit.bin"; local $/; $_ = <$f>; substr($_, $ARGV[0], 1) = chr(ord(substr($_, $ARGV[0], 1)) ^ 0x41);
		open my $o, ">:raw", "unit.changed"; print $o $_' "$1"
}
cp unit.bin unit.changed && with_unit same.o && $cc main.o same.o -o prog
works "a unit put back as it was" prog "$want" "$both"
rm prog
for offset in 0 5 12 16 20 32 40 44 48 56 64 70 84 $((size / 3)) $((size / 2)) $((size - 20)); do
	[ "$offset" -lt "$size" ] || continue
	flip "$offset" && with_unit bad.o
	refuses "byte $offset of the unit is wrong" 3 '^heddle-cc: error: ' '' prog $cc main.o bad.o -o prog
done
for length in 1 7 8 40 83 84 100 $((size / 2)) $((size - 8)); do
	head -c "$length" unit.bin >unit.changed && with_unit bad.o
	refuses "the unit is cut to $length bytes" 3 '^heddle-cc: error: .*damaged|cut|corrupt|not a unit' 'again|heddle-off' prog $cc main.o bad.o -o prog
done
perl -e 'print "\0" x 4096' >unit.changed && with_unit bad.o
refuses "the unit is zeros" 3 '^heddle-cc: error: ' '' prog $cc main.o bad.o -o prog
cat unit.bin main.c >unit.changed && with_unit bad.o
refuses "rubbish behind the unit" 3 '^heddle-cc: error: ' '' prog $cc main.o bad.o -o prog
cat unit.bin unit.bin >unit.changed && with_unit bad.o
is "the unit twice: a clean answer" "$($cc main.o bad.o -o prog >said 2>&1; s=$?; [ $s = 0 ] || [ $s = 3 ] && echo yes)" yes
rm -f prog
perl -e 'open my $f, "<:raw", "unit.bin"; local $/; $_ = <$f>; substr($_, 8, 4) = pack "V", 77; open my $o, ">:raw", "unit.changed"; print $o $_'
with_unit other.o
refuses "an object of another version" 3 '^heddle-cc: error: .*version' 'again|clean' prog $cc main.o other.o -o prog
ar rc libother.a other.o
refuses "an object of another version in an archive" 3 '^heddle-cc: error: .*version' 'again|clean' prog $cc main.o libother.a -o prog
refuses "an object of another version in a library" 3 '^heddle-cc: error: .*version' 'again|clean' libx.so $cc -shared other.o -o libx.so
is "it still links with --heddle-off" "$($cc --heddle-off main.o other.o -o prog 2>&1 && ./prog)" "$want"
rm -f prog

# Objects that the linker itself refuses.
head -c 700 part.o >short.o
refuses "a truncated object" 1 'short\.o|file (format )?not recogni|truncated|Bad value' '' prog $cc main.o short.o -o prog
: >empty.o
said=$($cc main.o empty.o -o prog 2>&1)
is "an empty object: as clang" "$?" "$($clang main.o empty.o -o prog >/dev/null 2>&1; echo $?)"
echo text >text.o
$cc main.o text.o -o prog >said 2>&1
is "a text for an object: as clang" "$?" "$($clang main.o text.o -o prog >/dev/null 2>&1; echo $?)"
ok "a text for an object: no output" test ! -e prog

# Places where nothing can be written.
for kind in compile link; do
	case $kind in compile) arguments="-c main.c" ;; link) arguments="main.o part.o" ;; esac
	said=$($cc $arguments -o /proc/heddle-test.o 2>&1)
	like "$kind into /proc: exit status" $? '^[123]$'
	like "$kind into /proc: message" "$said" 'error: .*/proc/heddle-test\.o'
	said=$($cc $arguments -o "$work/no/such/folder/x" 2>&1)
	like "$kind into a folder that is not there: exit status" $? '^[123]$'
	like "$kind into a folder that is not there: message" "$said" 'no/such/folder/x'
	mkdir -p isfolder
	said=$($cc $arguments -o isfolder 2>&1)
	like "$kind over a folder: exit status" $? '^[123]$'
	like "$kind over a folder: message" "$said" 'error|Is a directory|directory'
	ok "$kind over a folder: it stays" test -d isfolder
done
said=$(TMPDIR=$work/nowhere $cc -c main.c -o nowhere.o 2>&1)
is "TMPDIR is not there: exit status" $? 3
like "TMPDIR is not there: message" "$said" '^heddle-cc: error: .*nowhere'
like "TMPDIR is not there: next step" "$said" 'hint: .*TMPDIR'

mkdir -p mnt
mount_point() { mount -t tmpfs -o "$1" tmpfs mnt 2>/dev/null; }
if [ "$(id -u)" = 0 ] && mount_point size=64k; then
	trap 'umount "$work/mnt" 2>/dev/null; umount "$work/mnt" 2>/dev/null; rm -rf "$work"' EXIT
	dd if=/dev/zero of=mnt/filler bs=1k count=60 2>/dev/null
	refuses "a full file system: compile" 3 'error: cannot write "mnt/main\.o": No space left' 'disk space' mnt/main.o $cc -g3 -O2 -c main.c -o mnt/main.o
	refuses "a full file system: link" 3 'error: cannot write "mnt/prog": No space left' 'disk space' mnt/prog $cc main.o part.o -o mnt/prog
	refuses "a full file system: link a library" 3 'error: cannot write "mnt/x\.so": No space left' 'disk space' mnt/x.so $cc -shared -fPIC part.c -o mnt/x.so
	for linker in gold lld; do
		refuses "a full file system: $linker" 3 'error: cannot write "mnt/prog": No space left' 'disk space' mnt/prog \
			$cc -fuse-ld=$linker main.o part.o -o mnt/prog
	done
	is "a full file system: nothing but the filler is left" "$(ls mnt)" filler
	rm mnt/filler
	mkdir mnt/tmp && dd if=/dev/zero of=mnt/filler bs=1k count=60 2>/dev/null
	said=$(TMPDIR=$work/mnt/tmp $cc -O2 -g main.c part.c -o full-tmp 2>&1)
	like "TMPDIR is full: exit status" $? '^[13]$'
	like "TMPDIR is full: message" "$said" 'No space left'
	ok "TMPDIR is full: no output" test ! -e full-tmp
	is "TMPDIR is full: nothing is left" "$(ls mnt/tmp)" ""
	umount mnt
	# Room for a plain program but not for a woven one, in steps, so that each stage runs out of room once.
	for blocks in 4 8 12 16 20 24 28 32 40 48; do
		mount_point size=${blocks}k || break
		said=$($cc main.o part.o -o mnt/prog 2>&1)
		code=$?
		if [ $code = 0 ]; then
			is "room for $blocks KiB: a whole program" "$(mnt/prog)" "$want"
		else
			is "room for $blocks KiB: exit status" $code 3
			is "room for $blocks KiB: nothing is left" "$(ls mnt)" ""
			like "room for $blocks KiB: message" "$said" 'error: cannot write "mnt/prog": No space left'
		fi
		umount mnt
	done
	mount_point size=1m,ro
	refuses "a read-only file system: compile" 3 'error: cannot write "mnt/main\.o": Read-only' 'another output' mnt/main.o $cc -c main.c -o mnt/main.o
	refuses "a read-only file system: link" 3 'error: cannot write "mnt/prog": Read-only' 'another output' mnt/prog $cc main.o part.o -o mnt/prog
	umount mnt
else
	skip "a full and a read-only file system" "this user may not mount a tmpfs"
fi
if [ "$(id -u)" != 0 ]; then
	mkdir closed && chmod 555 closed
	refuses "a folder without the right to write: compile" 3 'cannot write "closed/main\.o": Permission' 'another output' closed/main.o $cc -c main.c -o closed/main.o
	refuses "a folder without the right to write: link" 3 'cannot write "closed/prog": Permission' 'another output' closed/prog $cc main.o part.o -o closed/prog
else
	skip "a folder without the right to write" "this user may write everywhere"
fi
(ulimit -f 8; trap '' XFSZ; $cc main.o part.o -o limited) >said 2>&1
like "a limit on the size of files: exit status" $? '^[123]$'
ok "a limit on the size of files: no output" test ! -e limited
is_clean "no leftovers"
done_testing
