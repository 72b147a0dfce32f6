#!/bin/bash
# Trace files by themselves: what is written is what is read; cut, changed and foreign files are refused with a message
# that names the part; a full disk leaves nothing behind.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/unit.sh
driver=$work/driver
ok "the driver compiles" unit_build tools.a "$driver" tests/unit/trace_driver.c || done_testing
trace=$work/trace
export XDG_STATE_HOME=$work/state

for size in 0 5000 200000 70000001; do
	written=$("$driver" write "$trace" $size)
	is "$size bytes of log: what was written is read" "$("$driver" read "$trace")" "$written"
done
"$driver" write "$trace" >/dev/null
cp "$trace" "$work/good"
is "the same file twice" "$("$driver" write "$trace" >/dev/null && cmp "$trace" "$work/good" && echo same)" same
ln -s trace "$work/link" && "$driver" write "$work/link" >/dev/null
ok "a link stays a link" test -L "$work/link"
is "no temporary file is left" "$(ls -A "$work" | grep heddle)" ""
is "into a pipe" "$("$driver" write /dev/stdout 100 | cat | wc -c | sed 's/[1-9][0-9]*/some/')" some
umask 027 && "$driver" write "$work/mode" >/dev/null && umask 022
is "for its owner only, whatever the umask" "$(stat -c %a "$work/mode")" 600

# refused NAME REGEX FILE: reading fails with status 3 and that message
refused() {
	got=$("$driver" read "$3" 2>&1)
	is "$1: exit status" "$?" 3
	like "$1: message" "$got" "^trace: error: .*$2"
	like "$1: hint" "$got" '^trace: hint: '
}
refused "not there" 'cannot open ".*": No such file' "$work/none"
refused "a folder" 'is a directory, not a trace' "$work"
: >"$work/empty"
refused "empty" 'is not a trace: it is empty' "$work/empty"
echo "hello, I am a text" >"$work/text"
refused "a text" 'is not a trace' "$work/text"
cp "$work/good" "$work/version" && printf '\143' | dd of="$work/version" bs=1 seek=8 conv=notrunc 2>/dev/null
refused "another version" 'has format version 99; this Heddle reads version' "$work/version"
cat "$work/good" "$work/text" >"$work/longer"
refused "something follows" 'damaged: its section "end" is followed' "$work/longer"
size=$(stat -c %s "$work/good")
head -c $((size - 1)) "$work/good" >"$work/cut"
refused "the last byte is missing" 'truncated: it ends in its section "end"' "$work/cut"
head -c $((size - 200)) "$work/good" >"$work/cut"
refused "200 bytes are missing" 'truncated: it ends in its section "log"' "$work/cut"
head -c 50 "$work/good" >"$work/cut"
refused "nearly all is missing" 'truncated: it ends in its section "start"' "$work/cut"
cp "$work/good" "$work/changed"
printf 'x' | dd of="$work/changed" bs=1 seek=$((size - 300)) conv=notrunc 2>/dev/null
refused "a byte of the log has changed" 'damaged: its section "log" (does not match its checksum|cannot be decompressed)' "$work/changed"

