"""The completion scripts in their shells."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from support import TOOL, ToolTest


class Shells(ToolTest):
    def setUp(self):
        super().setUp()
        self.file("data.csv", "x\n1\n")
        self.file("prices.csv", "day,price,two words,$(id)\n1,2,3,4\n")
        self.environment = {
            **os.environ,
            "PATH": os.path.dirname(TOOL) + ":" + os.environ["PATH"],
            "HOME": self.path,
        }

    def test_scripts_hold_every_option_of_every_command(self):
        for command in [
            "reduce",
            "scan",
            "select",
            "histogram",
            "sort",
            "runs",
            "unique",
            "check",
            "bench",
            "list",
            "doctor",
        ]:
            options = re.findall(r"^  (?:-\w, )?--([a-z-]+)", self.text(command, "--help"), re.M)
            self.assertGreaterEqual(len(options), 2)
            for shell in ["bash", "zsh", "fish"]:
                script = self.text("completion", shell)
                for option in options:
                    self.assertIn(option, script, (shell, command))

    def bash(self, *words):
        words_text = " ".join(f"'{w}'" for w in words)
        script = (
            f"source <(upsweep completion bash); COMP_WORDS=({words_text}); "
            f"COMP_CWORD={len(words) - 1}; "
            'compopt() { echo "compopt $*"; }; _upsweep; printf \'%s\\n\' "${COMPREPLY[@]}"'
        )
        done = self.run_line(script, env=self.environment)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split("\n")[:-1]

    def test_bash(self):
        self.assertEqual(self.bash("upsweep", "re"), ["reduce"])
        self.assertIn("completion", self.bash("upsweep", ""))
        self.assertEqual(self.bash("upsweep", "reduce", "--allow"), ["--allow-repeats"])
        self.assertEqual(
            self.bash("upsweep", "reduce", "--op", "exact"), ["compopt -o nospace", "exact-sum"]
        )
        self.assertEqual(
            self.bash("upsweep", "reduce", "--op", "sum,exact"),
            ["compopt -o nospace", "sum,exact-sum"],
        )
        self.assertEqual(self.bash("upsweep", "scan", "--mode", "=", "fa"), ["fast"])
        self.assertEqual(self.bash("upsweep", "completion", "z"), ["zsh"])
        self.assertEqual(self.bash("upsweep", "reduce", "da"), ["compopt -o default", ""])
        begin = ["upsweep", "reduce", "prices.csv"]
        nospace = "compopt -o nospace"
        self.assertEqual(self.bash(*begin, "--by", "p"), [nospace, "price"])
        self.assertEqual(self.bash(*begin, "--by", ""), [nospace, "day", "price"])
        self.assertEqual(self.bash(*begin, "-c", "day,p"), [nospace, "day,price"])
        self.assertEqual(self.bash(*begin, "--op", "sum", ":", "pr"), ["price"])
        self.assertEqual(self.bash(*begin, "--op", "sum", ":"), ["day", "price"])
        self.assertEqual(self.bash("upsweep", "reduce", "--by", "p"), [nospace, ""])

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        def complete(line):
            done = subprocess.run(
                [
                    "fish",
                    "--no-config",
                    "-c",
                    f"upsweep completion fish | source; complete -C '{line}'",
                ],
                capture_output=True,
                cwd=self.path,
                env=self.environment,
                timeout=300,
            )
            self.assertEqual(done.stderr, b"")
            return [entry.split("\t")[0] for entry in done.stdout.decode().splitlines()]

        self.assertEqual(complete("upsweep re"), ["reduce"])
        self.assertEqual(complete("upsweep scan --excl"), ["--exclusive"])
        self.assertEqual(complete("upsweep reduce --op exact"), ["exact-sum"])
        self.assertEqual(complete("upsweep reduce --op sum,exact"), ["sum,exact-sum"])
        self.assertEqual(complete("upsweep completion z"), ["zsh"])
        self.assertEqual(complete("upsweep reduce data.csv --by x"), ["x"])
        self.assertIn("data.csv", complete("upsweep reduce da"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        self.file(
            ".zshrc",
            (
                "autoload -Uz compinit; compinit -u; source <(upsweep completion zsh); PS1='> '; "
                "unsetopt beep\n"
            ),
        )
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.path)
            os.execvpe(
                "zsh", ["zsh", "-i"], {**self.environment, "ZDOTDIR": self.path, "TERM": "dumb"}
            )

        def read_until(text):
            seen, end = "", time.monotonic() + 20
            while text not in seen and time.monotonic() < end:
                if select.select([terminal], [], [], 0.1)[0]:
                    seen += os.read(terminal, 4096).decode(errors="replace")
            self.assertIn(text, seen)

        try:
            read_until("> ")
            for typed, completed in [
                ("upsweep redu\t", "reduce"),
                (" --allow\t", "-repeats"),
                (" --op exact\t", "-sum"),
                (",lo\t", "g-sum-exp"),
                (" prices.csv --by pri\t", "ce"),
            ]:
                os.write(terminal, typed.encode())
                read_until(completed)
        finally:
            os.write(terminal, b"\x15exit\n")
            os.close(terminal)
            os.waitpid(pid, 0)


if __name__ == "__main__":
    unittest.main()
