"""On a terminal, what files contain is shown without control characters; elsewhere it is copied."""

import os
import pty
import subprocess
import unittest

from support import TOOL, ToolTest

TITLE = "\x1b]0;owned\x07"  # changes the title of a terminal's window
C1 = "\u009b31m"  # the same as ESC [ 31 m
REVERSED = "\u202etxt.exe"  # shown as exe.txt
NASTY = f"a{TITLE}{C1}{REVERSED}b"
SAFE = r"a\x1b]0;owned\x07\xc2\x9b31m\xe2\x80\xaetxt.exeb"


class Terminal(ToolTest):
    def on_terminal(self, *words, status=0):
        """What the tool prints on a terminal, with standard error."""
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [TOOL, *words],
            stdin=subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            cwd=self.path,
            env={**os.environ, "NO_COLOR": "1"},
        )
        os.close(slave)
        got = b""
        while True:
            try:
                part = os.read(master, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            got += part
        os.close(master)
        self.assertIn(process.wait(), [status] if isinstance(status, int) else status, got)
        text = got.decode(errors="replace")
        # \r\033[K removes the line of progress
        rest = text.replace("\r\x1b[K", "").replace("\r\n", "\n").replace("\r", "")
        for c in rest:
            self.assertFalse(c < " " and c not in "\n\t", rest)
            self.assertFalse("\x7f" <= c < "\xa0" or "\u202a" <= c <= "\u202e", rest)
        return rest

    def test_names_and_texts_of_a_file_are_escaped(self):
        self.file("a.csv", f"k,{NASTY}\n{NASTY},1\nümlaut,2\n")
        shown = self.on_terminal("reduce", "a.csv", "--by", "k")
        self.assertIn(SAFE + ",1\n", shown)
        self.assertIn("ümlaut,2\n", shown)
        self.assertIn(SAFE, shown.split("\n")[0])
        self.assertIn(SAFE, self.on_terminal("select", "a.csv", "--where", "k != 'x'"))
        self.assertIn(SAFE, self.on_terminal("check", "a.csv", "-c", "2"))
        self.on_terminal("reduce", "a.csv", "--by", "k", "--json")
        self.on_terminal("check", "a.csv", "-c", "2", "--json")

    def test_a_pipe_gets_the_bytes_as_they_are(self):
        self.file("a.csv", f"k,v\n{NASTY},1\n")
        self.assertIn(NASTY, self.text("reduce", "a.csv", "--by", "k"))

    def test_a_name_that_is_no_utf_8_is_no_error(self):
        self.file("a.csv", b"k,gr\xf6\xdfe\nx,1\n")
        self.assertIn(
            "gr\ufffd\ufffde", self.text("check", "a.csv", "--header", "-c", "2", "--json")
        )
        self.assertIn(
            "1", self.on_terminal("reduce", "a.csv", "--header", "-c", "2", "--to", "csv")
        )

    def test_messages_escape_names_of_files_options_and_columns(self):
        self.file("a.csv", f"k,{NASTY}\nx,1\n")
        for words in (
            ["reduce", NASTY],
            ["reduce", "a.csv", "-c", NASTY + "!"],
            ["reduce", "a.csv", f"--{NASTY}"],
            [NASTY],
            ["run", NASTY + ".cu"],
        ):
            text = self.on_terminal(*words, status=(2, 3, 4))
            self.assertIn(r"\x1b]0;owned", text)


if __name__ == "__main__":
    unittest.main()
