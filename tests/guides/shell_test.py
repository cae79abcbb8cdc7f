"""Runs the commands on the pages of docs/guides with the tool, and compares what they print.

shell_test.py DIRECTORY      the directory of the tool
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from guides import calls  # noqa: E402


def printed(call, environment):
    """What a command prints in a folder with the files of its section, its blanks made one."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in call.files.items():
            (Path(folder) / name).write_text(text)
        done = subprocess.run(
            ["sh", "-c", call.code], cwd=folder, env=environment, capture_output=True, text=True
        )
    return " ".join((done.stdout + done.stderr).split())


def main():
    environment = os.environ | {"PATH": f"{sys.argv[1]}:{os.environ['PATH']}"}
    commands = list(calls("shell"))
    wrong = [
        f"{c.where}: '{c.code}' prints '{got}', but the page says '{c.shows}'"
        for c in commands
        if (got := printed(c, environment)) != c.shows
    ]
    sys.exit("\n".join(wrong) if wrong or not commands else 0)


if __name__ == "__main__":
    main()
