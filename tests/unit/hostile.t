#!/bin/bash
# Files that were cut or changed: heddle sites reads them or refuses them, and never crashes.
. tests/lib/tap.sh
. tests/unit/fake.sh
fake=$work/fake
make_fake "$fake" -DFAKE_MAIN -s
make_fake "$work/with-sections" -DFAKE_MAIN

# Where the tables are: offset and size of each, one a line.
parts=$(readelf -SW "$work/with-sections" | sed 's/\[ */[/' |
	perl -ane 'print hex($F[4]), " ", hex($F[5]), "\n" if $F[1] =~ /^heddle_|^\.rodata|^\.note\.heddle|^\.shstrtab/')

# Runs heddle sites on variants of a file; prints the variants that ended neither with 0 nor with 3.
cat >"$work/mutate.pl" <<'END'
use strict;
my ($heddle, $file, $scratch, $seed, $kind, $count, @parts) = @ARGV;
open my $in, "<:raw", $file or die; local $/; my $bytes = <$in>; close $in;
srand $seed;
my ($runs, %seen) = (0);
my @modes = ([], ["--json"], ["--summary"], ["--summary", "--json"]);
sub try {
	my ($what, $variant) = @_;
	open my $out, ">:raw", $scratch or die; print $out $variant; close $out;
	my $mode = $modes[$runs++ % @modes];
	my $pid = fork; 
	if ($pid == 0) {
		open STDOUT, ">", "/dev/null"; open STDERR, ">", "$scratch.said";
		alarm 20;
		exec $heddle, "sites", @$mode, $scratch;
	}
	waitpid $pid, 0;
	my $status = $? >> 8 | ($? & 127) << 8;
	$seen{$status}++;
	print "$what: status $status\n" if $status != 0 && $status != 3;
	open my $said, "<", "$scratch.said"; my $text = <$said> // ""; close $said;
	print "$what: $text" if $text =~ /Sanitizer|runtime error/;
}
if ($kind eq "cut") {
	my $step = int(length($bytes) / $count) || 1;
	for (my $size = 0; $size < length $bytes; $size += $step) { try("cut at $size", substr $bytes, 0, $size); }
	for (0 .. 100) { try("cut at $_", substr $bytes, 0, $_); }
} else {
	my @where = (0 .. 63, map { $_ + 64 } 0 .. 56 * 12);
	if ($kind eq "tables") {
		@where = ();
		while (@parts) { my ($at, $size) = splice @parts, 0, 2; push @where, $at .. $at + $size - 1; }
	}
	my @values = (0, 1, 0x7f, 0x80, 0xff);
	for my $i (1 .. $count) {
		my $variant = $bytes;
		my $times = 1 + int rand 3;
		my $what = "";
		for (1 .. $times) {
			my $at = $where[rand @where];
			next if $at >= length $variant;
			my $value = rand() < 0.5 ? $values[rand @values] : int rand 256;
			substr($variant, $at, 1) = chr $value;
			$what .= "$at=$value ";
		}
		try($what, $variant);
	}
}
print STDERR "# $kind: ", join(", ", map { "status $_: $seen{$_}" } sort keys %seen), "\n";
END

seed=${SEED:-1}
# shellcheck disable=SC2086 # the parts are words
for round in "cut 200" "headers 300" "tables 500"; do
	set -- $round
	for file in "$fake" "$work/with-sections"; do
		is "$1 of $(basename "$file"), seed $seed" \
			"$(perl "$work/mutate.pl" "$heddle" "$file" "$work/variant" "$seed" "$1" "$2" $parts)" ""
	done
done
done_testing
