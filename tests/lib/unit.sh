# unit.sh: builds unit tests of the tools. Source it after tap.sh, from the root of the repository. A test is linked with the archives that
# the Makefile makes of the tools, in a build of their own with sanitizers, which all tests share and which is made once. It sets $work, a
# folder that is removed at exit, and $build.
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# unit_archives ARCHIVE...: brings them up to date: tools.a, analysis.a. Tests run side by side, and one of them makes.
unit_archives() {
	mkdir -p "$build/san" &&
		flock "$build/san/lock" make -s -j2 SAN=address,undefined OPT='-O1 -g1' BUILD="$build/san" "${@/#/$build/san/obj/}"
}

# unit_build ARCHIVES OUT ARGUMENT...: compiles and links a test. ARCHIVES: "tools.a" or "analysis.a tools.a"; ARGUMENT: its sources, and
# flags if it needs any.
unit_build() {
	unit_archives=$1 unit_out=$2
	shift 2
	unit_archives $unit_archives &&
		${CC:-gcc} -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -Wno-format-truncation -O1 -g -fsanitize=address,undefined \
			"$@" $(printf "$build/san/obj/%s " $unit_archives) \
			-Wl,--as-needed -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o "$unit_out"
}
