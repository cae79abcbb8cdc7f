"""Input compressed with gzip and zstd, from files and pipes, whole, truncated and damaged."""

import bz2
import gzip
import lzma
import os
import random
import resource
import shutil
import struct
import subprocess
import threading
import time
import unittest
import zlib

from support import SEED, TOOL, ToolTest, has_zstd, lines, npy, numbers, raw, read_npy

TABLE = "day,rain\nmon,1\ntue,2.5\n"


def gz(content):
    """Without the time of day, so that each run tests the same bytes."""
    return gzip.compress(content, mtime=0)


def zstd(content, piece=1 << 17, repeats=0):
    """A zstd frame of raw blocks, and one that repeats the first byte `repeats` times."""
    frame = b"\x28\xb5\x2f\xfd\x00\x58"  # no content size, no checksum; a window of 2 MiB
    blocks = [(0, content[i : i + piece]) for i in range(0, len(content), piece)] or [(0, b"")]
    sizes = [(kind, len(block), block) for kind, block in blocks]
    if repeats:
        sizes.insert(0, (1, repeats, content[:1]))
    for i, (kind, size, block) in enumerate(sizes):
        last = i == len(sizes) - 1
        frame += struct.pack("<I", last | kind << 1 | size << 3)[:3] + block
    return frame


