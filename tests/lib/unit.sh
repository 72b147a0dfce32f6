# unit.sh: builds unit tests. Source it after tap.sh, from the root of the repository. A test is linked with the archives that the Makefile
# makes: of the tools, in a build of their own with sanitizers; of the runtime, as it is, by any compiler. All tests share them, and they
# are made once. It sets $work, a folder that is removed at exit, unless it is set, and $build.
build=${BUILD:-build}
if [ -z "${work:-}" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
fi

# unit_make FOLDER TARGET... [VARIABLE=VALUE...]: brings archives in a build up to date. Tests run side by side, and one of them makes.
unit_make() {
	unit_folder=$1
	shift
	mkdir -p "$unit_folder" && flock "$unit_folder/unit.lock" make -s -j2 BUILD="$unit_folder" "$@"
}

# unit_build ARCHIVES OUT ARGUMENT...: compiles and links a test of the tools. ARCHIVES: "tools.a" or "analysis.a tools.a"; ARGUMENT: its
# sources, and flags if it needs any.
unit_build() {
	unit_archives=$(printf "$build/san/obj/%s " $1) unit_out=$2
	shift 2
	unit_make "$build/san" CC=gcc SAN=address,undefined OPT='-O1 -g1' $unit_archives &&
		gcc -D_GNU_SOURCE -Iinclude -Isrc -std=gnu11 -Wall -Wextra -Werror -Wno-format-truncation -O1 -g -fsanitize=address,undefined \
			"$@" $unit_archives -Wl,--as-needed -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o "$unit_out"
}

# unit_rt CC: prints where the archive of the runtime is that CC compiled
unit_rt() {
	[ "$1" = gcc ] && echo "$build/obj/rt.a" || echo "$build/$1/obj/rt.a"
}

# unit_runtime CC: makes it, compiled as the runtime is, and sets $rt to it. Put -lc before it: it stands in front of functions of libc,
# which a test does not want.
unit_runtime() {
	rt=$(unit_rt "$1")
	unit_make "${rt%/obj/rt.a}" CC="$1" "$rt"
}
