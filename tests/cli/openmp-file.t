#!/bin/bash
# LLVM's OpenMP makes a file with the process's id in its name. Killed processes leave theirs behind, and ids are used again: a run
# must not notice. In a process it is made once only, as OpenMP relies on that.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
. tests/lib/cc.sh
[ -w /dev/shm ] || skip_all "there is no /dev/shm to write to"
cat >twice.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char name[100];
	snprintf(name, sizeof name, "/dev/shm/__KMP_REGISTERED_LIB_%d_0", (int)getpid());
	int first = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	int first_error = errno;
	int second = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
	printf("%s %s\n", first >= 0 ? "made" : first_error == EEXIST ? "was there" : "failed",
	       second >= 0 ? "made again" : errno == EEXIST ? "is there" : "failed");
	unlink(name);
	return 0;
}
END
ok "it builds" clang-19 -O1 twice.c -o twice
is "nothing was left behind" "$("$heddle" run -- ./twice)" "made is there"
# The ids that are next, as far as others on this machine leave them.
made=
read -r most </proc/sys/kernel/pid_max
next=$(sh -c 'echo $$')
for ((i = next; i < next + 2000 && i < most; i++)); do
	file=/dev/shm/__KMP_REGISTERED_LIB_${i}_0
	[ -e "$file" ] || { : >"$file" && made+=" $file"; }
done
is "files were left behind" "$("$heddle" run -- ./twice)" "made is there"
"$heddle" run --stats --trace trace -- ./twice >/dev/null 2>stats
like "the run is kept" "$(cat stats)" 'event hash'
is "its replay" "$("$heddle" replay trace)" "made is there"
rm -f $made
done_testing
