#!/bin/bash
# The table of system calls: its numbers against the kernel's headers, and what it says about memory against the kernel.
. tests/lib/tap.sh
. tests/lib/unit.sh
test=$work/calls_test
build() {
	unit_runtime gcc &&
		gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -O1 -g -Wno-unused-result tests/unit/calls_test*.c -lc "$rt" -o "$test"
}
ok "builds" build || { done_testing; }

# Every number of the headers is in the table under its name; what the table has beyond is newer than the headers.
"$test" --names | sort >"$work/names"
echo '#include <sys/syscall.h>' | gcc -E -dM - | awk '$2 ~ /^__NR_/ { sub("__NR_", "", $2); print $3, $2 }' |
	sort >"$work/headers"
is "all numbers of the headers" "$(comm -13 "$work/names" "$work/headers")" ""
is "no number under a wrong name" "$(awk 'NR == FNR { name[$1] = $2; next } $1 in name && name[$1] != $2' \
	"$work/headers" "$work/names")" ""
is "no name twice" "$(cut -d' ' -f2 "$work/names" | sort | uniq -d)" ""
is "the numbers go to" "$(sort -n "$work/names" | tail -1)" "469 file_setattr"

mkdir "$work/folder"
cd "$work/folder" || exit
head -c 10000 /dev/urandom >file
ln -s file link
"$test" --classes >"$work/classes"
is "classes that depend on arguments" "$(grep -v '^ok' "$work/classes")" ""
"$test" >"$work/cases" 2>"$work/errors"
while read -r word rest; do
	case $word in
	ok) pass "$rest" ;;
	skip) skip "${rest%%:*}" "${rest#*: }" ;;
	*)
		fail "${rest%%:*}"
		diag "$rest"
		;;
	esac
done < <(sed 's/^not ok/not-ok/; s/^not-ok \(ok \)\?/not-ok /' "$work/cases")
is "enough cases ran" "$([ "$(grep -c ^ok "$work/cases")" -ge 180 ] && echo yes)" yes
is "nothing on standard error" "$(cat "$work/errors")" ""
done_testing
