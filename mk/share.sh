#!/bin/sh
# share.sh BIN SHARE: writes the manual pages and the completion of bash into the folder SHARE, from the tables of options
# in the programs in the folder BIN. What a page says beside its table is in man/; it goes before SEE ALSO, and a
# description of ours before the table.
set -eu
cd "$(dirname "$0")/.."
bin=$1 share=$2
mkdir -p "$share/man/man1" "$share/bash-completion/completions"

# page NAME FILE: what comes in, with the text of FILE, becomes the page of that name
page() {
	awk -v extra="$2" '
		/^\.SH (COMMANDS|OPTIONS)$/ && begin != "" { printf "%s", begin; begin = "" }
		/^\.SH SEE ALSO$/ { printf "%s", rest }
		{ print }
		BEGIN {
			while ((getline line < extra) > 0) {
				if (line ~ /^\.SH /)
					is_first = line == ".SH DESCRIPTION"
				if (is_first)
					begin = begin line "\n"
				else
					rest = rest line "\n"
			}
		}' >"$share/man/man1/$1.1"
}

for command in $("$bin/heddle" help --commands); do
	"$bin/heddle" help --man "$command" | page "heddle-$command" "man/$command.roff"
done
"$bin/heddle" help --man | page heddle man/heddle.roff
"$bin/heddle-cc" --heddle-man | page heddle-cc man/heddle-cc.roff
echo '.so man1/heddle-cc.1' >"$share/man/man1/heddle-c++.1"
"$bin/heddle" help --completion >"$share/bash-completion/completions/heddle"
# bash looks for a file with the name of the command.
"$bin/heddle-cc" --heddle-completion >"$share/bash-completion/completions/heddle-cc"
cp "$share/bash-completion/completions/heddle-cc" "$share/bash-completion/completions/heddle-c++"
