#!/bin/bash
# The contract between woven objects, runtime and tools may not change under the same version number: mk/abi.sum has the
# version and the sum of abi.h, strategies.h and guard.h without their comments and blank lines. When this fails, bump HEDDLE_ABI_VERSION (unless the
# version was never released) and write the new line into mk/abi.sum.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib/tap.sh
version=$(sed -n 's/^#define HEDDLE_ABI_VERSION \([0-9]*\)u$/\1/p' include/heddle/abi.h)
sum=$(for file in abi strategies guard; do gcc -fpreprocessed -dD -E -P -xc include/heddle/$file.h; done | sha256sum | cut -c1-32)
is "abi.h is the one that version $version stands for" "$version $sum" "$(grep -v '^#' mk/abi.sum)"
ok "abi.h compiles alone as C" gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -xc include/heddle/abi.h
ok "guard.h compiles alone as C" gcc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -xc include/heddle/guard.h
ok "abi.h compiles alone as C++" g++ -Wall -Wextra -Werror -fsyntax-only -xc++ include/heddle/abi.h
done_testing
