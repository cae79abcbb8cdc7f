"""Checks that a large operator is compiled few times in a translation unit that reduces and scans.

    operator_copies.py <compiler> <root of the project>

Compile time grows with the copies: when there were 401, 40 statements took more than a minute.
"""

import sys

from light_headers import compile_unit

MARK = "# a copy of the operator"
STATEMENTS = "".join(
    f"    if ((a ^ b) % {2 * i + 3} == {i}) a = a * {7 * i + 1} + b / {i}; else b ^= a >> {i};\n"
    for i in range(1, 21)
)
USE = f"""#include <upsweep/upsweep.hpp>
#include <vector>
struct large {{
  unsigned operator()(unsigned a, unsigned b) const {{
    asm volatile("{MARK}");
{STATEMENTS}    return a + b;
  }}
}};
using numbers = std::vector<unsigned>;
unsigned total(numbers const& x) {{ return upsweep::reduce(x, large(), {{.initial = 0u}}); }}
void prefixes(numbers& x) {{ upsweep::inclusive_scan(x, x, large()); }}
"""
LIMIT = 8  # g++ 12 and clang 14 make one


def main():
    compiler, root = sys.argv[1:]
    copies = compile_unit(compiler, root, USE, "-S", "-o", "-").count(MARK)
    if not 1 <= copies <= LIMIT:
        sys.exit(f"a large operator is compiled {copies} times; the limit is {LIMIT}")


if __name__ == "__main__":
    main()
