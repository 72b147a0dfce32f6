#!/bin/bash
# Build systems with CC=heddle-cc: configure, cmake, make -j4, ninja. What they find out about the compiler must be what
# they find out about clang.
. tests/lib/tap.sh
. tests/lib/cc.sh

mkdir -p conf && cp main.c part.c part.h conf && cd conf
if command -v autoconf >/dev/null; then
	cat >configure.ac <<'END'
AC_INIT([woven], [1.0])
AC_PROG_CC
AC_PROG_CXX
AC_PROG_RANLIB
AC_C_INLINE
AC_C_BIGENDIAN
AC_CHECK_HEADERS([stdio.h nowhere.h pthread.h])
AC_CHECK_FUNCS([strlcpy_nowhere malloc fork])
AC_CHECK_LIB([m], [cos])
AC_CHECK_SIZEOF([long])
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_CONFIG_HEADERS([config.h])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
	printf 'prog: main.o part.o\n\t@CC@ @CFLAGS@ main.o part.o @LIBS@ -o prog\n.c.o:\n\t@CC@ @CFLAGS@ -c $<\n' >Makefile.in
	autoheader && autoconf
else
	# As autoconf's output, for what matters: each check is a compilation or a link, and its status decides.
	cat >configure <<'END'
#!/bin/sh
: >config.h
exec 5>config.log
check() { # NAME: conftest.c and options decide
	name=$1
	shift
	rm -f conftest conftest.o conftest.err
	echo "$name: $CC $CFLAGS $*" >&5
	if $CC $CFLAGS "$@" 2>conftest.err >conftest.out && test ! -s conftest.err && test ! -s conftest.out; then
		echo "checking $name... yes"
		echo "#define $name 1" >>config.h
	else
		cat conftest.err conftest.out conftest.c >&5
		echo "checking $name... no"
		echo "/* #undef $name */" >>config.h
	fi
}
header() { echo "#include <$2>" >conftest.c; check $1 -c conftest.c; }
function_() { printf '#ifdef __cplusplus\nextern "C"\n#endif\nchar %s();\nint main(void) { return %s(); }\n' $2 $2 >conftest.c; check $1 -w conftest.c -o conftest; }
library() { printf 'char %s();\nint main(void) { return %s(); }\n' $3 $3 >conftest.c; check $1 -w conftest.c -l$2 -o conftest; }
flag() { echo 'int main(void) { return 0; }' >conftest.c; check $1 -Werror $2 -c conftest.c; }
compiles() { echo "$2" >conftest.c; check $1 -c conftest.c; }
links() { echo "$2" >conftest.c; check $1 conftest.c -o conftest; }
echo 'int main(void) { return 0; }' >conftest.c
rm -f a.out && $CC conftest.c >&5 2>&1 && test -f a.out || { echo "C compiler cannot create executables"; exit 77; }
./a.out || { echo "cannot run C compiled programs"; exit 77; }
rm -f a.out
$CC --version >&5 2>&1 && echo "version: $($CC --version 2>/dev/null | head -n 1)"
echo "machine: $($CC -dumpmachine 2>&1)"
$CC -E conftest.c >/dev/null 2>conftest.err && test ! -s conftest.err && echo "preprocessor works"
header HAVE_STDIO_H stdio.h
header HAVE_NOWHERE_H nowhere.h
header HAVE_PTHREAD_H pthread.h
function_ HAVE_MALLOC malloc
function_ HAVE_NOWHERE_FUNCTION no_such_function_at_all
function_ HAVE_FORK fork
library HAVE_LIBM m cos
library HAVE_LIBNOWHERE nowhere_at_all cos
flag HAVE_WALL -Wall
flag HAVE_WNOWHERE -Wno-such-flag-at-all
flag HAVE_NOWHERE_FLAG -fno-such-flag-at-all
flag HAVE_STACK_PROTECTOR -fstack-protector-strong
flag HAVE_LTO -flto
compiles SIZEOF_LONG_IS_8 'int test[sizeof(long) == 8 ? 1 : -1];'
compiles SIZEOF_LONG_IS_4 'int test[sizeof(long) == 4 ? 1 : -1];'
compiles HAVE_INLINE 'static inline int f(void) { return 1; } int g(void) { return f(); }'
links HAVE_SYNC 'int x; int main(void) { return __sync_fetch_and_add(&x, 1) + __atomic_load_n(&x, 5); }'
links HAVE_IFUNC 'static int f(void) { return 0; } static int (*r(void))(void) { return f; } int g(void) __attribute__((ifunc("r"))); int main(void) { return g(); }'
links HAVE_TLS '__thread int x; int main(void) { return x; }'
links HAVE_ALIAS 'int f(void) { return 0; } int g(void) __attribute__((alias("f"))); int main(void) { return g(); }'
links HAVE_UNDEFINED 'int nowhere(void); int main(void) { return nowhere(); }'
echo 'int asm_name(void) { return 1; }' >conftest.c
$CC $CFLAGS -c conftest.c && nm conftest.o >conftest.nm 2>&1
sed -n 's/^.*[ABCDGIRSTW]*[ ][ ]*\(asm_name\)$/symbol from nm: \1/p' conftest.nm
echo "objext: $(ls conftest.o*)"
rm -f conftest*
printf 'CC = %s\nCFLAGS = %s\nprog: main.o part.o\n\t$(CC) $(CFLAGS) main.o part.o -o prog\n.c.o:\n\t$(CC) $(CFLAGS) -c $<\n' "$CC" "$CFLAGS" >Makefile
END
	chmod +x configure
