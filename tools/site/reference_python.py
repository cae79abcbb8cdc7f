"""The Python reference, from the sources of the package: signatures and docstrings, whose examples
python/tests runs. Nothing needs to be built or imported.
"""

import ast
import re

from links import ROOT

PACKAGE = ROOT / "python" / "upsweep"
TITLES = {
    "_reductions": "Reductions",
    "_extrema": "Extrema",
    "_flags": "Flags",
    "_moments": "Means and variances",
    "_scans": "Scans",
    "_running_extrema": "Running extrema",
    "_operators": "Operators with NumPy's methods",
    "_recurrences": "Recurrences",
    "_anchored": "Recurrences step by step",
    "_selections": "Selections",
    "_sorts": "Order",
    "_segments": "Segments",
    "_groups": "Groups by key",
    "_histograms": "Counts",
    "_streams": "Streams of chunks",
    "_partial": "Partial results of pieces",
    "_own": "User-defined operators",
    "_arrow": "Arrow columns",
    "_applications": "Applications",
    "_diagnosis": "This machine",
    "_threadpool": "threadpoolctl",
    "lab": "The laboratory",
}
FACTS = """Results are bitwise reproducible: they have the bits of the [combine
tree](../../contracts.md#2-same-bits) on any number of threads. Positions and orders are those that
[the contract](../../contracts.md) promises. Costs are those of the [verbs in
C++](../cpp/reductions_and_scans.md): one pass over the elements. Arrays that are not contiguous are
copied once. All functions accept the same [arrays and types](../../python.md#arrays) and raise
ValueError, TypeError, IndexError or OverflowError with a message that says what is wrong.
[Differences from NumPy](../../python.md#differences-from-numpy).
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
    pieces = line.replace("``", "`").split("`")
    pieces[::2] = [re.sub(r"([_<*])", r"\\\1", piece) for piece in pieces[::2]]
    return "`".join(pieces)


SECTION = re.compile(r"^(?=[A-Z][A-Za-z ]+\n-{3,}$)", re.M)


def described(docstring):
    """A docstring in NumPy's style as Markdown: its sections, its examples as code."""
    head, *sections = SECTION.split(docstring)
    text = plain(head)
    for section in sections:
        title, _, body = section.split("\n", 2)
        text += f"**{title}**\n\n"
        if title in ("Parameters", "Returns", "Raises"):
            text += listed(body)
        elif title == "See Also":
            text += ", ".join(map(linked, body.split(", "))) + "\n\n"
        else:
            text += plain(body)
    return text


def listed(body):
    """The entries of a section: `name : type`, a type or an error, with indented text."""
    text = ""
    for line in body.rstrip().splitlines():
        if line.startswith("    "):
            text += f"  {unmarked(line.strip())}\n"
        else:
            name, colon, kind = line.partition(" : ")
            text += f"- `{name}`{colon}{unmarked(kind)}" if colon else f"- {unmarked(line)}"
            text += "\\\n"
    return text + "\n"


def linked(name):
    """A name of the package as a link to its entry."""
    name = name.strip()
    for module, names in modules().items():
        if name in names:
            return f"[`{name}`]({module.strip('_')}.md#{name.lower()})"
    return f"`{name}`"


def plain(text):
    """Paragraphs and examples as Markdown."""
    out, code = [], False
    for line in text.strip().replace("``", "`").splitlines():
        if line.startswith(">>>") and not code:
            out += ["", "```pycon"]
            code = True
        elif code and not line.strip():
            out.append("```")
            code = False
        out.append(line if code else unmarked(line))
    return "\n".join([*out, "```"] if code else out) + "\n\n"


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
            text += f"It has methods of NumPy's ufunc: {METHODS}.\n\n"
            found.add(name)
    if made and "Monoid" in nodes:
        text += documented(nodes["Monoid"], "Monoid").replace(
            "## Monoid\n", "## Methods of operators\n", 1
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
