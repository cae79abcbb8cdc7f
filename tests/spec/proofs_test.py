"""Checks the proofs of docs/spec with Coq: each theorem is proved from no assumption, has a comment
that says what it states, and is in the table of docs/spec/theorems.md, which names no other.
`proofs_test.py ROOT`
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ORDER = ["tree", "partials", "intervals"]  # a file after those that it requires
CLOSED = "Closed under the global context"


def theorems(text):
    """The names of the theorems of a file, and of those without a comment right before them."""
    names = re.findall(r"^Theorem (\w+)", text, re.M)
    commented = re.findall(r"^\(\*\* [^*]*?\*\)\nTheorem (\w+)", text, re.M)
    return names, sorted(set(names) - set(commented))


def coqc(folder, file):
    """What coqc prints for a file that it accepts."""
    done = subprocess.run(
        ["coqc", "-q", "-Q", ".", "Upsweep", file], cwd=folder, capture_output=True, text=True
    )
    if done.returncode != 0:
        sys.exit(f"docs/spec/{file}: {done.stdout}{done.stderr}")
    return done.stdout


def check_proofs(folder, stem, names):
    """Compiles a file, and asks Coq what its theorems assume: all at once, as it looks through the
    proofs of Coq's library each time.
    """
    coqc(folder, f"{stem}.v")
    question = folder / f"assumptions_of_{stem}.v"
    every = ", ".join(f"@{name}" for name in names)
    question.write_text(
        f"From Upsweep Require Import {stem}.\n"
        f"Definition every_theorem := ({every}).\nPrint Assumptions every_theorem.\n"
    )
    answer = coqc(folder, question.name).strip()
    if answer != CLOSED:
        sys.exit(f"docs/spec/{stem}.v: a theorem rests on assumptions:\n{answer}")


def main():
    spec = pathlib.Path(sys.argv[1]) / "docs" / "spec"
    if not shutil.which("coqc"):
        print("skipped: there is no coqc; `tools/setup.sh full` installs it")
        sys.exit(77)
    if {file.stem for file in spec.glob("*.v")} != set(ORDER):
        sys.exit(f"docs/spec: this test checks {ORDER}; tell it of other files")
    proved = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for stem in ORDER:
            text = (spec / f"{stem}.v").read_text(encoding="utf-8")
            (folder / f"{stem}.v").write_text(text, encoding="utf-8")
            names, silent = theorems(text)
            if silent or not names:
                sys.exit(f"docs/spec/{stem}.v: say in a comment what these state: {silent}")
            check_proofs(folder, stem, names)
            proved += names
    table = (spec / "theorems.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+`(?: `\w+`)*) \|", table, re.M)
    listed = re.findall(r"\w+", " ".join(rows))
    if listed != proved:
        wrong = sorted(set(listed) ^ set(proved)) or "their order"
        sys.exit(f"docs/spec/theorems.md: the table differs from the files: {wrong}")


main()
