"""upsweep doctor: describes this machine as text and as JSON."""

import json
import os
import shutil
import unittest

from support import BenchTest


class Doctor(BenchTest):
    def test_describes_the_machine_as_one_json_object(self):
        found = json.loads(self.run_tool("doctor", "--json"))
        machine = found["machine"]
        self.assertEqual(machine["affinity"], len(os.sched_getaffinity(0)))
        self.assertEqual(machine["online"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertTrue(1 <= machine["threads"] <= machine["affinity"])
        self.assertTrue(machine["simd"])
        self.assertAlmostEqual(
            machine["memory"], os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), delta=2**30
        )
        self.assertEqual(found["tree_version"], 1)
        speeds = {(s["what"], s["where"]): s for s in found["gigabytes_per_second"]}
        for what in ("read", "copy"):
            self.assertGreater(speeds[what, "memory"]["one_thread"], 0.01)
            self.assertGreater(speeds[what, "memory"]["all_threads"], 0.01)

    def test_prints_a_line_for_each_fact(self):
        text = self.run_tool("doctor")
        self.assertEqual(self.errors, "")
        for start in (
            "upsweep",
            "compiler",
            "system",
            "CPUs",
            "threads",
            "SIMD",
            "memory",
            "read memory",
            "copy memory",
        ):
            self.assertRegex(text, rf"(?m)^{start} +\S")

    @unittest.skipUnless(shutil.which("taskset"), "taskset is not installed")
    def test_respects_the_affinity_of_the_process(self):
        first = str(min(os.sched_getaffinity(0)))
        machine = json.loads(self.run_tool("doctor", "--json", prefix=["taskset", "-c", first]))[
            "machine"
        ]
        self.assertEqual((machine["affinity"], machine["threads"]), (1, 1))


if __name__ == "__main__":
    unittest.main()
