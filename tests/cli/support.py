"""Runs the tool, writes its input files, and computes expected results independently."""

import ast
import functools
import os
import random
import struct
import subprocess
import tempfile
import unittest

TOOL = os.environ.get("UPSWEEP_TOOL", "upsweep")
SEED = 20240229
# One cache for all tests: CUDA files need compiled headers, which take seconds. HOME may be another
# user's, as in a container: the tool would not use a cache there.
os.environ.setdefault("XDG_CACHE_HOME", f"/tmp/upsweep-tests-{os.geteuid()}")

FORMATS = {
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
    "f16": "e",
    "f32": "f",
    "f64": "d",
    "bool": "?",
}
NPY = {
    "i8": "i1",
    "u8": "u1",
    "i16": "i2",
    "u16": "u2",
    "i32": "i4",
    "u32": "u4",
    "i64": "i8",
    "u64": "u8",
    "f16": "f2",
    "f32": "f4",
    "f64": "f8",
    "bool": "b1",
}


def rounded(dtype, x):
    """x as a value of dtype, rounded once."""
    return struct.unpack(FORMATS[dtype], struct.pack(FORMATS[dtype], x))[0]


def raw(dtype, values, order="<"):
    return struct.pack(f"{order}{len(values)}{FORMATS[dtype]}", *values)


def npy(dtype, values, shape=None, fortran=False, order="<"):
    """The bytes of a .npy file; values in the order in which they lie in memory."""
    shape = (len(values),) if shape is None else tuple(shape)
    mark = "|" if NPY[dtype].endswith("1") else order
    header = repr({"descr": mark + NPY[dtype], "fortran_order": fortran, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return (
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + raw(dtype, values, order)
    )


def read_npy(data):
    """dtype, shape and values in row-major order of a version 1 file."""
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:16]
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + size].decode())
    assert not header["fortran_order"]
    dtype = {v: k for k, v in NPY.items()}[header["descr"][1:]]
    body = data[10 + size :]
    n = len(body) // struct.calcsize(FORMATS[dtype])
    return dtype, header["shape"], list(struct.unpack(f"<{n}{FORMATS[dtype]}", body))


def prefix(x, op):
    """The combine tree by definition: the aligned blocks of x, combined from left to right."""

    def block(start, size):
        if size == 1:
            return x[start]
        return op(block(start, size // 2), block(start + size // 2, size // 2))

    total, start = None, 0
    while start < len(x):
        size = 1 << ((len(x) - start).bit_length() - 1)
        part = block(start, size)
        total = part if total is None else op(total, part)
        start += size
    return total


def prefixes(x, op):
    """prefix(x[:i + 1]) for every i. The aligned blocks of one prefix are kept for the next."""
    blocks, all = [], []  # (size, total), largest first
    for total in x:
        size = 1
        while blocks and blocks[-1][0] == size:
            total = op(blocks.pop()[1], total)
            size *= 2
        blocks.append((size, total))
        all.append(functools.reduce(op, (total for _, total in blocks)))
    return all


def add(dtype):
    return lambda a, b: rounded(dtype, a + b)


def numbers(n, seed=SEED, spread=12):
    """Floats of many magnitudes, whose sum depends on the order."""
    source = random.Random(seed)
    return [
        source.uniform(-1, 1) * 10.0 ** source.randint(-spread // 2, spread // 2) for _ in range(n)
    ]


def lines(values):
    return "".join(f"{v!r}\n" for v in values)


@functools.cache
def has_zstd():
    """Whether the tool was built with the library for .zst."""
    done = subprocess.run([TOOL, "reduce"], input=b"\x28\xb5\x2f\xfd", capture_output=True)
    return b"built without" not in done.stderr


class ToolTest(unittest.TestCase):
    """Each test runs in an empty directory of its own."""

    maxDiff = 4000

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = self.folder.name

    def file(self, name, content):
        with open(os.path.join(self.path, name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return name

    def content(self, name):
        with open(os.path.join(self.path, name), "rb") as f:
            return f.read()

    def run_tool(self, *args, stdin="", status=0):
        """stdout as bytes; stderr is in self.errors. Fails unless the tool ends with `status`,
        and, if that is 0, in silence.
        """
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        done = subprocess.run(
            [TOOL, *args], input=data, capture_output=True, cwd=self.path, timeout=300
        )
        self.errors = done.stderr.decode()
        self.assertEqual(done.returncode, status, f"{args}: {self.errors}{done.stdout[:300]}")
        if status == 0:
            self.assertEqual(self.errors, "", args)
        return done.stdout

    def text(self, *args, stdin="", status=0):
        return self.run_tool(*args, stdin=stdin, status=status).decode()

    def run_line(self, line, *arguments, **options):
        """What comes of a line of bash, in which $0 is the tool and $@ are the arguments."""
        return subprocess.run(
            ["bash", "-c", line, TOOL, *arguments],
            capture_output=True,
            cwd=self.path,
            timeout=300,
            **options,
        )

    def same(self, got, expected, what):
        """assertEqual for long lists of numbers, whose difference would take minutes to print."""
        self.assertEqual(len(got), len(expected), what)
        first = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), None)
        if first is not None:
            self.fail(f"{what}: value {first} is {got[first]} and should be {expected[first]}")

    def fails(self, status, *args, stdin="", says=()):
        """Nothing on stdout, one line on stderr, perhaps an expression with a caret, with all of
        `says`.
        """
        self.assertEqual(self.text(*args, stdin=stdin, status=status), "")
        self.assertRegex(self.errors, r"\Aupsweep: [^\n]+\n(  [^\n]+\n +\^\n)?\Z")
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, self.errors)
