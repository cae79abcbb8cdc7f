"""The laboratory in a notebook: textbook kernels and CUDA files on the emulator.

Each function runs the command-line tool `upsweep`: the one named by the environment variable
UPSWEEP_TOOL, that of this package, or the one on the PATH. CUDA files also need g++.

Keyword arguments are options of the tool: `n=1024` is `-n 1024`, `op="max"` is `--op max`, and
`one_tile=True` is `--one-tile`. A list repeats its option, except that a list of numbers is one
value. `upsweep run --help` lists the options.

In IPython, `%load_ext upsweep.lab` adds the cell magic `%%upsweep`, which runs its cell as a CUDA
file: `%%upsweep`, `%%upsweep trace --kernel scan --block 8 --arg in:8`, `%%upsweep verify --quick`.
"""

from __future__ import annotations

import html
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["compare", "explain", "run", "trace", "verify"]

_FOUND_SOMETHING = 1  # the tool's exit status where a result is wrong or there is a finding


def tool() -> str:
    """Return the path of the command-line tool.

    Returns
    -------
    str
        The tool named by the variable ``UPSWEEP_TOOL``, that of the package, or the one on the
        PATH.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    own = Path(__file__).parent / "tool/bin/upsweep"
    path = os.environ.get("UPSWEEP_TOOL") or (str(own) if own.exists() else None)
    path = path or shutil.which("upsweep")
    if path is None:
        raise FileNotFoundError(
            "upsweep.lab: the tool upsweep is neither in this package nor on the PATH; build it "
            "with `make build`, or set the environment variable UPSWEEP_TOOL to its path"
        )
    return path


class Report:
    """The output of the tool.

    `text` is its text, or `data` its JSON. `output` is what the program printed. `found` is True if
    a result is wrong or the tool reports a diagnostic. `command` is the command line.
    """

    def __init__(self, command: str, text: str, output: str, found: bool) -> None:
        self.command: str = command
        self.output: str = output
        self.found: bool = found
        self.data: Any = json.loads(text) if text[:1] in "{[" and text else None
        self.text: str = text if self.data is None else ""

    def __repr__(self) -> str:
        lines = [f"{name}  {value}" for row in self._rows() for name, value in row.items()]
        parts = self.output, self.text, *self._findings(), *lines
        return "\n".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        if self.data is None:
            return f"<pre>{html.escape(self.text)}</pre>"
        rows = self._rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        cells = [[name, *(row.get(name, "") for row in rows)] for name in names]
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(c))}</td>" for c in line) + "</tr>"
            for line in cells
        )
        printed = f"<pre>{html.escape(self.output)}</pre>" if self.output else ""
        findings = "".join(f"<p><b>{html.escape(f)}</b></p>" for f in self._findings())
        return f"{printed}{findings}<table>{body}</table>"

    def _kernels(self) -> list[dict[str, Any]]:
        if self.data is None:
            return []
        return self.data if isinstance(self.data, list) else [self.data]

    def _findings(self) -> list[str]:
        return [f["sentence"] for kernel in self._kernels() for f in kernel.get("findings", [])]

    def _rows(self) -> list[dict[str, Any]]:
        """One column of the table per kernel: its properties, and its counters except zeros."""
        rows = []
        for kernel in self._kernels():
            row = {k: v for k, v in kernel.items() if not isinstance(v, (dict, list)) and v != ""}
            if "file" in row:
                row["file"] = Path(row["file"]).name
            counters = kernel.get("total") or {}
            row |= {k: f"{v:.3g}" if isinstance(v, float) else v for k, v in counters.items() if v}
            rows.append(row)
        return rows


class Trace(Report):
    """A run that a notebook shows step by step. `page` is the HTML of the whole page."""

    def __init__(self, command: str, page: str, output: str, found: bool) -> None:
        super().__init__(command, "", output, found)
        self.page = page

    def __repr__(self) -> str:
        return f"<{self.command}: a page of {len(self.page)} characters>"

    def _repr_html_(self) -> str:
        frame = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{frame}" width="100%" height="600" style="border:0"></iframe>'


def run(name: str, /, *arguments: str, **options: Any) -> Report:
    """Run a textbook kernel or a CUDA file on the emulator.

    Parameters
    ----------
    name : str
        The name of a textbook kernel, or the path of a CUDA file.
    *arguments : str
        Arguments of the program's ``main``.
    **options : optional
        The options of the tool, as in the module's description.

    Returns
    -------
    Report
        Counters and diagnostics; `data` has all of them, `text` or the table of a notebook shows
        them.

    Raises
    ------
    RuntimeError
        If the tool fails; the message is that of the tool.
    FileNotFoundError
        If the tool is not found.

    See Also
    --------
    compare, trace, verify
    """
    return _report(["run", name, "--json", *_words(options), *_after_dashes(arguments)])


def compare(*names: str, **options: Any) -> Report:
    """Run several kernels on the same input.

    Parameters
    ----------
    *names : str
        Names of textbook kernels.
    **options : optional
        The options of the tool, as in the module's description.

    Returns
    -------
    Report
        A table with one column per kernel.

    Raises
    ------
    RuntimeError
        If the tool fails; the message is that of the tool.
    FileNotFoundError
        If the tool is not found.

    See Also
    --------
    run
    """
    return _report(["compare", *names, "--json", *_words(options)])


def verify(*names: str, **options: Any) -> Report:
    """Run kernels over many sizes, schedules, types and operators, and check the results.

    Parameters
    ----------
    *names : str
        Names of textbook kernels, or paths of CUDA files.
    **options : optional
        The options of the tool, as in the module's description.

    Returns
    -------
    Report
        The verdict; `found` is True if a result is wrong.

    Raises
    ------
    RuntimeError
        If the tool fails; the message is that of the tool.
    FileNotFoundError
        If the tool is not found.

    See Also
    --------
    run
    """
    return _report(["verify", *names, "--json", *_words(options)])


def explain(name: str, /, **options: Any) -> Report:
    """Explain a textbook algorithm: its idea, cost, source and a picture.

    Parameters
    ----------
    name : str
        The name of a textbook kernel.
    **options : optional
        The options of the tool, as in the module's description.

    Returns
    -------
    Report
        The explanation, as text.

    Raises
    ------
    RuntimeError
        If the tool fails; the message is that of the tool.
    FileNotFoundError
        If the tool is not found.

    See Also
    --------
    run, trace
    """
    return _report(["explain", name, *_words(options)])


def trace(name: str, /, *arguments: str, **options: Any) -> Trace:
    """Run a kernel and show the run step by step.

    Parameters
    ----------
    name : str
        The name of a textbook kernel, or the path of a CUDA file.
    *arguments : str
        Arguments of the program's ``main``.
    **options : optional
        The options of the tool, as in the module's description.

    Returns
    -------
    Trace
        A page that a notebook shows; `page` is its HTML.

    Raises
    ------
    RuntimeError
        If the tool fails; the message is that of the tool.
    FileNotFoundError
        If the tool is not found.

    See Also
    --------
    run, explain
    """
    return _trace(name, [*_words(options), *_after_dashes(arguments)])


def _report(words):
    done = _call(words)
    return Report(shlex.join(["upsweep", *words]), done.stdout, done.stderr, _found(done))


def _trace(name, words):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        done = _call(["trace", name, "-o", str(page), *words])
        command = shlex.join(["upsweep", "trace", name, *words])
        return Trace(command, page.read_text(), done.stderr, _found(done))


def _call(words):
    done = subprocess.run([tool(), *words], capture_output=True, text=True)
    if done.returncode not in (0, _FOUND_SOMETHING):
        raise RuntimeError((done.stderr or done.stdout).strip())
    return done


def _found(done):
    return done.returncode == _FOUND_SOMETHING


def _after_dashes(arguments):
    return ["--", *map(str, arguments)] if arguments else []


def _words(options):
    words = []
    for name, value in options.items():
        option = f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")
        if isinstance(value, (list, tuple)) and not all(isinstance(v, str) for v in value):
            value = ",".join(map(str, value))
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not False and one is not None:
                words += [option] if one is True else [option, str(one)]
    return words


def load_ipython_extension(ipython: Any) -> None:
    """Add the cell magic `%%upsweep`; `%load_ext upsweep.lab` calls this."""
    ipython.register_magic_function(_cell, "cell", "upsweep")


def _cell(line: str, cell: str) -> Report:
    words = shlex.split(line)
    verb = words.pop(0) if words[:1] and words[0] in ("run", "trace", "verify") else "run"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.cu"
        file.write_text("\n" + cell)  # lines have the numbers that they have in the notebook
        if verb == "trace":
            return _trace(str(file), words)
        return _report([verb, str(file), "--json", *words])
