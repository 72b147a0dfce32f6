#!/bin/bash
# ./setup: its arguments, and what it does when packages are missing, with and without the right to install them.
# Works on a copy with package names that exist nowhere, and with an apt-get and a sudo of its own in PATH.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# mktemp's folder is private, and one test runs as another user.
chmod 755 "$work"
mkdir -p "$work/mk" "$work/fake"
cp setup "$work/"
printf '%s\n' '# comment' 'heddle-no-such-one  # for one thing' 'dpkg # always there' 'heddle-no-such-two # for another' \
	>"$work/mk/packages"
printf 'all:\n\t@echo built\ndemo:\n\t@echo shown\ntest:\n\t@false\n' >"$work/Makefile"
printf 'ID=debian\nVERSION_ID="12"\n' >"$work/debian12"
printf 'ID=fedora\nVERSION_ID=40\n' >"$work/fedora"

fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$work/fake/$1"
	chmod 755 "$work/fake/$1"
}
fake sudo 'exit 1'
fake apt-get 'echo "unexpected: $*"; exit 99'

# try SYSTEM ARGUMENTS...: sets output and status.
try() {
	local system=$1
	shift
	output=$(HEDDLE_OS_RELEASE=$system PATH=$work/fake:$PATH "$@" 2>&1)
	status=$?
}

try "$work/debian12" "$work/setup" --help
is "--help exits 0" $status 0
for word in build demo test; do
	like "--help explains $word" "$output" "setup $word"
done
try "$work/debian12" "$work/setup"
is "no argument exits 2" $status 2
try "$work/debian12" "$work/setup" everything
is "an unknown argument exits 2" $status 2
like "and is named" "$output" '"everything"'
try "$work/debian12" "$work/setup" build demo
is "two arguments exit 2" $status 2

try "$work/fedora" "$work/setup" build
is "another distribution exits 3" $status 3
like "it says so" "$output" "not Debian 12"
like "it lists the missing packages and what they are for" "$output" "heddle-no-such-two - for another"
unlike "and not those that are there" "$output" "dpkg"
like "it says what to do" "$output" "then run: make"
unlike "it builds nothing" "$output" "built"
try "$work/none" "$work/setup" build
is "a system that does not say what it is exits 3" $status 3

# Without root: as it is, or as a user that nobody is.
if [ "$(id -u)" -eq 0 ]; then
	try "$work/debian12" setpriv --reuid=65534 --regid=65534 --clear-groups "$work/setup" build
else
	try "$work/debian12" "$work/setup" build
fi
is "no root and no sudo exits 3" $status 3
like "it says so" "$output" "requires root"
like "it prints the command for the administrator" "$output" \
	"apt-get install --no-install-recommends heddle-no-such-one heddle-no-such-two"

# With the right to install, from here on through a sudo that only passes on.
fake sudo 'shift; exec "$@"'
try "$work/debian12" "$work/setup" build
is "a failed installation exits 3" $status 3
like "it shows what apt-get said" "$output" "unexpected: .*heddle-no-such-one"
fake apt-get 'echo "$DEBIAN_FRONTEND $*" >>"'"$work"'/calls"'
try "$work/debian12" "$work/setup" build
is "packages that are still missing exit 3" $status 3
like "updates first" "$(head -n 1 "$work/calls")" "^noninteractive .*update$"
like "installs only what is missing, without recommendations" "$(tail -n 1 "$work/calls")" \
	"^noninteractive .*install --no-install-recommends heddle-no-such-one heddle-no-such-two$"

# Nothing missing: no root, no network, no apt-get.
echo 'dpkg # always there' >"$work/mk/packages"
fake apt-get 'exit 99'
fake sudo 'exit 99'
try "$work/fedora" "$work/setup" demo
is "nothing missing: works on any system" "$status $(printf '%s\n' "$output" | grep -v '^setup: ')" "0 built
shown"
try "$work/fedora" "$work/setup" build
is "build: works" $status 0
like "it says at its start what it does" "$output" '^setup: building in build/ with [0-9]+ jobs$'
like "and at its end what there is" "$output" '^setup: built: build/bin/heddle, build/bin/heddle-cc'
like "and what comes next" "$output" "^setup:   export PATH=\"$work/build/bin:.PATH\"\$"
like "and then" "$output" '^setup:   heddle doctor$'
printf 'all:\n\t@false\n' >"$work/Makefile"
try "$work/fedora" "$work/setup" build
is "a failing build exits 1" $status 1
unlike "and says nothing of a next step" "$output" 'built|next'
printf 'all:\n\t@echo built\ndemo:\n\t@echo shown\ntest:\n\t@false\n' >"$work/Makefile"
try "$work/debian12" "$work/setup" test
is "a failing test suite exits 1" $status 1
fake dpkg-query 'exit 127'
try "$work/fedora" "$work/setup" build
is "without knowledge of packages all count as missing" $status 3

# The real list.
is "mk/packages says what each package is for" "$(grep -vE '^(#.*|[a-z0-9.+-]+ +# .*)?$' mk/packages)" ""
is "mk/packages has no package twice" "$(sed 's/#.*//;/^ *$/d' mk/packages | sort | uniq -d)" ""
done_testing
