#!/usr/bin/env python3
"""Compares the emulator's races with those that a second checker computes (clocks.py), for random
programs on every schedule: races_test.py PROGRAM INTERPRETER FIRST_SEED COUNT
"""

import random
import subprocess
import sys

from clocks import SHARED, WORDS, Launch

BARRIER, WARP_BARRIER, DEVICE_FENCE, BLOCK_FENCE, LEAVE = range(100, 105)
ELEMENTS = 5
RACES = {"race in a block", "race between blocks", "missing fence"}


class Program:
    """One or two launches, in which a few threads access a few elements."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.seed, self.value, self.instance = seed, 0, 0
        # Each kind of program prefers some words: rare ones would else hide the common ones.
        plain = ["plain_load", "plain_store"]
        self.words = self.rng.choice(
            [
                plain,
                [*plain, "exchange"],
                [*plain, "exchange", "relaxed_load", "volatile_load", "volatile_store"],
                [*plain, *plain, "plain_load", "compare_and_swap", "exchange"],
                [*plain, "release_store", "acquire_load", "exchange_acq_rel", "exchange"],
                list(WORDS),
            ]
        )
        self.fences = self.rng.random() < 0.6
        self.launches = [self.launch() for _ in range(self.rng.choice([1, 1, 2]))]

    def access(self):
        word = self.rng.choice(self.words)
        self.value += 1
        return (WORDS.index(word), self.rng.choice(self.elements), self.value, 0)

    def some_accesses(self):
        for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
            if self.fences and self.rng.random() < 0.4:
                yield (self.rng.choice([DEVICE_FENCE, DEVICE_FENCE, BLOCK_FENCE]), 0, 0, 0)
            yield self.access()

    def launch(self):
        rng = self.rng
        blocks, threads = rng.choice([1, 1, 2, 3]), rng.choice([64, 64, 40])
        self.elements = rng.sample(range(ELEMENTS), rng.choice([1, 2, 3]))
        if blocks > 1 and all(e >= SHARED for e in self.elements):
            self.elements.append(0)
        code = [[] for _ in range(blocks * threads)]
        # Few threads, near to each other: they meet in blocks, warps and halves of warps.
        places = [0, 1, 2, 15, 16, 17, 31, 32, 33, threads - 1]
        active = {
            rng.randrange(blocks) * threads + rng.choice(places) for _ in range(rng.randrange(2, 7))
        }
        for block in range(blocks):
            self.write_block(code[block * threads : (block + 1) * threads], block * threads, active)
        return blocks, threads, code

    def write_block(self, code, first, active):
        rng = self.rng
        left = set()
        phases = rng.choice([1, 1, 2, 3])
        for phase in range(phases):
            for _ in range(rng.choice([0, 1, 2])):
                self.write_accesses(code, first, active, left)
                if rng.random() < 0.6:
                    self.warp_barrier(code, left)
                if phase == phases - 1 and rng.random() < 0.2:
                    left |= self.some_leave(code, left)
            self.write_accesses(code, first, active, left)
            if phase < phases - 1:
                self.instance += 1
                for words in code:
                    words.append((BARRIER, 0, self.instance, 0))
        for t, words in enumerate(code):
            if t not in left:
                words.append((LEAVE, 0, 0, 0))

    def write_accesses(self, code, first, active, left):
        for t, words in enumerate(code):
            if first + t in active and t not in left:
                words.extend(self.some_accesses())

    def some_leave(self, code, left):
        """Lanes of the first warp return early."""
        lanes = self.rng.choice([range(16), range(16, 32), range(1), range(32)])
        leaving = [t for t in lanes if t not in left]
        for t in leaving:
            code[t].append((LEAVE, 0, 0, 0))
        return set(leaving)

    def warp_barrier(self, code, left):
        mask = self.rng.choice([0xFFFFFFFF, 0xFFFF, 0xFFFF0000, 0x3, 0x30000])
        warp = self.rng.randrange((len(code) + 31) // 32)
        self.instance += 1
        for t, words in enumerate(code):
            if t // 32 == warp and mask >> t % 32 & 1 and t not in left:
                words.append((WARP_BARRIER, 0, self.instance, mask))

    def text(self):
        lines = [f"{self.seed} {len(self.launches)}"]
        for blocks, threads, code in self.launches:
            lines.append(f"{blocks} {threads}")
            for words in code:
                lines.append(f"{len(words)} " + " ".join(str(n) for w in words for n in w))
        return "\n".join(lines) + "\n"


def element_lines(interpreter):
    with open(interpreter) as source:
        return {
            number: int(line.rsplit("// element ")[1])
            for number, line in enumerate(source, 1)
            if "// element " in line
        }


def results(output):
    """(seed, launch, schedule, events, findings) of each run."""
    for run in ("\n" + output).split("\nrun ")[1:]:
        head, *lines = run.splitlines()
        seed, launch, schedule = head.split()
        events = [tuple(map(int, x.split()[1:])) for x in lines if x.startswith("event")]
        findings = [x[8:].split("|") for x in lines if x.startswith("finding")]
        yield int(seed), int(launch), schedule, events, findings


def check_run(program, launch, schedule, events, findings, lines):
    blocks, threads, code = program.launches[launch]
    certain, possible = Launch(blocks, threads, code, events).races()
    found = {lines[int(first)] for kind, first, _, _ in findings if kind in RACES}
    if certain <= found <= certain | possible:
        return None, len(certain)
    report = [
        f"program {program.seed}, launch {launch}, schedule {schedule}: races of elements "
        f"{sorted(found)}, but vector clocks find {sorted(certain)}"
    ]
    for thread, words in enumerate(code):
        if any(w[0] < BARRIER for w in words):
            names = [
                f"{WORDS[w[0]]}({w[1]})" if w[0] < BARRIER else f"sync {w[0]} {w[2]} {w[3]:x}"
                for w in words
            ]
            report.append(f"  thread {thread}: " + ", ".join(names))
    report += [f"  event {t} {i} {old}" for t, i, old in events if code[t][i][0] < BARRIER]
    report += ["  " + f[3] for f in findings]
    return "\n".join(report), len(certain)


def main():
    executable, interpreter, first, count = sys.argv[1:]
    seeds = range(int(first), int(first) + int(count))
    programs = {seed: Program(seed) for seed in seeds}
    output = subprocess.run(
        [executable],
        input="".join(p.text() for p in programs.values()),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = element_lines(interpreter)
    failures, racy, runs = [], 0, 0
    for seed, launch, schedule, events, findings in results(output):
        failure, races = check_run(programs[seed], launch, schedule, events, findings, lines)
        runs += 1
        racy += races > 0
        if failure:
            failures.append(failure)
    if failures:
        print("\n\n".join(failures[:5]))
        sys.exit(f"{len(failures)} of {runs} runs differ")
    if not runs // 5 < racy < runs - runs // 5:
        sys.exit(f"{racy} of {runs} runs have races: the programs test one answer only")


if __name__ == "__main__":
    main()
