"""upsweep run FILE.cu --device: the limits and the words of other GPUs."""

import json
import subprocess
import unittest

from program_test import program, supported
from support import TOOL, ToolTest

PROGRAM = program("devices")
DEVICES = {
    "sm_70": "Tesla V100",
    "sm_75": "Tesla T4",
    "sm_80": "NVIDIA A100",
    "sm_86": "NVIDIA GeForce RTX 3090",
    "sm_89": "NVIDIA GeForce RTX 4090",
    "sm_90": "NVIDIA H200",
    "sm_100": "NVIDIA B200",
}


def line_of(mark):
    with open(PROGRAM) as file:
        (number,) = [i + 1 for i, line in enumerate(file) if line.endswith(f"// {mark}\n")]
    return number


class DeviceTest(ToolTest):
    def run_on(self, device, *args):
        """The report, and what the program printed."""
        option = ["--device", device] if device else []
        done = subprocess.run(
            [TOOL, "run", "--json", *option, PROGRAM, *args],
            capture_output=True,
            text=True,
            cwd=self.path,
        )
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout), done.stderr

    def test_properties_and_the_architecture_are_those_of_the_device(self):
        # Back to the first device at the end: a module of another one must not be taken for it.
        for device in ("sm_75", "sm_100", None, "sm_75"):
            name = device or "sm_90"
            number = int(name[3:])
            report, printed = self.run_on(device)
            self.assertEqual(
                printed,
                f"{DEVICES[name]} (Upsweep's emulator): {number // 10}.{number % 10}\n"
                f"{number * 10}\n",
            )
            self.assertEqual((report["device"], report["findings"]), (name, []))

    def test_words_that_a_device_lacks_are_findings_at_their_line(self):
        for word, mark, lacking, having in (
            ("copy", "COPY", "sm_75", "sm_80"),
            ("reduce", "REDUCE", "sm_75", "sm_80"),
            ("expect", "EXPECT", "sm_80", "sm_90"),
        ):
            report, printed = self.run_on(lacking, word)
            (finding,) = report["findings"]
            self.assertEqual(finding["first"]["line"], line_of(mark))
            self.assertIn(f"needs {having} or newer", finding["sentence"])
            report, printed = self.run_on(having, word)
            self.assertEqual((report["findings"], printed), ([], "496\n"))

    def test_launches_beyond_the_device_are_refused(self):
        for word, mark, lacking, having, part in (
            ("cluster", "CLUSTER", "sm_80", "sm_90", "begin with compute capability 9.0"),
            ("memory", "MEMORY", "sm_75", "sm_80", "can have 65536 bytes"),
        ):
            report, printed = self.run_on(lacking, word)
            sentences = [f["sentence"] for f in report["findings"]]
            self.assertIn(part, sentences[0])
            self.assertIn(f"devices.cu:{line_of(mark)}", sentences[0])
            self.assertEqual(printed, "0\n")
            report, printed = self.run_on(having, word)
            self.assertEqual((report["findings"], printed), ([], "496\n"))

    def test_all_commands_for_files_have_the_option(self):
        done = subprocess.run(
            [TOOL, "trace", "--device", "sm_80", PROGRAM], capture_output=True, text=True
        )
        self.assertRegex(done.stdout, r"write p +800\n")
        self.text("compare", "--device", "sm_80", PROGRAM, PROGRAM)
        self.text("verify", "--quick", "--device", "sm_80", PROGRAM)
        done = subprocess.run(
            [TOOL, "verify", "--quick", "--device", "sm_75", PROGRAM, "--args", "reduce"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("--device sm_75", done.stdout)  # in the command that repeats it

    def test_unknown_devices_and_kernels_of_the_textbook_are_refused(self):
        for args, part in (
            (["--device", "sm_71", PROGRAM], "sm_70"),
            (["--device", "sm_80", "kogge_stone"], "--device is for .cu files"),
        ):
            done = subprocess.run([TOOL, "run", *args], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    if not supported():
        print("no compiler or no libbacktrace")
        raise SystemExit(77)
    unittest.main()