fi
CC=$clang CXX=$clangxx CFLAGS=-O2 ./configure >../clang.checks 2>&1
mv config.h ../clang.config
CC=$cc CXX=$cxx CFLAGS=-O2 ./configure >../heddle.checks 2>&1
is "configure: exit status" $? 0
same "configure: what it finds" "$(sed "s#$cc#CC#g;s#$cxx#CXX#g" ../heddle.checks)" "$(sed "s#\<$clangxx\>#CXX#g;s#\<$clang\>#CC#g" ../clang.checks)"
same "configure: config.h" "$(cat config.h)" "$(cat ../clang.config)"
like "configure: it found something" "$(cat config.h)" '#define HAVE_PTHREAD_H 1'
ok "configure: make" make
works "configure: the program" prog "$want" "$both"
cd ..

if command -v cmake >/dev/null; then
	mkdir -p cmk && cp main.c part.c part.h cmk
	cat >cmk/more.cc <<'END'
#include <map>
#include <string>
static std::map<std::string, int> table;
extern "C" int more(const char *name) { return ++table[name]; }
END
	sed -i 's/^int main/int more(const char *);\nint main/; s/^	printf/	more("a");\n	if (more("a") != 2)\n		return 9;\n	printf/' cmk/main.c
	cat >cmk/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(woven C CXX)
include(CheckFunctionExists)
include(CheckCSourceCompiles)
include(CheckCCompilerFlag)
include(CheckTypeSize)
include(CheckIncludeFile)
include(CheckCXXSourceCompiles)
include(CheckIPOSupported)
find_package(Threads REQUIRED)
check_function_exists(fork HAVE_FORK)
check_function_exists(no_such_function HAVE_NOWHERE)
check_include_file(nowhere.h HAVE_NOWHERE_H)
check_include_file(unistd.h HAVE_UNISTD_H)
check_type_size(long SIZEOF_LONG)
check_c_compiler_flag(-Wall HAVE_WALL)
check_c_compiler_flag(-Wno-such-flag-at-all=3 HAVE_BAD_FLAG)
check_c_source_compiles("int main(void) { return undeclared; }" HAVE_UNDECLARED)
check_cxx_source_compiles("#include <vector>\nint main() { std::vector<int> v{1}; return v[0] - 1; }" HAVE_VECTOR)
try_compile(TRIED ${CMAKE_BINARY_DIR}/tried ${CMAKE_SOURCE_DIR}/part.c CMAKE_FLAGS -DCMAKE_C_FLAGS=-Dmain2=main
	LINK_OPTIONS -shared)
