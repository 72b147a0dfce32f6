#!/bin/bash
# The CMake package and the examples for CMake and Meson, with an installed Heddle in a folder of its own: found, built,
# tested by ctest and meson test, which pass for the program that is right and fail for the one that is not.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
examples=$PWD/examples
command -v cmake >/dev/null && command -v ctest >/dev/null || skip_all "there is no cmake: ./setup build installs it"
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
make -s -C "$root" BUILD="$build" DESTDIR="$work/stage" PREFIX=/usr install >/dev/null || exit 1
tree=$work/stage/usr
cp -R "$examples" examples
unset CC CXX CFLAGS CXXFLAGS LDFLAGS CMAKE_PREFIX_PATH

export PATH="$tree/bin:$PATH"
ok "the example for CMake" cmake -S examples/cmake -B cm -DCMAKE_C_COMPILER=heddle-cc
ok "it is built" cmake --build cm
said=$(ctest --test-dir cm --output-on-failure 2>&1)
is "ctest fails: something is found" $? 8
like "queue passes" "$said" 'queue \.+ +Passed'
like "queue passes under all schedules" "$said" 'queue-schedules \.+ +Passed'
like "deadlock does not" "$said" 'deadlock-schedules \.+\*\*\*Failed'
like "ctest shows what was found" "$said" '^H1 deadlock: threads 2 and 3 wait for each other'
like "the evidence is in the build folder" "$(ls cm/.heddle/evidence)" '^deadlock-.*\.trace$'
ok "ctest passes without it" ctest --test-dir cm -R queue

# What else the package can do. It is found beside heddle in PATH, or where it is said to be.
mkdir more
cat >more/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(more C CXX)
find_package(Threads REQUIRED)
find_package(Heddle 0.1 REQUIRED)
find_package(Heddle REQUIRED)
message(STATUS "heddle version ${Heddle_VERSION} at ${Heddle_EXECUTABLE}")
enable_testing()
add_executable(noted noted.cc)
target_link_libraries(noted PRIVATE Threads::Threads Heddle::annotations)
heddle_add_test(NAME args COMMAND noted ARGS "two words" x RUNS 7 OPTIONS --output ignore --json ran.json)
heddle_add_test(NAME time COMMAND noted ARGS "two words" x TIME 1 OPTIONS --json time.json WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/sub)
heddle_add_test(NAME path COMMAND ${CMAKE_BINARY_DIR}/noted ARGS "two words" x RUNS 3)
heddle_add_test(NAME wrong COMMAND noted RUNS 3)
heddle_add_test(NAME nothing COMMAND /nowhere/prog RUNS 3)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/sub)
END
cat >more/noted.cc <<'END'
#include <heddle/heddle.h>
#include <cstring>
#include <thread>
int main(int argc, char **argv)
{
	int sum = 0;
	heddle_benign_race(&sum, sizeof sum);
	std::thread other([&] { sum++; });
	sum++;
	other.join();
	return argc == 3 && strcmp(argv[1], "two words") == 0 ? 0 : 5;
}
END
for compiler in heddle-c++ g++; do
	c=heddle-cc
	[ $compiler = g++ ] && c=gcc
	said=$(PATH=${PATH#*:} cmake -S more -B "more-$compiler" -DCMAKE_C_COMPILER="$(command -v $c)" \
		-DCMAKE_CXX_COMPILER="$(command -v $compiler)" -DCMAKE_PREFIX_PATH="$tree" 2>&1)
	is "$compiler: a package that is named by CMAKE_PREFIX_PATH" $? 0
	like "$compiler: variables" "$said" "heddle version $("$heddle" --version | cut -d' ' -f2 | sed 's/\./\\./g') at $tree/bin/heddle"
	ok "$compiler: built" cmake --build "more-$compiler"
done
said=$(ctest --test-dir more-heddle-c++ 2>&1)
for name in args time path; do
	like "$name passes" "$said" " $name \.+ +Passed"
done
like "a program that ends with 5 does not" "$said" ' wrong \.+\*\*\*Failed'
like "a program that is not there does not" "$said" ' nothing \.+\*\*\*Failed'
is "RUNS" "$(jq .schedules more-heddle-c++/ran.json)" 7
is "ARGS" "$(jq -r '.arguments[1:] | join("|")' more-heddle-c++/ran.json)" "two words|x"
is "WORKING_DIRECTORY" "$(jq .heddle more-heddle-c++/sub/time.json)" 1
# wrong_call NAME REGEX CALL: a call that CMake must refuse
wrong_call() {
	mkdir -p bad
	printf 'cmake_minimum_required(VERSION 3.10)\nproject(bad NONE)\n%s\n' "$3" >bad/CMakeLists.txt
	said=$(cmake -S bad -B bad-build -DCMAKE_PREFIX_PATH="$tree" 2>&1)
	is "$1: status" $? 1
	like "$1" "$said" "$2"
}
wrong_call "no NAME" 'requires NAME and COMMAND' 'find_package(Heddle REQUIRED)
heddle_add_test(COMMAND x)'
wrong_call "a word that is not known" 'unknown arguments: RUN;3' 'find_package(Heddle REQUIRED)
heddle_add_test(NAME x RUN 3 COMMAND y)'
wrong_call "a newer version" 'requested version "99"' 'find_package(Heddle 99 REQUIRED)'
wrong_call "another minor version" 'requested version "0\.0"' 'find_package(Heddle 0.0 REQUIRED)'
mv "$tree/bin/heddle-cc" "$tree/bin/kept"
wrong_call "an installation that lacks something" 'heddle-cc" is missing' 'find_package(Heddle REQUIRED)'
mv "$tree/bin/kept" "$tree/bin/heddle-cc"

if command -v meson >/dev/null && command -v ninja >/dev/null; then
	export PKG_CONFIG_PATH=$tree/share/pkgconfig
	ok "the example for Meson" env CC=heddle-cc meson setup me examples/meson
	said=$(meson test -C me 2>&1)
	is "meson test fails: something is found" $? 1
	like "meson: queue passes" "$said" ' queue-schedules +OK'
	like "meson: deadlock does not" "$said" ' deadlock-schedules +FAIL'
	like "meson: the log has what was found" "$(cat me/meson-logs/testlog.txt)" '^H1 deadlock: threads 2 and 3 wait'
	ok "meson passes without it" meson test -C me queue queue-schedules
else
	skip "the example for Meson" "there is no meson: ./setup build installs it"
fi
done_testing
