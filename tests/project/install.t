#!/bin/bash
# make install: what it installs, with which rights; that it works where it was put and where it is moved to, without the
# source tree; pkg-config; and that make uninstall leaves nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
examples=$PWD/examples
. tests/lib/cc.sh
unset HEDDLE_CC_OPTIONS
stage=$work/stage prefix=/opt/heddle
install() {
	make --no-print-directory -C "$root" BUILD="$build" DESTDIR="$stage" PREFIX=$prefix "$@"
}
ok "make install, for a user who lets nobody read what he writes" bash -c "umask 077
	$(declare -f install)
	root='$root' build='$build' stage='$stage' prefix='$prefix'
	install install"
installed=$(cd "$stage" && find . ! -type d | sort)
commands=$("$heddle" help --commands)
for file in bin/heddle bin/heddle-cc bin/heddle-c++ lib/heddle/libheddle.so lib/heddle/heddle-weave lib/heddle/woven.o lib/heddle/gdb.py \
	include/heddle/heddle.h share/pkgconfig/heddle.pc lib/cmake/Heddle/HeddleConfig.cmake \
	lib/cmake/Heddle/HeddleConfigVersion.cmake share/bash-completion/completions/heddle \
	share/bash-completion/completions/heddle-cc share/bash-completion/completions/heddle-c++ share/man/man1/heddle.1 \
	share/man/man1/heddle-cc.1 share/man/man1/heddle-c++.1 $(printf 'share/man/man1/heddle-%s.1 ' $commands); do
	like "$file" "$installed" "^\.$prefix/$(printf %s "$file" | sed 's/[.+]/\\&/g')\$"
done
is "all is under PREFIX" "$(printf '%s\n' "$installed" | grep -v "^\.$prefix/")" ""
is "everybody may read it" "$(find "$stage$prefix" -type f ! -perm -444)" ""
is "everybody may run what is to be run" "$(find "$stage$prefix/bin" "$stage$prefix/lib/heddle/heddle-weave" -type f ! -perm -555)" ""
is "nothing names the stage" "$(grep -rlF "$stage" "$stage")" ""
is "what is text does not name the prefix" "$(grep -rlIF "$prefix/" "$stage")" ""

# Moved, to a place with a blank in its name.
mkdir "$work/else where"
mv "$stage$prefix" "$work/else where/tree"
tree="$work/else where/tree"
cat >noted.c <<'END'
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdio.h>
static int sum;
static void *add(void *argument)
{
	sum++;
	return argument;
}
int main(void)
{
	pthread_t thread;
	heddle_benign_race(&sum, sizeof sum);
	pthread_create(&thread, 0, add, 0);
	add(0);
	pthread_join(thread, 0);
	puts("done");
	return 0;
}
END
silent "moved: it builds" "$tree/bin/heddle-cc" -O1 -g -pthread noted.c -o noted
is "moved: the program runs" "$(./noted)" done
is "moved: heddle test finds nothing wrong" "$(status "$tree/bin/heddle" test --runs 50 -- ./noted)" 0
sed 's/.*heddle_benign_race.*//' noted.c >plain.c
silent "moved: it builds another" "$tree/bin/heddle-cc" -O1 -g -pthread plain.c -o plain
is "moved: heddle test finds what is wrong" "$("$tree/bin/heddle" test --runs 50 --quiet -- ./plain >said; echo $?)" 1
like "moved: it is the race" "$(cat said)" 'race.*plain\.c:7'
doctor=$("$tree/bin/heddle" doctor)
is "moved: the doctor is content" "$?" 0
like "moved: the page is found by man" "$(man -M "$tree/share/man" -w heddle-test 2>&1)" '/tree/share/man/man1/heddle-test\.1$'

if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH="$tree/share/pkgconfig"
	same "pkg-config: version" "$(pkg-config --modversion heddle)" "$("$heddle" --version | cut -d' ' -f2)"
	is "pkg-config: its file has no fault" "$(pkg-config --validate heddle 2>&1 | grep heddle)" ""
	same "pkg-config: heddle" "$(eval "$(pkg-config --variable=heddle heddle) --version")" "$("$heddle" --version)"
	same "pkg-config: the compiler" "$(eval "$(pkg-config --variable=cc heddle) --heddle-version")" "$("$cc" --heddle-version)"
	eval "gcc -pthread $(pkg-config --cflags heddle) noted.c -o by-gcc"
	is "pkg-config: another compiler finds the header" "$(./by-gcc)" done
else
	skip "pkg-config" "there is none: ./setup build installs it"
fi
rm -rf "$tree"

# The example for make.
ok "make install again" install install
cp -R "$examples" "$work/examples"
export PATH="$stage$prefix/bin:$PATH"
said=$(make -k -C "$work/examples/make" CC=heddle-cc check 2>&1)
is "the example for make: what is wrong is found" $? 2
like "the example: the queue is right" "$said" '^heddle test .*-- \./queue$'
like "the example: the deadlock is not" "$said" '^H1 deadlock: threads 2 and 3 wait for each other'
ok "the example: what is right passes" make -C "$work/examples/make" CC=heddle-cc check-queue
ok "the example: clean" make -C "$work/examples/make" clean
is "the example: clean is clean" "$(ls "$work/examples/make")" "Makefile"

is "debian/changelog is of this version" "$(sed -n '1s/^heddle (\(.*\)) .*/\1/p' "$root/debian/changelog")" \
	"$("$heddle" --version | cut -d' ' -f2)"

# What the workflow for GitHub runs between the installation and the upload, in the folder of the example for make.
sed -n 's/^        run: \(.*heddle.*\)/\1/p' "$examples/github-actions/heddle.yml" >steps
is "the workflow has three steps with Heddle" "$(wc -l <steps)" 3
while read -r step; do
	ok "the workflow: $step" bash -c "cd examples/make && ${step/--time 60/--time 2}"
done <steps
is "the workflow: its JSON" "$(jq '.findings | length' examples/make/heddle.json)" 0
is "the workflow: its SARIF" "$(jq '.runs[0].results | length' examples/make/heddle.sarif)" 0
ok "the workflow: a step that installs" grep -q 'make -C heddle install$' "$examples/github-actions/heddle.yml"

ok "make uninstall" install uninstall
is "nothing is left" "$(find "$stage" ! -type d)" ""
is "nor a folder of ours" "$(find "$stage" -type d -iname '*heddle' | grep -v "^$stage$prefix\$")" ""
unset PKG_CONFIG_PATH
ok "make uninstall where nothing is" install uninstall
done_testing
