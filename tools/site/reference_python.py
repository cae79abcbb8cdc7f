"""The Python reference, from the sources of the package: signatures and docstrings, whose examples
python/tests runs. Nothing needs to be built or imported.
"""

import ast
import re

from links import ROOT

PACKAGE = ROOT / "python" / "upsweep"
TITLES = {
    "_reductions": "Reductions",
    "_moments": "Means and variances",
    "_scans": "Running totals",
    "_operators": "Operators with NumPy's methods",
    "_recurrences": "Recurrences",
    "_selections": "Selections",
    "_sorts": "Order",
    "_groups": "Segments, groups, windows",
    "_histograms": "Counts",
    "_streams": "Chunks",
    "_partial": "Pieces of an array",
    "_own": "Operators of your own",
    "_arrow": "Columns of Arrow",
    "_applications": "Applications",
    "_diagnosis": "This machine",
    "_threadpool": "threadpoolctl",
    "lab": "The laboratory",
}
FACTS = """Results have the bits of the [combine tree](../../contracts.md#2-same-bits) and the
positions and orders that [the contract](../../contracts.md) promises, on any number of threads.
Costs are those of [the verbs in C++](../cpp/reductions_and_scans.md): one pass over the elements;
what is not contiguous is copied once. Errors are ValueError, TypeError, IndexError or OverflowError
with a sentence. [Arrays, dtypes and differences from NumPy](../../python.md).
"""
METHODS = "`reduce`, `accumulate` and `reduceat`, [below](#methods-of-operators)"


def modules():
    """The public names of each module, as the package lists them."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "_MODULES":
            return {k: v.split() for k, v in ast.literal_eval(node.value).items()}
    raise ValueError("python/upsweep/__init__.py has no _MODULES")


def signature(function, name):
    """The call as it is written, on one line or an argument a line; without types."""
    arguments = ast.parse(ast.unparse(function)).body[0].args
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
        elif isinstance(argument, ast.Name) and argument.id.startswith("_"):
            argument.id = "..."  # a default that means: not given
    call = f"{name}({ast.unparse(arguments).removeprefix('self, ').removeprefix('self')})"
    if len(call) <= 80:
        return call
    inside = call[len(name) + 1 : -1].split(", ")
    lines, line = [], ""
    for word in inside:
        if line and len(line) + len(word) > 70:
            lines.append(line.rstrip())
            line = ""
        line += word + ", "
    return f"{name}(\n    " + "\n    ".join([*lines, line.rstrip(", ")]) + ",\n)"


def unmarked(line):
    """A line in which only code is marked: `__name__` outside of it is neither bold nor slanted."""
    pieces = line.split("`")
    pieces[::2] = [re.sub(r"([_<*])", r"\\\1", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def described(docstring):
    """A docstring as Markdown, its examples as code."""
    out, code, blank = [], False, True
    for line in docstring.splitlines():
        starts = line.startswith(">>>")
        if starts and not code:
            out += ["", "```pycon"]
            code = True
        elif code and not line.strip():
            out.append("```")
            code = False
        elif not code and line.startswith("    ") and not blank:
            line = line.strip()
        blank = not line.strip()
        out.append(line if code else unmarked(line))
    return "\n".join([*out, "```"] if code else out) + "\n"


def documented(node, name, level=2):
    """The entry of a function, or of a class with its public methods."""
    text = f"{'#' * level} {name.removeprefix('upsweep.')}\n\n"
    doc = ast.get_docstring(node) or ""
    if isinstance(node, ast.FunctionDef):
        return f"{text}```python\n{signature(node, name)}\n```\n\n{described(doc)}\n"
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
    for method in methods:
        if method.name == "__init__":
            text += f"```python\n{signature(method, name)}\n```\n\n"
    text += described(doc) + "\n"
    short = name.rpartition(".")[2]
    for method in methods:
        if not method.name.startswith("_") and ast.get_docstring(method):
            text += documented(method, f"{short}.{method.name}", level + 1)
    return text


def instances(tree):
    """Names that are assigned a call, such as `add: Monoid = Monoid("add", "sum")`."""
    return {
        (node.target if isinstance(node, ast.AnnAssign) else node.targets[0]).id: ast.unparse(
            node.value
        )
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call)
    }


def page(module, names):
    """(text, names with an entry) of a module."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text())
    nodes = {n.name: n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    title = TITLES.get(module, module.strip("_").capitalize())
    text = f"# {title}\n\n{ast.get_docstring(tree)}\n\n{FACTS}\n"
    made, found = instances(tree), set()
    prefix = "upsweep.lab" if module == "lab" else "upsweep"
    for name in sorted(names):
        if name in nodes and ast.get_docstring(nodes[name]):
            text += documented(nodes[name], f"{prefix}.{name}")
            found.add(name)
        elif name in made:
            words = re.findall(r"'([^']*)'", made[name])
            text += f"## {name}\n\n`upsweep.{name}` is `{words[-1]}` in `reduce` and `scan`. "
            text += f"Its methods are those of NumPy's ufunc: {METHODS}.\n\n"
            found.add(name)
    if made and "Monoid" in nodes:
        text += documented(nodes["Monoid"], "Monoid").replace(
            "## Monoid", "## Methods of operators"
        )
    return text, found


def pages():
    """(name of the page, text, names with an entry, names without)."""
    tree = ast.parse((PACKAGE / "lab.py").read_text())
    lab = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name[0] != "_"]
    for module, names in {**modules(), "lab": lab}.items():
        text, found = page(module, names)
        missing = set() if module == "lab" else set(names) - found
        yield f"reference/python/{module.strip('_')}", text, found, missing
