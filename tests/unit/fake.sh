# fake.sh: builds tests/unit/fake_woven.c in several shapes. Source it after tap.sh; it sets $work, removed at exit.
build=${BUILD:-build}
heddle=$build/bin/heddle
runtime=$PWD/$build/lib/heddle/libheddle.so
case $build in /*) runtime=$build/lib/heddle/libheddle.so ;; esac
[ -x "$heddle" ] && [ -f "$runtime" ] || skip_all "run make first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# make_fake OUT FLAGS...: a woven program; with -shared and without -DFAKE_MAIN, a library
make_fake() {
	fake_out=$1
	shift
	# gcc looks for ld.lld in PATH; Debian's lld-19 has it under that name only in clang's own folder.
	fake_cc=${CC:-gcc}
	case " $* " in *" -fuse-ld=lld "*) fake_cc=clang-19 ;; esac
	"$fake_cc" -O2 -fPIC -mno-red-zone -Iinclude tests/unit/fake_woven.c "$build/lib/heddle/woven.o" -o "$fake_out" \
		-pthread "$@" && "$build/bin/heddle-cc" "--heddle-finish=$fake_out"
}

# woven OPTIONS COMMAND...: runs it with the runtime, by hand
woven() {
	fake_options=$1
	shift
	LD_PRELOAD=$runtime HEDDLE=pass HEDDLE_OPTIONS=$fake_options "$@"
}

# status COMMAND...: prints its exit status and nothing else
status() {
	"$@" >/dev/null 2>&1
	echo $?
}
