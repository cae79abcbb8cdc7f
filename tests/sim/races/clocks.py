"""A second race checker: vector clocks over the log of one launch, written from CUDA's rules and
not from the emulator's code.

Barriers and __syncwarp() order their participants. An atomic write releases what its thread knew
at its last fence, or, with release order, at the write itself; a read-modify-write also passes on
what the write that it replaces released. An atomic read acquires, with acquire order at once and
else at the thread's next fence. What it acquires orders later accesses, not the read itself, which
might have come before the release. Fences are sequentially consistent, so what they release and
acquire is passed on at barriers, to other threads that write and read the flag. Two accesses of an
element by two threads are a race if at least one writes, at least one is not atomic, and neither
happens before the other. (As in the emulator, a fence of a block acquires what other blocks have
released to the device, which PTX does not promise.)
"""

from collections import defaultdict
from dataclasses import dataclass, field

WORDS = (
    "plain_load plain_store volatile_load volatile_store exchange relaxed_load relaxed_store "
    "compare_and_swap acquire_load release_store exchange_acq_rel release_store_in_block"
).split()
SYNCHRONIZATIONS = {
    100: "barrier",
    101: "warp",
    102: "device_fence",
    103: "block_fence",
    104: "leave",
}
SHARED = 3  # elements from here on are shared
READS = {"plain_load", "volatile_load", "relaxed_load", "acquire_load"}
UPDATES = {"exchange", "compare_and_swap", "exchange_acq_rel"}
RELEASES = {"release_store", "exchange_acq_rel", "release_store_in_block"}
ACQUIRES = {"acquire_load", "exchange_acq_rel"}
EVERYWHERE = None  # instead of the block to which a release extends


def join(into, other):
    for thread, clock in other.items():
        if into.get(thread, 0) < clock:
            into[thread] = clock


@dataclass
class Access:
    thread: int
    clock: int
    known: dict
    word: str
    place: tuple
    phase: int  # barriers of its block before it
    number: int  # in its thread

    def writes(self):
        """A compare-and-swap counts even if it does not swap: the next time it may."""
        return self.word not in READS

    def is_atomic(self):
        is_volatile = self.word.startswith("volatile")
        return not (self.word.startswith("plain") or (is_volatile and len(self.place) == 2))

    def is_before(self, other):
        return other.known.get(self.thread, 0) >= self.clock


@dataclass
class Thread:
    number: int
    block: int
    code: list
    events: list = field(default_factory=list)
    next: int = 0
    known: dict = field(default_factory=dict)
    pending: dict = field(default_factory=dict)
    fences: dict = field(default_factory=dict)  # scope -> what was known at the last fence
    phase: int = 0
    has_left: bool = False

    def waits_at(self):
        """The synchronization that is its next event, or None."""
        if self.next == len(self.events):
            return None
        what, _, value, mask = self.code[self.events[self.next][0]]
        return (what, value, mask) if what in (100, 101) else None


