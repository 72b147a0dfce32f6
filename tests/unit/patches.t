#!/bin/bash
# System call instructions of libraries: what the tool finds (launch/syscalls.c), and the runtime that replaces them
# (rt/enter/patch.c), with this machine's libc.
. tests/lib/tap.sh
. tests/lib/unit.sh
[ "$(ulimit -n)" -ge 1024 ] || ulimit -n 1024 2>/dev/null || skip_all "no descriptor above 1020 can be used"
export XDG_CACHE_HOME=$work/cache

cc=${CC:-gcc}
flags="-D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -O2 -g"
runtime_flags="-fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-builtin -fno-stack-protector
	-fno-omit-frame-pointer -mgeneral-regs-only"
build() {
	unit_runtime "$cc" && unit_make "$build" "$build/obj/tools.a" || return
	$cc $flags $runtime_flags -c tests/unit/patches_world.c -o "$work/patches_world.o" &&
		$cc -shared -fPIC tests/unit/patches_sample.c -o "$work/libsample.so" &&
		$cc $flags tests/unit/patches.c tests/unit/patches_libc.c "$work/patches_world.o" "${rt%rt.a}rt/memory.o" -lc "$build/obj/tools.a" "$rt" "$work/libsample.so" \
			-Wl,-rpath,"$work" -lZydis -l:libstdc++.so.6 -pthread -o "$work/patches"
}
ok "builds" build || { done_testing; }
patches=$work/patches
libc=$(ldd "$patches" | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')

# What is found, compared with what another decoder says.
LIST=1 "$patches" count "$libc" >"$work/list" 2>&1
like "finds system calls in libc" "$(head -n 1 "$work/list")" '/libc[^ ]* [0-9]{3,}$'
cat >"$work/check.pl" <<'PERL'
# check.pl LIST CODE: the runs against objdump's view of the library.
use strict;
use warnings;
open my $list, '<', $ARGV[0] or die;
open my $code, '<', $ARGV[1] or die;
my @runs = map { /^([0-9a-f]+) (\d+) (\d+)$/ ? [hex $1, $2, $3] : () } <$list>;
my (%begins, %calls, %target, $returns, $last);
while (<$code>) {
	/^ *([0-9a-f]+):\t(.*)/ or next;
	my ($at, $text) = (hex $1, $2);
	$begins{$at} = 1;
	$target{hex $1} = 1 if $text =~ /^(?:(?:bnd|notrack|repz|data16) +)*(?:call|j\w+|loop\w*|xbegin)q?(?:,p[nt])? +([0-9a-f]+)\b/;
	if ($text =~ /^syscall/) {
		$calls{$at} = 1;
		$returns = $at if $last =~ /^mov +\$0xf,%[er]ax/;
	}
	$last = $text;
}
my ($bad, $end) = (0, 0);
for my $run (@runs) {
	my ($start, $size, $call) = @$run;
	my @wrong;
	push @wrong, 'not instructions' unless $begins{$start} && $begins{$start + $size} && $calls{$start + $call};
	push @wrong, 'bad size' if $size < 5 || $size > 32;
	push @wrong, 'jumped into' if grep { $target{$_} } $start + 1 .. $start + $size - 1;
	push @wrong, 'overlaps' if $start < $end;
	push @wrong, 'two calls' if 1 != grep { $calls{$_} } $start .. $start + $size - 1;
	push @wrong, 'returns from signals' if defined $returns && $returns == $start + $call;
	printf "%x: %s\n", $start, join ', ', @wrong if @wrong;
	$bad += @wrong;
	$end = $start + $size;
}
printf "%d of %d, %d targets\n", scalar @runs, scalar keys %calls, scalar keys %target;
exit($bad || @runs < 0.95 * keys(%calls) || keys(%target) < 1000);
PERL
if command -v objdump >/dev/null; then
	objdump -d --no-show-raw-insn "$libc" >"$work/code"
	ok "each is whole instructions that nothing jumps into, and nearly all are there" \
		perl "$work/check.pl" "$work/list" "$work/code"
	diag "$(perl "$work/check.pl" "$work/list" "$work/code")"
else
	skip "each is whole instructions that nothing jumps into" "no objdump"
fi

# The cache.
is "known by its build-id the second time" "$("$patches" count "$libc" | tail -n 1)" \
	"found 0, left out 0, files from the cache 1"
file=$(ls "$work"/cache/heddle/syscalls/*)
is "one file, named by build-id and version" "$(basename "$file")" \
	"$(readelf -n "$libc" | sed -n 's/.*Build ID: //p')-1"
cp "$file" "$work/good"
printf '\377' | dd of="$file" bs=1 seek=2000 conv=notrunc 2>/dev/null
like "a damaged one is not believed" "$("$patches" count "$libc" | tail -n 1)" 'found [1-9].* cache 0'
ok "and replaced" cmp "$file" "$work/good"
truncate -s -48 "$file"
like "nor one that was cut" "$("$patches" count "$libc" | tail -n 1)" 'found [1-9].* cache 0'
chmod 666 "$file"
like "nor one that others can write" "$("$patches" count "$libc" | tail -n 1)" 'found [1-9].* cache 0'
: >"$work/file"
like "no place for it is no error" "$(XDG_CACHE_HOME=$work/file "$patches" count "$libc" 2>&1 | tail -n 1)" 'found [1-9]'
like "no home is no error" "$(env -u XDG_CACHE_HOME -u HOME "$patches" count "$libc" 2>&1 | tail -n 1)" 'found [1-9]'
is "nothing else is left there" "$(ls -A "$work/cache/heddle/syscalls" | wc -l)" 1
"$patches" count "$work/none" >/dev/null 2>&1
is "a file that is not there is an error" "$?" 3
for seed in 1 2; do
	ok "damaged files, seed $seed" "$patches" damaged $seed "$libc"
done

# Replaced, in this process.
ok "all registers, there and back" "$patches" registers
ok "addresses in trampolines and in the library" "$patches" addresses
ok "the stack is unwound through it" "$patches" unwind
for seed in 1 2; do
	ok "damaged blocks, seed $seed" "$patches" hostile $seed
done
is "libc as it is" "$("$patches" plain 2>&1 >"$work/plain")" none
is "libc through the world" "$(timeout 120 "$patches" patched 2>&1 >"$work/patched")" many
is "libc replaced, the world off" "$(timeout 120 "$patches" off 2>&1 >"$work/off")" none
ok "does the same" diff "$work/plain" "$work/patched"
ok "does the same, off" diff "$work/plain" "$work/off"
same=0
for i in 1 2 3 4 5; do
	timeout 120 "$patches" patched 2>/dev/null | cmp -s - "$work/plain" && same=$((same + 1))
done
is "every time" "$same" 5
diag "$("$patches" time)"
done_testing
