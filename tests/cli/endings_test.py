"""Exit of the tool on closed pipes, interrupts and full disks, and its behavior on terminals."""

import json
import os
import signal
import subprocess
import time
import unittest

from support import TOOL, ToolTest, npy


class Endings(ToolTest):
    def test_a_closed_pipe_ends_it_quietly_with_141(self):
        for ignored in [False, True]:
            before = (lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)) if ignored else None
            line = 'yes 1 | "$0" scan | head -1; echo ${PIPESTATUS[1]}'
            done = self.run_line(line, preexec_fn=before)
            self.assertEqual(done.stdout, b"1\n141\n")
            self.assertNotIn(b"upsweep", done.stderr)

    def test_a_closed_pipe_ends_a_selection_with_141(self):
        command = f"yes 1 | '{TOOL}' select --where '$1 > 0' | head -1; echo ${{PIPESTATUS[1]}}"
        done = self.run_line(command)
        self.assertEqual(done.stdout, b"1\n141\n")
        self.assertNotIn(b"upsweep", done.stderr)

    def test_a_selection_to_a_full_disk_is_an_error(self):
        for args in [
            ["select", "--where", "$1 > 0"],
            ["select", "--where", "$1 > 0", "--json"],
        ]:
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [TOOL, *args], input=b"1\n2\n", stdout=full, stderr=subprocess.PIPE, timeout=60
                )
            self.assertEqual(done.returncode, 4, args)
            self.assertRegex(done.stderr.decode(), r"\Aupsweep: [^\n]*No space left[^\n]*\n\Z")

    def interrupted(self, kind, *args):
        with subprocess.Popen(
            [TOOL, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.path,
        ) as tool:
            tool.stdin.write(b"1\n" * 700000)
            tool.stdin.flush()
            for _ in range(500):  # until the temporary file exists, or work has begun
                if os.listdir(self.path) or "-o" not in args:
                    break
                time.sleep(0.02)
            if "-o" in args:
                self.assertEqual(len(os.listdir(self.path)), 1)
            time.sleep(0.05)
            tool.send_signal(kind)
            self.assertEqual(tool.stderr.read(), b"")
            status = tool.wait(timeout=30)
        self.assertEqual(os.listdir(self.path), [])
        return status

    def test_an_interrupt_leaves_no_file(self):
        for args in [
            ["scan", "-o", "out.txt"],
            ["scan", "--op", "sum,mean", "--json", "-o", "out.json"],
            ["reduce"],
            ["histogram"],
            ["sort"],
            ["runs", "-o", "out.txt"],
            ["select", "--where", "$1 > 0", "-o", "out.txt"],
            ["reduce", "--by", "1", "-c", "1", "-o", "out.txt"],
        ]:
            self.assertIn(self.interrupted(signal.SIGINT, *args), (-signal.SIGINT, 130), args)
        self.assertIn(
            self.interrupted(signal.SIGTERM, "scan", "-o", "out.txt"), (-signal.SIGTERM, 143)
        )

    def test_an_interrupted_benchmark_keeps_what_it_measured(self):
        report = os.path.join(self.path, "bench.json")
        for what, cells in (("reduce", "cells"), ("verbs", "verbs")):
            sizes = ["--sizes", "10,12,14,16,18,20", "--time", "600", "--json", report, "--force"]
            with subprocess.Popen(
                [TOOL, "bench", what, *sizes], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as tool:
                head = 2 if what == "reduce" else 1
                for _ in range(head + 1):  # until the first row
                    tool.stdout.readline()
                tool.send_signal(signal.SIGTERM)
                errors = tool.communicate(timeout=60)[1].decode()
            self.assertIn(tool.returncode, (-signal.SIGTERM, 143))
            with open(report) as file:
                kept = len(json.load(file)[cells])
            self.assertIn(kept, (1, 2, 3))
            self.assertIn(f"interrupted; the {kept} cells", errors)

    def test_a_shell_sees_130(self):
        # timeout(1) sends the signal, and --preserve-status returns the status that a shell sees
        done = self.run_line(
            'sleep 5 | timeout --preserve-status -s INT 0.5 "$0" reduce; echo ${PIPESTATUS[1]}'
        )
        self.assertEqual((done.stdout, done.stderr), (b"130\n", b""))

    def test_a_closed_standard_error_does_not_change_the_status(self):
        for command, status in [
            ("reduce no-such-file 2>&-", 4),
            ("reduce --nonsense 2>&-", 2),
            ("reduce <&- >&- 2>&-", 4),
            ("scan no-such-file <&- >&- 2>&-", 4),
        ]:
            done = self.run_line(f'"$0" {command}')
            self.assertEqual(done.returncode, status, command)

    def test_a_file_at_its_limit_leaves_the_old_file_alone_and_no_part_of_the_new_one(self):
        self.file("x.npy", npy("f64", [1.0] * 1000))
        self.file("out.npy", b"old")
        for trap in [
            "",
            "trap '' XFSZ;",
        ]:  # the default action would kill the process during a write
            limited = f"ulimit -f 4; {trap} '{TOOL}' scan x.npy -o out.npy --force"
            done = self.run_line(limited)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(
                done.stderr.decode(),
                r"\Aupsweep: Writing out.npy failed after \d+ bytes: File too large\. [^\n]+\n\Z",
            )
            self.assertEqual(self.content("out.npy"), b"old")
            self.assertEqual(sorted(os.listdir(self.path)), ["out.npy", "x.npy"])

    def test_memory_does_not_grow_with_a_stream(self):
        peaks = []
        for megabytes in [4, 400]:
            source = subprocess.Popen(
                ["head", "-c", f"{megabytes}M", "/dev/zero"], stdout=subprocess.PIPE
            )
            tool = subprocess.Popen(
                [TOOL, "scan", "--from", "raw", "--dtype", "f64", "--op", "sum"],
                stdin=source.stdout,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=1"},
            )
            source.stdout.close()
            _, status, usage = os.wait4(tool.pid, 0)
            tool.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual((tool.returncode, source.wait(timeout=300)), (0, 0))
            peaks.append(usage.ru_maxrss)
        self.assertLess(peaks[1], peaks[0] + 20000, "kilobytes")

    def peak_of(self, *args):
        """The peak memory use of the tool in kilobytes."""
        tool = subprocess.Popen([TOOL, *args], stdout=subprocess.DEVNULL, cwd=self.path)
        _, status, usage = os.wait4(tool.pid, 0)
        tool.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(tool.returncode, 0, args)
        return usage.ru_maxrss

    def test_memory_does_not_grow_with_a_file(self):
        if "ASAN_OPTIONS" in os.environ:
            self.skipTest("the sanitizer keeps what is freed")
        with open(
            os.path.join(self.path, "integers.txt"), "wb"
        ) as file:  # 120 MB, read twice: the first pass determines the type
            for _ in range(120):
                file.write(b"123456789\n" * 100000)
        with open(os.path.join(self.path, "zeros.f64"), "wb") as file:
            file.truncate(400_000_000)
        for args in [
            ["reduce", "integers.txt"],
            ["reduce", "--dtype", "f64", "integers.txt"],
            ["reduce", "zeros.f64"],
            ["scan", "zeros.f64"],
            ["histogram", "--range", "0,1", "integers.txt"],
            ["histogram", "--range", "0,1", "zeros.f64"],
            ["runs", "zeros.f64"],
            ["unique", "integers.txt"],
        ]:
            self.assertLess(self.peak_of(*args), 80000, args)

    def test_progress_is_for_terminals_and_long_work(self):
        def stderr_of(seconds):
            main, other = os.openpty()
            with subprocess.Popen(
                [TOOL, "reduce"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=other
            ) as tool:
                tool.stdin.write(b"1\n" * (600000 if seconds else 1000))
                tool.stdin.flush()
                end = time.monotonic() + seconds
                while time.monotonic() < end:
                    tool.stdin.write(b"2\n" * 1000)
                    tool.stdin.flush()
                    time.sleep(0.05)
                out, _ = tool.communicate()
            os.close(other)
            os.set_blocking(main, False)
            try:
                text = os.read(main, 65536)
            except (BlockingIOError, OSError):
                text = b""
            os.close(main)
            self.assertRegex(out, rb"\A\d+\n\Z")
            return text

        self.assertRegex(stderr_of(2.5), rb"\r[0-9.]+ [kMG]?B  [0-9.]+ [kMG]?B/s\x1b\[K")
        self.assertEqual(stderr_of(0.0), b"")


if __name__ == "__main__":
    unittest.main()