class Launch:
    """Replays the events of a launch, each thread's in its order, in an order that respects who
    read whose value; finds the accesses and their clocks."""

    def __init__(self, blocks, threads, code, events):
        self.per_block = threads
        self.threads = [Thread(i, i // threads, c) for i, c in enumerate(code)]
        for thread, index, old in events:
            self.threads[thread].events.append((index, old))
        self.accesses = defaultdict(list)
        self.released = {}  # value -> [(block or EVERYWHERE, clocks)], of writes
        self.written = {
            c[2] for thread in code for c in thread if c[0] < 100 and WORDS[c[0]] not in READS
        }
        self.replay()

    def replay(self):
        progress = True
        while progress:
            progress = False
            for t in self.threads:
                while t.next < len(t.events) and self.step(t):
                    progress = True
        stuck = [t.number for t in self.threads if t.next < len(t.events)]
        assert not stuck, f"the log has events that wait for nothing: threads {stuck}"

    def step(self, t):
        index, old = t.events[t.next]
        what, element, value, mask = t.code[index]
        if what in (100, 101):
            return self.synchronize(t, what, value, mask)
        if what >= 100:
            self.fence(t, SYNCHRONIZATIONS[what])
            t.next += 1
            return True
        word = WORDS[what]
        reads_from = word in UPDATES or word in {"relaxed_load", "acquire_load", "volatile_load"}
        if reads_from and old in self.written and old not in self.released:
            return False  # the write is another thread's, and not replayed yet
        self.access(t, word, element, value, old)
        t.next += 1
        return True

    def synchronize(self, t, what, value, mask):
        """The barrier or __syncwarp() of all that take part, once all have come."""
        first = t.number // self.per_block * self.per_block
        if what == 100:
            members = self.threads[first : first + self.per_block]
        else:
            warp = t.number - (t.number - first) % 32
            end = min(warp + 32, first + self.per_block)
            members = [m for m in self.threads[warp:end] if mask >> (m.number - warp) & 1]
        members = [m for m in members if not m.has_left]
        if any(m.waits_at() != (what, value, mask) for m in members):
            return False
        everything, pending, fences = {}, {}, defaultdict(dict)
        for m in members:
            join(everything, m.known)
            join(pending, m.pending)
            for scope, clocks in m.fences.items():
                join(fences[scope], clocks)
        for m in members:
            m.known, m.pending = dict(everything), dict(pending)
            m.fences = {scope: dict(clocks) for scope, clocks in fences.items()}
            m.next += 1
            m.phase += what == 100
        return True

    def fence(self, t, kind):
        if kind == "leave":
            t.has_left = True
            return
        join(t.known, t.pending)
        t.pending = {}
        t.fences[EVERYWHERE if kind == "device_fence" else t.block] = dict(t.known)

    def access(self, t, word, element, value, old):
        place = ("global", element, None) if element < SHARED else (t.block, element)
        mine = Access(t.number, 0, {}, word, place, t.phase, t.next)
        fails = word == "compare_and_swap" and old != 0
        known = dict(t.known)
        if mine.is_atomic():
            if word in UPDATES or word in READS:
                for scope, clocks in self.released.get(old, []):
                    if scope in (EVERYWHERE, t.block):
                        join(t.known if word in ACQUIRES else t.pending, clocks)
        clock = t.known.get(t.number, 0) + 1
        t.known[t.number] = clock
        mine.clock, mine.known = clock, known | {t.number: clock}
        if mine.writes() and not fails:
            self.released[value] = self.releases(t, word, old) if mine.is_atomic() else []
        self.accesses[place].append(mine)

    def releases(self, t, word, old):
        passed_on = self.released.get(old, []) if word in UPDATES else []
        if word in RELEASES:
            scope = t.block if word == "release_store_in_block" else EVERYWHERE
            return [*passed_on, (scope, dict(t.known))]
        return [*passed_on, *t.fences.items()]

    def races(self):
        """Elements with a race, and those of which it depends on the order of events whether their
        race is excused."""
        certain, possible = set(), set()
        for place, all_accesses in self.accesses.items():
            for i, a in enumerate(all_accesses):
                for b in all_accesses[i + 1 :]:
                    if not self.are_unordered(a, b):
                        continue
                    verdict = self.excuse(a, b, all_accesses)
                    if a.is_atomic() and b.is_atomic():
                        verdict = self.weak_verdict(a, b, all_accesses)
                    if verdict != "excused":
                        (possible if verdict == "perhaps" else certain).add(place[1])
        return certain, possible - certain

    @staticmethod
    def are_unordered(a, b):
        return (
            a.thread != b.thread
            and (a.writes() or b.writes())
            and not a.is_before(b)
            and not b.is_before(a)
        )

    def weak_verdict(self, a, b, all_accesses):
        """Two atomic accesses are no race, with three exceptions: an access of a block's scope and
        one of another block; volatile ones of a block, unless a fence makes them a flag; and
        volatile updates, of which one is lost."""
        in_block = self.threads[a.thread].block == self.threads[b.thread].block
        if not in_block and any(x.word == "release_store_in_block" for x in (a, b)):
            return "certain"
        if not all(x.word.startswith("volatile") for x in (a, b)):
            return "excused"
        if in_block:
            fences = any(c[0] in (102, 103) for t in self.threads for c in t.code)
            others = any(not x.word.startswith("volatile") for x in all_accesses)
            return "perhaps" if fences or others else "certain"
        # Updates of a volatile counter; or data that was stored before a flag, without a fence.
        read = {x.thread for x in all_accesses if x.word == "volatile_load"}
        is_data = "volatile_load" in (a.word, b.word)
        return "perhaps" if is_data or {a.thread, b.thread} <= read else "excused"

    @staticmethod
    def excuse(a, b, all_accesses):
        """A plain read with which a loop of compare-and-swaps begins is no mistake, nor one of
        such a loop that ends at once, having nothing to change."""
        reader, writer = (a, b) if not a.writes() else (b, a)
        if reader.writes() or reader.is_atomic() or not writer.is_atomic():
            return "none"
        swaps = [
            s
            for s in all_accesses
            if s.word == "compare_and_swap"
            and s.thread == reader.thread
            and s.number > reader.number
        ]
        if any(s.phase == reader.phase for s in swaps):
            return "excused"
        elsewhere = any(s.word == "compare_and_swap" for s in all_accesses)
        return "perhaps" if swaps or elsewhere else "none"
