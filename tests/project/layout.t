#!/bin/bash
# The folders of src/ include each other as the table in docs/ARCHITECTURE.md says, and the sources are formatted.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# folder_of PATH: the row that a file of src/ or a header belongs to. The parts of the world are one row, and so is the runtime's ground with its entrance.
rows() { sed -n '/^## Who may include whom/,/^## Two/s/^| `\([a-z\/]*\)` |.*| \([^|]*\) |$/\1 \2/p' docs/ARCHITECTURE.md | tr -d '`' | sed 's/ nothing$//'; }
edges() {
	grep -rn --include='*.[ch]' -o '^#include "[a-z_/]*\.h"' "$1" | sed -E "s|^$1/||; s|/[a-z_]+\\.[ch]:[0-9]+:#include \"| |; s|/[a-z_]+\\.h\"\$||; s#\\b(world|rt)/[a-z]+#\\1#g" |
		awk '$1 != $2' | sort -u
}
rows | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort >"$work/allowed"
edges src >"$work/found"
ok "the table has edges" test "$(wc -l <"$work/allowed")" -gt 40
is "no folder includes what the table does not allow" "$(comm -13 "$work/allowed" "$work/found")" ""
is "the table allows nothing that is not needed" "$(comm -23 "$work/allowed" "$work/found")" ""
is "each folder has a row" "$(find src -name '*.c' | sed -E 's|^src/||; s|/[^/]*$||; s#\b(world|rt)/[a-z]+#\1#' | sort -u | comm -23 - <(rows | cut -d' ' -f1 | sort))" ""

# A wrong edge is seen.
mkdir -p "$work/src/base" "$work/src/cmd"
echo '#include "cmd/opt.h"' >"$work/src/base/wrong.h"
is "an edge that points up is seen" "$(cd "$work" && edges src)" "base cmd"

# A folder that includes itself by way of others has no place in an order of layers. The parts of the static analysis are folders of their own.
# cycle: of edges, one a line, those that are left when all folders are taken away that include none of the rest
cycle() { awk '{ edge[$0] = 1 }
	END {
		do {
			changed = 0
			delete from
			for (e in edge) { split(e, f, " "); from[f[1]] = 1 }
			for (e in edge) { split(e, f, " "); if (!(f[2] in from)) { delete edge[e]; changed = 1 } }
		} while (changed)
		for (e in edge) print e
	}' "$@" | sort; }
is "no cycle of folders" "$(cycle "$work/found")" ""
is "none in the document's table" "$(cycle "$work/allowed")" ""
is "a cycle of two is seen" "$(printf '%s\n' 'cmd base' 'world detect' 'detect world' 'detect rt' | cycle)" "$(printf '%s\n' 'detect world' 'world detect')"
is "a cycle of three behind others is seen" "$(printf '%s\n' 'a b' 'b c' 'c b/x' 'b/x b' 'c d' | cycle)" "$(printf '%s\n' 'a b' 'b c' 'b/x b' 'c b/x')"
is "folders in layers have none" "$(printf '%s\n' 'a b' 'a c' 'b c' 'c d' 'a d' | cycle)" ""

clang-format --version >/dev/null 2>&1 || fail "clang-format is installed"
git ls-files -z 'src/*.[ch]' 'include/*.h' | xargs -0 clang-format --dry-run -Werror 2>&1 | sed -n 's/^\([^:]*\):.*error:.*/\1/p' | sort -u >"$work/unformatted"
is "the sources are formatted (make fmt)" "$(cat "$work/unformatted")" ""
done_testing
