#!/bin/bash
# The models of libraries: every name once, every row makes sense, and those that matter most are there.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build "analysis.a tools.a" "$work/test" tests/unit/models_test.c || {
	done_testing
	exit
}
"$work/test" | sort >"$work/names"
is "no name twice" "$(uniq -d "$work/names")" ""
is "no row without sense" "$("$work/test" --check)" ""
is "all functions that malloc stands for" "$(printf '%s\n' aligned_alloc calloc free malloc memalign posix_memalign \
	realloc reallocarray | comm -23 - "$work/names")" ""
# What real programs call and no header of threads declares.
is "functions that take callbacks, search, or fill in structures" "$(printf '%s\n' bsearch dladdr dlopen dlsym freeaddrinfo ftw \
	getaddrinfo getopt_long glob glob64 globfree globfree64 hsearch iconv lsearch nftw qsort qsort_r regcomp regexec scandir \
	tdelete tdestroy tfind tsearch twalk twalk_r wordexp | comm -23 - "$work/names")" ""
# Whatever of the threads library the headers declare is modelled.
echo '#include <pthread.h>
#include <semaphore.h>
#include <threads.h>' | gcc -D_GNU_SOURCE -E - | grep -o -E '\b(pthread|sem|mtx|cnd|thrd|tss)_[a-z_0-9]+ *\(' |
	tr -d ' (' | grep -v -E '_t$' | sort -u >"$work/declared"
is "the threads library" "$(comm -23 "$work/declared" "$work/names" | tr '\n' ' ')" ""
done_testing
