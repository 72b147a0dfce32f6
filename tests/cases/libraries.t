#!/bin/bash
# Several woven objects in one process: libraries that call each other, dlopen and dlclose, interposition, symbol versions,
# callbacks between woven and other code. Each program must do the same as when plain clang builds everything.
. tests/lib/tap.sh
. tests/lib/cc.sh

cat >a.c <<'END'
#include <stdio.h>
int a_count;
__thread int a_tls;
static int hook(int x) { return x; }
int (*a_hook)(int) = hook;
int interposed(void) { return 1; }
int a_calls_interposed(void) { a_count++; return interposed(); }
int a_apply(int (*f)(int), int x) { a_tls++; return a_hook(f(x)) + a_tls; }
int *a_address(void) { return &a_tls; }
__attribute__((constructor)) static void begin(void) { a_count += 100; }
__attribute__((destructor)) static void end(void) { printf("a ends %d\n", a_count); fflush(stdout); }
END
cat >b.c <<'END'
extern int a_count, a_apply(int (*)(int), int);
static int b_static;
static int callback(int x) { b_static += x; return b_static; }
int b_run(int n) { int r = 0; for (int i = 0; i < n; i++) r += a_apply(callback, i), a_count++; return r; }
int b_data[3] = { 1, 2, 3 };
int *b_pointer = &b_data[1];
END
cat >plugin.c <<'END'
#include <stdio.h>
static int loaded;
static __thread int plugin_tls = 9;
int shared_name = 5;
int plugin_run(int (*host)(int), int x) { loaded++; plugin_tls += x; return host(plugin_tls) + loaded + shared_name++; }
__attribute__((constructor)) static void begin(void) { loaded = 40; }
__attribute__((destructor)) static void end(void) { printf("plugin ends %d\n", loaded); }
END
cat >prog.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
extern int a_count, a_calls_interposed(void), a_apply(int (*)(int), int), b_run(int), *b_pointer, b_data[3], *a_address(void);
extern int (*a_hook)(int);
extern __thread int a_tls;
int calls;
int interposed(void) { calls++; return 77; }
static int host(int x) { calls += 2; return x * 2; }
static void *thread(void *p)
{
	int (*run)(int (*)(int), int) = (int (*)(int (*)(int), int))p;
	int r = 0;
	for (int i = 0; i < 50; i++)
		r += run(host, i);
	return (void *)(long)r;
}
int main(int argc, char **argv)
{
	(void)argc;
	/* One call a statement: compilers differ in the order of arguments. */
	int result = a_calls_interposed();
	printf("%d %d\n", result, calls);
	result = b_run(10);
	printf("%d %d %d\n", result, a_count, *b_pointer);
	a_hook = host;
	result = a_apply(host, 4);
	printf("%d %d\n", result, calls);
	printf("%d %d %d\n", a_tls, a_address() == &a_tls, b_data + 1 == b_pointer);
	for (int i = 0; i < 5; i++) {
		void *handle = dlopen("./libplugin.so", i % 2 ? RTLD_LAZY : RTLD_NOW | RTLD_GLOBAL);
		if (!handle)
			return printf("%s\n", dlerror()), 1;
		int (*run)(int (*)(int), int) = (int (*)(int (*)(int), int))dlsym(handle, "plugin_run");
		pthread_t one, two;
		void *r;
		pthread_create(&one, NULL, thread, (void *)run);
		pthread_join(one, &r);
		printf("%ld ", (long)r);
		pthread_create(&two, NULL, thread, (void *)run);
		pthread_join(two, &r);
		result = run(host, i);
		printf("%ld %d\n", (long)r, result);
		result = dlclose(handle);
		printf("%d\n", result);
	}
	printf("%d %s\n", calls, dlsym(RTLD_DEFAULT, "interposed") == (void *)interposed ? "ours" : "theirs");
	(void)argv;
	return 0;
}
END
# make_all FOLDER COMPILER-OF-A -B -PLUGIN -PROGRAM FLAGS...
make_all() {
	folder=$1 a=$2 b=$3 plugin=$4 program=$5
	shift 5
	mkdir -p "$folder"
	$a "$@" -fsemantic-interposition -fPIC -shared a.c -o "$folder/liba.so" &&
		$b "$@" -fPIC -shared b.c -L"$folder" -la -o "$folder/libb.so" &&
		$plugin "$@" -fPIC -shared plugin.c -o "$folder/libplugin.so" &&
		$program "$@" prog.c -L"$folder" -lb -la -Wl,-rpath,'$ORIGIN' -pthread -ldl -o "$folder/prog"
}
for level in -O0 -O2 "-O2 -Wl,-Bsymbolic-functions" "-O2 -fno-plt -Wl,-z,now"; do
	rm -rf plain && make_all plain $clang $clang $clang $clang $level
	want=$(cd plain && ./prog)
	for mix in "$cc $cc $cc $cc" "$cc $clang $cc gcc" "gcc $cc $cc $cc" "gcc gcc gcc $cc" "$cc gcc gcc gcc" "gcc gcc $cc gcc"; do
		label="$level $(echo "$mix" | sed "s#$cc#heddle#g; s#$clang#clang#g")"
		rm -rf woven
		make_all woven $mix $level || { fail "$label: build"; continue; }
		is "$label: dormant" "$(cd woven && ./prog 2>&1)" "$want"
		is "$label: all on" "$(cd woven && "$heddle" run --free --switch all -- ./prog 2>&1)" "$want"
		is "$label: counted" "$(cd woven && "$heddle" run --json ../counts.json -- ./prog 2>/dev/null)" "$want"
		is "$label: some on" "$(cd woven && "$heddle" run --free --switch 'a_*,plugin_run,main' -- ./prog 2>&1)" "$want"
	done
