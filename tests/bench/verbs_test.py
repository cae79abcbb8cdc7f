"""upsweep bench verbs: lines, the file, and error messages."""

import json
import unittest

from support import BenchTest


class Verbs(BenchTest):
    def test_a_line_has_every_participant_the_best_peer_and_memcpy(self):
        text = self.run_tool(
            "bench", "verbs", "--verb", "select,csv", "--type", "f32,u8", "-n", "1000,12",
            "--time", "0.1",
        )  # fmt: skip
        self.assertEqual(self.errors, "")
        head, *rows = text.splitlines()
        self.assertEqual(
            head.split()[3:],
            "n upsweep upsweep-serial loop std-serial x best peer of memcpy".split(),
        )
        self.assertEqual(
            [row[:46].rstrip() for row in rows if " 2^12 " in row],
            ["select f32, 1 % kept", "select f32, 50 % kept", "select f32, 99 % kept",
             "select flags f32, 50 % kept", "csv u8, fields of 6 bytes, some in quotes"],
        )  # fmt: skip
        self.assertEqual(len(rows), 10)
        for row in rows:
            n, ours, serial, loop, std, gain, share = row[46:].split()
            self.assertEqual(std == "-", row.startswith(("csv", "select flags")))
            for number in (ours, serial, loop, gain, share):
                self.assertGreater(float(number), 0, row)

    def test_the_file_has_all_rounds_and_the_traffic(self):
        self.run_tool(
            "bench", "verbs", "--verb", "sort_by_key,windowed", "-n", "1000", "--time", "0.2",
            "--threads", "2", "--peers", "all", "--json", "run.json",
        )  # fmt: skip
        run = json.loads(self.content("run.json"))
        self.assertEqual(run["cells"], [])
        self.assertEqual(run["threads"], 2)
        roles = {c["name"]: c["role"] for c in run["competitors"]}
        self.assertEqual(roles["copy-all"], "limit")
        self.assertEqual(roles["upsweep-serial"], "upsweep")
        self.assertEqual(roles["sliding"], "peer")
        rows = {(c["verb"], c["op"], c["type"], c["data"]): c for c in run["verbs"]}
        self.assertEqual(
            set(rows),
            {("windowed", op, "f32", f"{w} wide") for op in ("sum", "max") for w in (3, 100)}
            | {("windowed", "user", "f32", "100 wide"), ("sort_by_key", "", "u32", "with u32")},
        )
        self.assertEqual(rows["sort_by_key", "", "u32", "with u32"]["traffic"], 16000)
        for cell in run["verbs"]:
            self.assertEqual(cell["n"], 1000)
            self.assertEqual(len({len(s["seconds"]) for s in cell["all"]}), 1)
            for series in cell["all"]:
                self.assertTrue(series["correct"], (cell["verb"], series))
                self.assertGreater(min(series["seconds"]), 0)

    def test_wrong_use_is_explained(self):
        for words, sentence in (
            (["--verb", "sord"], "did you mean 'sort'"),
            (["--verb", "sort", "--type", "f64"], "no row has these verbs, types and sizes"),
            (["--op", "sum"], "'verbs' takes only"),
            (["--peers", "numpi"], "did you mean 'numpy'"),
        ):
            self.run_tool("bench", "verbs", *words, status=2)
            self.assertIn(sentence, self.errors)
        self.run_tool("bench", "scan", "--verb", "sort", status=2)
        self.assertIn("--verb is for `upsweep bench verbs`", self.errors)


if __name__ == "__main__":
    unittest.main()
