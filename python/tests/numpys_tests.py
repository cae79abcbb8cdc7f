"""Runs NumPy's own tests of running sums, ufunc methods, histograms and counts with this package's
functions instead of NumPy's, and prints how many pass and why others fail:

    python python/tests/numpys_tests.py [--write docs/python.md]

NumPy's wheel has its tests. A test is taken if its source calls one of the functions, and counts if
a call reached this package. A failure for none of the reasons below is an error.
"""

import argparse
import collections
import inspect
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import upsweep

FILES = """_core/tests/test_ufunc.py _core/tests/test_umath.py _core/tests/test_regression.py
    lib/tests/test_function_base.py lib/tests/test_histograms.py"""
OPERATORS = {name: getattr(upsweep, name) for name in upsweep.__all__}
OPERATORS = {name: thing for name, thing in OPERATORS.items() if hasattr(thing, "reduceat")}
METHODS = ("reduce", "accumulate", "reduceat")


def flat(function):
    """cumsum(x) is of all elements, where cumulative_sum(x) refuses more than one dimension."""

    def call(x, axis=None, dtype=None, out=None):
        if axis is None:
            x, axis = np.ravel(x), 0
        return function(x, axis=axis, dtype=dtype, out=out)

    return call


FUNCTIONS = {
    "cumsum": flat(upsweep.cumulative_sum),
    "cumprod": flat(upsweep.cumulative_prod),
    "cumulative_sum": upsweep.cumulative_sum,
    "cumulative_prod": upsweep.cumulative_prod,
    "histogram": upsweep.histogram,
    "bincount": upsweep.bincount,
}
REASONS = {  # what the error of a test has, and why the package differs
    "of type object|dtype=object": "object arrays are not supported",
    "float128": "extended precision is not supported",
    "complex": "complex numbers have no order, and cannot be weights",
    "M8|datetime": "dates can only be compared; time spans can also be added",
    "ellipsis": "`out=...` works without the keyword, too",
    "DID NOT WARN": "the package does not warn",
    "MyArr|'info'": "subclasses are treated as plain arrays",
    "ValueError not raised": "`initial=None` is the default and means the identity",
    "does(n't| not) match|did not match": "the error has another wording",
}
CALLED = re.compile(
    rf"\b(np\.)?({'|'.join(FUNCTIONS)})\(|\bnp\.({'|'.join(OPERATORS)})\.({'|'.join(METHODS)})\b"
)


class Shim:
    """Functions instead of NumPy's; `calls` says how many of them were called."""

    def __init__(self):
        self.calls = 0
        self.names = {name: self.counted(function) for name, function in FUNCTIONS.items()}
        for name, operator in OPERATORS.items():
            self.names[name] = self.ufunc(getattr(np, name), operator)
        self.namespace = types.ModuleType("numpy")
        self.namespace.__getattr__ = lambda name: getattr(np, name)
        vars(self.namespace).update(self.names)

    def counted(self, function):
        def call(*arguments, **options):
            self.calls += 1
            return function(*arguments, **options)

        return call

    def ufunc(self, of_numpy, operator):
        methods = {m: staticmethod(self.counted(getattr(operator, m))) for m in METHODS}
        methods["__call__"] = lambda _, *arguments, **options: of_numpy(*arguments, **options)
        methods["__getattr__"] = lambda _, name: getattr(of_numpy, name)
        return type("ufunc", (), methods)()


class Plugin:
    def __init__(self):
        self.shim = Shim()
        self.errors = collections.defaultdict(list)  # of each file; "" if a case passed

    def pytest_collection_modifyitems(self, items):
        items[:] = [
            item
            for item in items
            if "huge" not in item.name and CALLED.search(inspect.getsource(item.function))
        ]
        for module in {item.module for item in items}:
            for name in self.shim.names.keys() & vars(module).keys():
                setattr(module, name, self.shim.names[name])
            module.np = self.shim.namespace

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if call.when == "setup":
            self.shim.calls = 0
        if call.when == "call" and not report.skipped and self.shim.calls:
            error = f"{item.name}: {call.excinfo.value!r}" if call.excinfo else ""
            self.errors[Path(item.path).name].append(error)
        return report


def reason_of(error):
    text = error.split(": ", 1)[1]
    return next((reason for part, reason in REASONS.items() if re.search(part, text)), None)


def report_of(errors):
    """The tables, and the failures that have no reason."""
    failed = [error for of_file in errors.values() for error in of_file if error]
    reasons = collections.Counter(map(reason_of, failed))
    lines = [f"Of NumPy {np.__version__}'s own tests:", "", "| file | pass | of |", "|---|---|---|"]
    for name, of_file in errors.items():
        lines.append(f"| `{name}` | {of_file.count('')} | {len(of_file)} |")
    lines += ["", "| why the others fail | tests |", "|---|---|"]
    lines += [f"| {reason} | {n} |" for reason, n in reasons.most_common() if reason]
    return "\n".join(lines), [error for error in failed if not reason_of(error)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--write", type=Path, metavar="PAGE", help="replace the table in PAGE")
    page = arguments.parse_args().write
    plugin = Plugin()
    files = [str(Path(np.__file__).parent / name) for name in FILES.split()]
    options = ["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore", "-rN"]
    pytest.main([*options, *files], plugins=[plugin])
    text, unknown = report_of(plugin.errors)
    print(text, *unknown, sep="\n")
    if page:
        marks = r"(<!-- python/tests/numpys_tests.py -->\n).*?(<!-- end -->)"
        filled = re.sub(marks, lambda m: f"{m[1]}{text}\n{m[2]}", page.read_text(), flags=re.S)
        page.write_text(filled)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
