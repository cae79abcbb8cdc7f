"""Lengths that a file states are checked before memory is taken for them."""

import gzip
import os
import struct
import subprocess
import unittest

from support import NPY, TOOL, ToolTest, npy

ZSTD = b"\x28\xb5\x2f\xfd"


def header(text, version=1, length=None):
    """A .npy file with this dictionary and no values."""
    text = text.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text


def shaped(shape, fortran=False, dtype="f64"):
    return header(f"{{'descr': '<{NPY[dtype]}', 'fortran_order': {fortran}, 'shape': {shape}}}")


class Bounds(ToolTest):
    def memory(self, *words):
        """The largest resident set of the tool in KiB."""
        process = subprocess.Popen([TOOL, *words], cwd=self.path, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return used.ru_maxrss

    def test_shapes_that_no_file_can_hold_are_refused(self):
        for shape in ("(1 << 62,)", "(4611686018427387904,)", "(4294967296, 4294967296)"):
            for fortran in (False, True):
                self.file("a.npy", shaped(shape, fortran))
                self.fails(3, "reduce", "a.npy", says="a.npy")

    def test_an_empty_array_has_no_billions_of_columns(self):
        """80 bytes would else have a result of terabytes."""
        for shape in ("(0, 4611686018427387904)", "(1099511627776, 0)", "(0, 1048577)"):
            self.file("a.npy", shaped(shape))
            for words in (["reduce", "--axis", "0"], ["reduce", "--axis", "1"], ["reduce"]):
                self.fails(3, *words, "a.npy", says="2^20 columns")
            self.fails(3, "scan", "--axis", "0", "a.npy", says="2^20 columns")
        self.file("a.npy", npy("f64", [], (0, 3)))
        self.assertEqual(self.text("reduce", "--axis", "0", "a.npy").split(), ["0", "0", "0"])

    def test_a_header_may_not_claim_gigabytes(self):
        self.file("a.npy", header("{", version=2, length=0xFFFFFFFF))
        self.fails(3, "reduce", "a.npy", says="4294967295 bytes")

    def test_values_that_are_promised_but_not_there_take_no_memory(self):
        for fortran in (False, True):
            data = shaped("(1073741824, 1024)", fortran) + b"\0" * 64
            self.file("a.npy", data)
            self.fails(3, "reduce", "a.npy", says="truncated")
            for words in (["reduce"], ["reduce", "-c", "2"], ["reduce", "--axis", "0"]):
                self.fails(3, *words, "-", stdin=data, says="truncated")

    def test_what_decompresses_to_much_is_not_held(self):
        n = 1 << 26
        self.file("small.u8.gz", gzip.compress(bytes(1000)))
        self.file("large.u8.gz", gzip.compress(bytes(n), 1))
        small, large = (self.memory("reduce", f"{name}.u8.gz") for name in ("small", "large"))
        self.assertLess(large - small, n / 4 / 1024)
        self.file("a.txt.gz", gzip.compress(b"1" * (1 << 25), 1))  # one number
        self.fails(3, "reduce", "a.txt.gz", says="a.txt.gz")

    def test_a_frame_of_zstd_may_not_ask_for_gigabytes(self):
        window = bytes([21 << 3])  # 2^31 bytes
        self.file("a.txt.zst", ZSTD + b"\0" + window + b"\x01\0\0")
        done = subprocess.run([TOOL, "reduce", "a.txt.zst"], cwd=self.path, capture_output=True)
        self.assertIn(done.returncode, (3, 5), done.stderr)  # 5: without libzstd

    def test_a_source_that_never_ends_is_refused(self):
        done = subprocess.run([TOOL, "run", "/dev/zero"], capture_output=True, timeout=60)
        if b"is not a command" in done.stderr:
            self.skipTest("the tool has no laboratory")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"16 MiB", done.stderr)
        os.mkdir(os.path.join(self.path, "handed-in"))
        os.symlink("/dev/zero", os.path.join(self.path, "handed-in", "kernel.cu"))
        self.fails(4, "grade", "handed-in", "--exercise", "1", says="handed-in/kernel.cu")


if __name__ == "__main__":
    unittest.main()
