#!/bin/bash
# The Debian package: it is built from a copy of the tree, has what make install installs and nothing of the place where it was
# built, and works where it is unpacked. lintian, where it is installed, finds no error.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || skip_all "there is no debhelper: ./setup build installs it"
. tests/lib/cc.sh
mkdir source
(cd "$root" && tar --exclude=./build --exclude=./.git --exclude=./.heddle -cf - .) | tar -xf - -C source
version=$("$heddle" --version | cut -d' ' -f2)
ok "it is built" bash -c "unset CC CFLAGS LDFLAGS CPPFLAGS; cd source && dpkg-buildpackage -us -uc -b -j2"
package=heddle_${version}_amd64.deb
[ -f "$package" ] || {
	fail "there is no $package"
	done_testing
}
dpkg-deb -x "$package" tree
make -s -C "$root" BUILD="$build" DESTDIR="$work/stage" PREFIX=/usr install >/dev/null
is "it has what make install installs" "$(cd tree/usr && find . ! -type d ! -path './share/doc/*' | sed 's/\.gz$//' | sort)" \
	"$(cd stage/usr && find . ! -type d | sort)"
for file in copyright changelog.gz README.md.gz examples/make/Makefile; do
	ok "its documents: $file" test -f "tree/usr/share/doc/heddle/$file"
done
is "nothing in it names the place where it was built" "$(grep -rl "$work" tree)" ""
like "it depends on the compiler" "$(dpkg-deb -f "$package" Depends)" '(^|, )clang-19(,|$)'
like "and on the libraries" "$(dpkg-deb -f "$package" Depends)" 'libdw1.*libllvm19.*libzydis'
is "for this machine" "$(dpkg-deb -f "$package" Architecture)" "amd64"

# As it is unpacked.
said=$(tree/usr/bin/heddle doctor)
is "the doctor is content" $? 0
silent "it builds a program" tree/usr/bin/heddle-cc -O1 -g -pthread tree/usr/share/doc/heddle/examples/deadlock.c -o deadlock
said=$(tree/usr/bin/heddle test --runs 100 -- ./deadlock)
is "it finds what is wrong with it" $? 1
like "and says it" "$said" '^H1 deadlock: threads 2 and 3 wait for each other'
is "a run can be had again" "$(status tree/usr/bin/heddle replay .heddle/evidence/deadlock-*.trace)" 1
like "the page can be read" "$(man -M tree/usr/share/man heddle-test 2>/dev/null | col -b)" '^HEDDLE-TEST\(1\)'
# Its runtime has no symbols but those it exports, which must be enough.
for test in cli/run.t cli/reports.t cli/replay.t; do
	ok "tests/$test passes with it" bash -c "cd '$root' && BUILD='$work/tree/usr' tests/$test"
done

if command -v lintian >/dev/null; then
	is "lintian finds no error" "$(lintian --tag-display-limit 0 ./*.changes 2>/dev/null | grep '^E:')" ""
else
	skip "lintian" "it is not installed"
fi
done_testing
