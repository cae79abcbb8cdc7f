#!/usr/bin/env python3
"""Generates random structured kernels in C++, with the steps that a warp in lockstep takes as
(warp, line, lanes), from an interpreter.
"""

import random
import sys

LANES, WARPS = 32, 2


class Condition:
    """A predicate of the thread and the enclosing loop counters, as C++ and as a function."""

    def __init__(self, rng, depth):
        self.factors = [rng.randrange(1, 23) for _ in range(depth + 1)]
        self.offset, self.modulus = rng.randrange(97), rng.choice([2, 3, 5, 7, 11])
        self.limit = rng.randrange(1, self.modulus)

    def text(self):
        names = ["t"] + [f"i{d}" for d in range(len(self.factors) - 1)]
        return (
            f"({' + '.join(f'{n} * {f}u' for n, f in zip(names, self.factors))} + "
            f"{self.offset}u) % {self.modulus}u < {self.limit}u"
        )

    def holds(self, t, counters):
        return (
            sum(v * f for v, f in zip([t] + counters, self.factors)) + self.offset
        ) % self.modulus < self.limit


class Kernel:
    def __init__(self, seed, first_line):
        self.rng = random.Random(seed)
        self.lines, self.first_line, self.indent = [], first_line, 1
        self.write(f"__global__ void random_{seed}(unsigned* out) {{", 0)
        self.write("unsigned const t = threadIdx.x;", 1)
        self.body = self.block(0, self.rng.randrange(3, 6), 0)
        self.write("}", 0)

    def write(self, text, indent=None):
        self.lines.append("  " * (self.indent if indent is None else indent) + text)
        return self.first_line + len(self.lines) - 1

    def block(self, depth, size, nesting):
        return [self.statement(depth, nesting) for _ in range(size)]

    def access(self):
        number = self.rng.randrange(1000)
        return ("access", self.write(f"out[t] = {number}u;"))

    def statement(self, depth, nesting):
        kind = self.rng.choices(
            ["access", "if", "if else", "for", "leave"],
            [4, 2, 2, 2 if depth < 2 else 0, 2 if depth else 0.3],
        )[0]
        if nesting > 3 or kind == "access":
            return self.access()
        condition = Condition(self.rng, depth)
        if kind == "leave":
            how = self.rng.choice(["break", "continue", "return"] if depth else ["return"])
            self.write(f"if ({condition.text()}) {how};")
            return ("leave", condition, how)
        if kind == "for":
            self.write(
                f"for (unsigned i{depth} = 0; i{depth} < t % "
                f"{(m := self.rng.randrange(2, 5))}u + {(a := self.rng.randrange(2))}u; "
                f"++i{depth}) {{"
            )
            self.indent += 1
            body = self.block(depth + 1, self.rng.randrange(2, 5), nesting + 1)
            self.indent -= 1
            self.write("}")
            return ("for", m, a, body)
        self.write(f"if ({condition.text()}) {{")
        self.indent += 1
        then, otherwise = self.block(depth, self.rng.randrange(1, 4), nesting + 1), []
        if kind == "if else":
            self.write("} else {", self.indent - 1)
            otherwise = self.block(depth, self.rng.randrange(1, 4), nesting + 1)
        self.indent -= 1
        self.write("}")
        return ("if", condition, then, otherwise)


class Warp:
    """Lockstep: both sides of a branch one after the other, all lanes of a loop in the same
    iteration, reconverging after it.

    If every lane that executes an access inside a loop leaves the loop in the same iteration, the
    access is not part of the loop in the control-flow graph. Whether lanes of different iterations
    execute it together is then undefined, and `is_open` is true.
    """

    def __init__(self, number):
        self.number, self.steps, self.returned = number, [], set()
        self.taken, self.came_back = set(), set()  # (loop, line)
        # enclosing loops, each with the lines that each lane has executed in this iteration
        self.iterations = []

    @property
    def is_open(self):
        return bool(self.taken - self.came_back)

    def run(self, statements, lanes, counters):
        """Returns the lanes that reach the end, those that broke out of the enclosing loop, and
        those that continue it.
        """
        broken, continued = set(), set()
        for s in statements:
            if not lanes:
                break
            if s[0] == "access":
                self.steps.append((self.number, s[1], sum(1 << (t % LANES) for t in lanes)))
                for loop, lines in self.iterations:
                    self.taken.add((loop, s[1]))
                    for t in lanes:
                        lines.setdefault(t, set()).add(s[1])
            elif s[0] == "leave":
                left = {t for t in lanes if s[1].holds(t, counters)}
                lanes = lanes - left
                {"break": broken, "continue": continued, "return": self.returned}[s[2]].update(left)
            elif s[0] == "if":
                yes = {t for t in lanes if s[1].holds(t, counters)}
                reached = set()
                for side, taken in ((s[2], yes), (s[3], lanes - yes)):
                    end, b, c = self.run(side, taken, counters)
                    reached |= end
                    broken |= b
                    continued |= c
                lanes = reached
            else:
                inside, i, outside = set(lanes), 0, set()
                while True:
                    outside |= {t for t in inside if not i < t % s[1] + s[2]}
                    inside = {t for t in inside if i < t % s[1] + s[2]}
                    if not inside:
                        break
                    self.iterations.append((id(s), {}))
                    end, b, c = self.run(s[3], inside, counters + [i])
                    _, lines = self.iterations.pop()
                    outside |= b
                    inside = end | c
                    i += 1
                    self.came_back |= {(id(s), line) for t in inside for line in lines.get(t, ())}
                lanes = outside - self.returned
        return lanes, broken, continued


def main():
    first_seed, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    out = [
        (
            "// Generated by tests/sim/random_kernels.py: kernels, and the steps that two warps in "
            "lockstep take."
        ),
    ]
    table = []
    for seed in range(first_seed, first_seed + count):
        kernel = Kernel(seed, len(out) + 1)
        out += kernel.lines
        steps, is_open = [], False
        for w in range(WARPS):
            warp = Warp(w)
            warp.run(kernel.body, set(range(w * LANES, (w + 1) * LANES)), [])
            steps += warp.steps
            is_open |= warp.is_open
        rows = ", ".join(f"{{{w}, {line}, {mask:#x}u}}" for w, line, mask in sorted(steps))
        table.append(f"    {{{seed}, {str(is_open).lower()}, random_{seed}, {{{rows}}}}},")
    out += [
        "std::vector<random_kernel> const& random_kernels() {",
        "  static std::vector<random_kernel> const all{",
    ] + table
    out += [
        "  };",
        "  return all;",
        "}",
        "",
    ]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main()