class Compressed(ToolTest):
    packers = {".gz": gz, ".zst": zstd}

    def setUp(self):
        super().setUp()
        if not has_zstd():
            self.packers = {".gz": gz}

    def test_the_inner_extension_gives_the_format(self):
        for extension, pack in self.packers.items():
            for name, content in [
                ("t.csv", TABLE.encode()),
                ("t.tsv", TABLE.replace(",", "\t").encode()),
                ("t.txt", TABLE.replace(",", " ").encode()),
                ("t", TABLE.encode()),
            ]:
                path = self.file(name + extension, pack(content))
                self.assertEqual(self.text("reduce", "-c", "rain", path), "3.5\n", path)
            values = [1.5, -2.0, 8.25]
            path = self.file("x.npy" + extension, pack(npy("f64", values)))
            self.text("scan", "--op", "max", path, "-o", "max.npy", "--force")
            self.assertEqual(read_npy(self.content("max.npy")), ("f64", (3,), [1.5, 1.5, 8.25]))
            path = self.file("m.npy" + extension, pack(npy("f64", values * 2, (2, 3))))
            self.assertEqual(self.text("reduce", "--axis", "0", path), "3\n-4\n16.5\n")
            self.assertEqual(self.text("reduce", "-c", "3", path), "16.5\n")
            path = self.file("x.f32" + extension, pack(raw("f32", values)))
            self.assertEqual(self.text("reduce", path), "7.75\n")
            self.assertEqual(self.text("reduce", "--offset", "4", "--count", "1", path), "-2\n")

    def test_standard_input_and_other_names_are_recognized_by_their_first_bytes(self):
        for pack in self.packers.values():
            self.assertEqual(self.text("reduce", "-c", "2", stdin=pack(TABLE.encode())), "3.5\n")
            data = pack(TABLE.encode())
            path = self.file("named.csv", data)
            self.assertEqual(self.text("reduce", "-c", "2", path), "3.5\n")
            with open(os.path.join(self.path, path), "rb") as file:
                done = subprocess.run([TOOL, "reduce", "-c", "2"], stdin=file, capture_output=True)
            self.assertEqual((done.stdout, done.stderr), (b"3.5\n", b""))
            self.assertEqual(self.text("reduce", stdin=pack(npy("i32", [3, 4]))), "7\n")
            self.assertEqual(
                self.text("reduce", "--by", "day", "-c", "all", "-", stdin=data)[:3], "day"
            )
        self.assertEqual(self.text("reduce", self.file("plain.txt.gz", "1\n2\n")), "3\n")

    def test_raw_values_may_begin_like_compressed_ones(self):
        values = list(gz(b"1\n"))
        self.assertEqual(
            self.text("reduce", "--from", "raw", "--dtype", "u8", stdin=bytes(values)),
            f"{sum(values)}\n",
        )
        plain = self.file("x.u8.gz", b"\x01\x02\x03\x04")
        self.fails(3, "reduce", plain, says="x.u8.gz is not compressed as its name says")

    def test_members_and_padding(self):
        parts = [b"1\n2\n", b"", b"3\n4", b"5\n"]
        for pack in self.packers.values():
            joined = b"".join(map(pack, parts))
            self.assertEqual(self.text("reduce", stdin=joined), "51\n")
        padded = gz(b"1\n") + bytes(700)
        self.assertEqual(self.text("reduce", stdin=padded), "1\n")
        self.fails(
            3,
            "reduce",
            self.file("tail.gz", padded + b"x"),
            says=f"tail.gz: At byte {len(padded)} the gzip data are followed by something else.",
        )

    def test_empty_content_is_an_empty_file(self):
        for pack in self.packers.values():
            self.assertEqual(self.text("reduce", stdin=pack(b"")), "0\n")

    def test_truncation_at_every_byte_is_an_error_with_the_place(self):
        for extension, pack in self.packers.items():
            whole = pack(b"1\n22\n333\n")
            for length in range(4 if extension == ".zst" else 2, len(whole)):
                path = self.file("cut.txt" + extension, whole[:length])
                self.fails(
                    3, "reduce", path, says=[path, f"after {length} bytes; it is truncated."]
                )
                self.fails(3, "reduce", stdin=whole[:length], says=f"after {length} bytes")
        whole = gz(npy("f64", [1.0, 2]))
        self.fails(3, "reduce", self.file("cut.npy.gz", whole[:-9]), says="truncated")
        whole = gz(
            b"k,x\n" + b"a,1\n" * 3 + random.Random(SEED).randbytes(1000).hex().encode() + b",2\n"
        )
        for where in ["x > 0", "k ~ 'a'", "row > 0"]:
            args = ["select", "--where", where, self.file("cut.csv.gz", whole[:-20])]
            self.fails(3, *args, "-o", "rows.csv", says=["cut.csv.gz", "truncated"])
            self.assertFalse(os.path.exists(os.path.join(self.path, "rows.csv")))
        short = gz(npy("f64", [1.0, 2])[:-1])
        self.fails(
            3, "reduce", self.file("short.npy.gz", short), says="short.npy.gz ends after 1 of"
        )

    def test_damage_is_an_error_with_the_place(self):
        whole = bytearray(gz(b"".join(b"%d\n" % i for i in range(3000))))
        for at in [2, len(whole) // 2, len(whole) - 6]:
            damaged = bytes(whole[:at]) + bytes([whole[at] ^ 0x55]) + bytes(whole[at + 1 :])
            self.file("bad.txt.gz", damaged)
            self.fails(3, "reduce", "bad.txt.gz", says="bad.txt.gz")
            self.fails(3, "scan", "bad.txt.gz", "-o", "out.txt", says="bad.txt.gz")
            self.assertFalse(os.path.exists(os.path.join(self.path, "out.txt")))
        self.fails(3, "reduce", "bad.txt.gz", says=["damaged at or before byte ", "check"])
        if ".zst" in self.packers:
            bad = self.file("bad.zst", zstd(b"1\n")[:6] + b"\x07\x00\x00")
            self.fails(
                3, "reduce", bad, says="bad.zst: The zstd data are damaged at or before byte"
            )

    def test_any_changed_byte_gives_the_values_or_an_error(self):
        for extension, pack in self.packers.items():
            whole = pack(b"1\n22\n333\n")
            for at in range(len(whole)):
                for change in [0x01, 0x80, 0xFF]:
                    damaged = whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :]
                    self.file("x.csv" + extension, damaged)
                    done = subprocess.run(
                        [TOOL, "reduce", "x.csv" + extension],
                        capture_output=True,
                        cwd=self.path,
                        timeout=300,
                    )
                    self.assertIn(done.returncode, (0, 3), (extension, at, change, done.stderr))
                    if extension == ".gz" and done.returncode == 0:  # it has a checksum
                        self.assertEqual(done.stdout, b"356\n", (at, change))

    def test_other_compressions_name_the_command(self):
        self.fails(3, "reduce", stdin=lzma.compress(b"1\n"), says=["xz", "xz -dc FILE | upsweep"])
        self.fails(3, "reduce", stdin=bz2.compress(b"1\n"), says=["bzip2", "bzip2 -dc FILE"])
        self.assertEqual(self.text("reduce", "-c", "BZh", stdin="BZh\n1\n"), "1\n")
        for word in ["BZh", "BZh9", "BZh91AY"]:
            self.fails(3, "reduce", stdin=word, says=f"1:1: '{word}' is not a number.")
        twice = gz(gz(b"1\n"))
        self.fails(3, "reduce", stdin=twice, says=["compressed with gzip", "gzip -dc"])

    def test_long_files_have_the_results_of_their_content(self):
        source = random.Random(SEED)
        text = "k,x\n" + "".join(
            f"{i // 999},{source.randint(-9999, 9999)}\n" for i in range(400000)
        )
        args = ["reduce", "--by", "k", "-c", "x", "--op", "sum,argmax"]
        plain = self.text(*args, self.file("t.csv", text))
        for extension, pack in self.packers.items():
            packed = pack(text.encode())
            path = self.file("t.csv" + extension, packed)
            for extra in [[], ["--threads", "1"], ["--threads", "3"]]:
                self.assertEqual(self.text(*args, *extra, path), plain)
            self.assertEqual(self.text(*args, stdin=packed), plain)
            twice = self.text("reduce", "-c", "x", "--op", "count", path, "t.csv", path)
            self.assertEqual(twice, "1200000\n")
        if shutil.which("zstd") and ".zst" in self.packers:
            subprocess.run(["zstd", "-q", "-f", "-9", "t.csv"], cwd=self.path, check=True)
            self.assertEqual(self.text(*args, "t.csv.zst"), plain)

    def test_late_decimals(self):
        path = self.file("late.txt.gz", gz(b"1\n" * 900000 + b"0.5\n"))
        self.assertEqual(self.text("reduce", path), "900000.5\n")
        self.fails(3, "scan", "--reverse", path, says=["late.txt.gz:900001:1", "--dtype f64"])

    def test_an_early_end_and_an_error_do_not_wait_for_the_rest(self):
        self.file("many.txt.gz", gz(b"1\n" * 4000000))
        done = self.run_line('"$0" scan many.txt.gz | head -1; echo ${PIPESTATUS[0]}')
        self.assertEqual((done.stdout, done.stderr), (b"1\n141\n", b""))
        self.file("bad.txt.gz", gz(b"1\nx\n" + b"1\n" * 4000000))
        self.fails(3, "reduce", "bad.txt.gz", says="bad.txt.gz:2:1: 'x'")

    def test_a_live_pipe_gives_its_rows_as_they_come(self):
        packer = zlib.compressobj(wbits=31)
        with subprocess.Popen(
            [TOOL, "scan"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as tool:
            watchdog = threading.Timer(60, tool.kill)
            watchdog.start()
            for i in range(1, 4):
                tool.stdin.write(packer.compress(b"%d\n" % i) + packer.flush(zlib.Z_SYNC_FLUSH))
                tool.stdin.flush()
                self.assertEqual(tool.stdout.readline(), b"%d\n" % (i * (i + 1) // 2))
                time.sleep(0.05)
            tool.stdin.write(packer.flush())
            tool.stdin.close()
            watchdog.cancel()
            self.assertEqual(tool.wait(timeout=60), 0)

    def test_memory_does_not_grow_with_the_content(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (100 << 20, 100 << 20))

        block = gz(b"12345\n" * (1 << 20))
        self.file("big.txt.gz", block * 25)  # 157 MB
        done = subprocess.run(
            [TOOL, "reduce", "--threads", "2", "--op", "count", "big.txt.gz"],
            capture_output=True,
            cwd=self.path,
            timeout=300,
            preexec_fn=limit,
        )
        self.assertEqual((done.stdout, done.stderr), (b"%d\n" % (25 << 20), b""))

    def test_output_is_compressed_as_its_name_or_an_option_says(self):
        plain = self.text("scan", stdin="1\n2\n").encode()
        for kind, name in [("gzip", "o.txt.gz"), ("zstd", "o.txt.zst")]:
            if name[5:] not in self.packers:
                continue
            self.run_tool("scan", "-o", name, stdin="1\n2\n")
            if kind == "gzip":
                self.assertEqual(gzip.decompress(self.content(name)), plain)
            self.assertEqual(self.text("reduce", name), "4\n")
            # The same bytes, each time.
            piped = self.run_tool("scan", "--compress", kind, stdin="1\n2\n")
            self.assertEqual(piped, self.content(name))
            self.fails(4, "scan", "-o", name, stdin="1\n", says="already exists")
        self.run_tool("scan", "-o", "o.npy.gz", stdin="1\n2\n")
        self.assertEqual(self.text("reduce", "o.npy.gz"), "4\n")
        self.run_tool("scan", "-o", "o.jsonl.zst", "--compress", "none", stdin="1\n2\n")
        self.assertEqual(self.content("o.jsonl.zst"), b'{"sum(column 1)":1}\n{"sum(column 1)":3}\n')
        # Incompressible data, longer than the buffers.
        values = numbers(40000)
        self.run_tool("scan", "-o", "big.csv.gz", stdin=lines(values))
        self.assertEqual(gzip.decompress(self.content("big.csv.gz")).count(b"\n"), 40001)
        # Nothing of an interrupted file remains.
        self.fails(3, "scan", "-o", "bad.txt.gz", stdin="1\nx\n")
        self.assertFalse(os.path.exists(os.path.join(self.path, "bad.txt.gz")))


if __name__ == "__main__":
    unittest.main()