done
rm -rf woven && make_all woven $cc $cc $cc $cc -O2
(cd woven && "$heddle" run --json ../counts.json -- ./prog >/dev/null 2>&1)
is "counts of every object, also of one that was closed" "$(jq -r '.objects[] | .path // .program // .object' counts.json | sed 's#.*/##' | sort -u | tr '\n' ' ')" \
	"liba.so libb.so libplugin.so prog "
is "accesses in the plugin, over all its lives" "$(jq '[.objects[].sites[] | select(.function == "plugin_run" and .variable == "loaded" and .access == "write") | .count] | add' counts.json)" 505

# Symbol versions made in the source.
cat >versions.c <<'END'
int state;
int old_work(int x) { return state += x; }
int new_work(int x) { return state += x * 10; }
__asm__(".symver old_work,work@V1");
__asm__(".symver new_work,work@@V2");
END
echo 'V1 { global: work; local: *; }; V2 { global: work; } V1;' >versions.map
echo 'int work(int); int printf(const char *, ...); int main(void) { printf("%d %d\n", work(1), work(2)); return 0; }' >user.c
for linker in bfd lld; do
	for compiler in $clang $cc; do
		$compiler -O2 -fuse-ld=$linker -fPIC -shared versions.c -Wl,--version-script=versions.map -o libversions.so &&
			$compiler -O2 user.c -L. -lversions -Wl,-rpath,'$ORIGIN' -o user
		eval "$([ $compiler = $cc ] && echo ours || echo theirs)=\"\$(nm -D --with-symbol-versions --defined-only libversions.so | grep -v start_heddle | grep -v stop_heddle | cut -d' ' -f2- | sort)\""
	done
	same "symbol versions, $linker: exported" "$ours" "$theirs"
	works "symbol versions, $linker" user "10 30" main
done

# LD_PRELOAD of a woven library in a program that is not woven, and a woven program that brings its own allocator.
echo 'static int state; int rand(void) { return state += 7; }' >random.c
$cc -O2 -fPIC -shared random.c -o librandom.so
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { rand(); printf("%%d\\n", rand()); return 0; }\n' >asks.c
gcc asks.c -o asks
is "a woven library, preloaded" "$(LD_PRELOAD=$work/librandom.so ./asks)" 14
is "a woven library, preloaded and switched" "$(LD_PRELOAD=$work/librandom.so "$heddle" run --free --switch all -- ./asks 2>&1)" 14
cat >allocator.c <<'END'
#include <stdlib.h>
#include <string.h>
int asked;
static char room[1 << 20];
static size_t used;
void *malloc(size_t n) { asked++; void *p = room + used; used += (n + 15) & ~15ul; return p; }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); return p ? memmove(q, p, n) : q; }
void free(void *p) { (void)p; asked++; }
END
printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { void *volatile p = malloc(10); free(p); printf("%%d\\n", p != NULL); return 0; }\n' >asks.c
$cc -O2 asks.c allocator.c -o asks
works "a woven allocator in the program" asks 1 "main malloc free"
is_clean "no leftovers"
done_testing