foreach(name HAVE_FORK HAVE_NOWHERE HAVE_NOWHERE_H HAVE_UNISTD_H SIZEOF_LONG HAVE_WALL HAVE_BAD_FLAG HAVE_UNDECLARED
	HAVE_VECTOR TRIED CMAKE_C_COMPILER_ID CMAKE_C_COMPILER_VERSION CMAKE_CXX_COMPILER_ID CMAKE_C_COMPILER_ABI
	CMAKE_C_IMPLICIT_LINK_LIBRARIES CMAKE_CXX_IMPLICIT_LINK_LIBRARIES CMAKE_C_IMPLICIT_LINK_DIRECTORIES
	CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES CMAKE_C_COMPILE_FEATURES CMAKE_CXX_STANDARD_DEFAULT CMAKE_SIZEOF_VOID_P)
	message(STATUS "FOUND ${name}=${${name}}")
endforeach()
add_library(part STATIC part.c)
add_library(more SHARED more.cc)
add_library(object OBJECT main.c)
add_executable(prog $<TARGET_OBJECTS:object>)
target_link_libraries(prog part more Threads::Threads)
END
	cmake -S cmk -B cmk/plain -DCMAKE_C_COMPILER=$clang -DCMAKE_CXX_COMPILER=$clangxx -DCMAKE_BUILD_TYPE=RelWithDebInfo >clang.checks 2>&1
	cmake -S cmk -B cmk/woven -DCMAKE_C_COMPILER=$cc -DCMAKE_CXX_COMPILER=$cxx -DCMAKE_BUILD_TYPE=RelWithDebInfo >heddle.checks 2>&1
	is "cmake: exit status" $? 0
	# Nothing but the folder of heddle.h is new to it.
	same "cmake: what it finds" "$(grep FOUND heddle.checks | sed "s#=$root/include;#=#")" "$(grep FOUND clang.checks)"
	like "cmake: it found something" "$(grep FOUND heddle.checks)" 'CMAKE_C_COMPILER_ID=Clang'
	ok "cmake: build" cmake --build cmk/woven -j4
	works "cmake: the program" cmk/woven/prog "$want" "$both"
	like "cmake: the library of C++" "$(woven_functions cmk/woven/libmore.so)" '(^| )more( |$)'
	if command -v ninja >/dev/null; then
		ok "cmake with ninja" sh -c "CC=$cc CXX=$cxx cmake -G Ninja -S cmk -B cmk/ninja && cmake --build cmk/ninja"
		works "cmake with ninja: the program" cmk/ninja/prog "$want" "$both"
		is "ninja has nothing to do the second time" "$(cmake --build cmk/ninja)" "ninja: no work to do."
	fi
else
	skip "cmake" "there is no cmake"
fi

# make -j4: many units at once, with dependency files.
mkdir -p many
for i in $(seq 1 24); do
	printf '#include "all.h"\nstatic int count;\nint shared_%d;\nint unit_%d(int x) { count += x; return shared_%d += count; }\n' $i $i $i >many/u$i.c
	echo "int unit_$i(int x);"
done >many/all.h
{
	printf '#include <stdio.h>\n#include "all.h"\nint main(void)\n{\n\tint sum = 0;\n'
	for i in $(seq 1 24); do printf '\tsum += unit_%d(%d) + unit_%d(1);\n' $i $i $i; done
	printf '\tprintf("%%d\\n", sum);\n\treturn 0;\n}\n'
} >many/main.c
cat >many/Makefile <<'END'
SOURCES := $(wildcard *.c)
prog: $(SOURCES:.c=.o) libunits.so
	$(CC) $(SOURCES:.c=.o) -o $@
libunits.so: $(patsubst %.c,%.pic.o,$(filter-out main.c,$(SOURCES)))
	$(CC) -shared $^ -o $@
%.o: %.c
	$(CC) -O2 -MMD -MP -c $< -o $@
%.pic.o: %.c
	$(CC) -O2 -fPIC -MMD -MP -c $< -o $@
-include *.d
END
(cd many && make -s CC=$clang prog && ./prog) >many.want 2>&1 && (cd many && rm -f ./*.o ./*.d ./*.so prog)
is "make -j4: silent" "$(make -s -j4 -C many CC=$cc prog 2>&1)" ""
works "make -j4" many/prog "$(cat many.want)" "main unit_1 unit_24"
is "make -j4: nothing to do the second time" "$(make -C many CC=$cc prog | grep -c 'up to date')" 1
sleep 1 && touch many/all.h
is "make: the dependency files work" "$(make -n -C many CC=$cc prog | grep -c -- '-c u.*\.c')" 48
is_clean "no leftovers"
done_testing