# Who made it. The first key is that of RFC 4231, test case 1, which HMAC pads with zeros anyway.
mkdir -p "$work/rfc/heddle" && { printf '\013%.0s' $(seq 20) && head -c 12 /dev/zero; } >"$work/rfc/heddle/key"
sealed() {
	(umask 077 && XDG_STATE_HOME=$work/$1 "$driver" seal "Hi There")
}
chmod 600 "$work/rfc/heddle/key"
is "HMAC-SHA-256 as in RFC 4231" "$(sealed rfc)" "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7
kept"
chmod 640 "$work/rfc/heddle/key"
like "a key that others may read is not used" "$(sealed rfc)" 'the key is not used .*other users can read or write it'
unlike "a key that others may read is not used: another mark" "$(sealed rfc)" '^b0344c61'
mkdir -p "$work/short/heddle" && (umask 077 && echo short >"$work/short/heddle/key")
like "a key that is cut short is not used" "$(sealed short)" 'the key is not used .*damaged'
mkdir -p "$work/linked/heddle" && chmod 600 "$work/rfc/heddle/key" && ln -s "$work/rfc/heddle/key" "$work/linked/heddle/key"
like "a link is not followed" "$(sealed linked)" 'cannot read'
like "without a home" "$(env -u HOME -u XDG_STATE_HOME "$driver" seal x)" 'neither XDG_STATE_HOME nor HOME names a directory'
: >"$work/file"
like "a folder that cannot be made" "$(sealed file)" 'cannot (read|write) .*Not a directory'
same "the key is made once" "$(sealed fresh)" "$(sealed fresh)"
is "the key is for its owner only" "$(stat -c '%a %s' "$work/fresh/heddle/key")" "600 32"
is "nothing else is left" "$(ls -A "$work/fresh/heddle")" key
for i in 1 2 3 4 5 6 7 8; do sealed many >"$work/many.$i" & done
wait
is "made by several at once: one key" "$(cat "$work"/many.? | sort -u | wc -l)" 2
is "the own trace" "$("$driver" own "$work/good")" own
is "the trace of somebody else" "$(XDG_STATE_HOME=$work/fresh "$driver" own "$work/good")" foreign
is "a copy of the own trace" "$(cp "$work/good" "$work/copy" && "$driver" own "$work/copy")" own

# Whatever is in the file: it is read or refused, and no sanitizer sees a fault.
seed=${SEED:-1}
got=$("$driver" fuzz "$work/good" 1500 "$seed" 2>&1)
is "1500 files that were cut or changed, seed $seed: no fault" $? 0
ok "nearly all of them are refused: $got" test "$got" -gt 1450

# No room.
is "a limit on the size of files: exit status" "$( (ulimit -f 100; "$driver" write "$work/large" 2000000 >/dev/null 2>&1); echo $?)" 3
"$driver" write /dev/full >/dev/null 2>"$work/said"
is "a full disk: exit status" $? 3
like "a full disk: message" "$(cat "$work/said")" '^trace: error: cannot write the trace "/dev/full": No space left'
like "a full disk: hint" "$(cat "$work/said")" '^trace: hint: free some disk space'
ok "a failure leaves no file" test ! -e "$work/large"
is "nor a temporary one" "$(ls -A "$work" | grep heddle)" ""
"$driver" write "$trace" 100 >/dev/null && cp "$trace" "$work/before"
(ulimit -f 100; "$driver" write "$trace" 2000000 >/dev/null 2>&1)
ok "a failure leaves the file that was there" cmp "$trace" "$work/before"
"$driver" write "$work/no/trace" >/dev/null 2>"$work/said"
like "a folder that is not there" "$(cat "$work/said")" 'cannot write ".*no/trace": No such file'

# Events: two of them, the second with an address of 48 bits.
printf '\007\001\014\200\001\002\000\007\002\015\377\377\377\377\377\377\037\003\000' >"$work/events"
is "events" "$("$driver" events "$work/events" | tr '\n' ' ')" "1 12 80 2 2 13 7fffffffffff 3 end "
printf '\010\002\021\022\010\001\200\001\007\001\014\001\002\001\007\001\014\001\002\002\007\001\014\001\002\003' >"$work/events"
is "events with their callers, as far as they have some" "$("$driver" events "$work/events" | tr '\n' ' ')" "1 12 1 2 from 11 12 1 12 1 2 from 80 1 12 1 2 end "
printf '\010\041\001' >"$work/events"
is "too many callers" "$("$driver" events "$work/events")" "Invalid argument"
printf '\010\002\001' >"$work/events"
is "callers that are cut" "$("$driver" events "$work/events")" "Invalid argument"
printf '\007\001\014\200' >"$work/events"
is "an event that is cut" "$("$driver" events "$work/events")" "Invalid argument"
printf '\007\001\014\377\377\377\377\377\377\377\377\377\377\377\001' >"$work/events"
is "a number that is too long" "$("$driver" events "$work/events")" "Invalid argument"
printf '\005\001' >"$work/events"
is "something that is no event" "$("$driver" events "$work/events")" "Invalid argument"
done_testing
