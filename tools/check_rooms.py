#!/usr/bin/env python3
"""Checks the tree against docs/rooms.toml: include arrows, forbidden headers, sizes, companions
of stems, names, words of pages, and that the contract's promises name existing tests.
"""

import ast
import fnmatch
import functools
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_words  # noqa: E402
import cpp_text  # noqa: E402
import hops  # noqa: E402
import names  # noqa: E402
import signs  # noqa: E402
import standard_names  # noqa: E402
import stems  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
CPP = (".hpp", ".cpp", ".inl", ".h", ".c", ".cuh", ".cu")
OURS = tuple(f"{folder}/" for folder in ("upsweep", "bench", "text", "io", "lab", "cli"))
CODE = CPP + (".v", ".py", ".sh", ".cmake", ".cmake.in", "CMakeLists.txt", "Makefile", ".ci/run")


def listed_files():
    """The files of the checkout: tracked, or untracked and not ignored."""
    out = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return sorted(name for name in set(out.split("\0")) if name and (ROOT / name).is_file())


@functools.cache
def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


parsed = functools.cache(ast.parse)


def blanked(name):
    """The C++ of a file, without comments and literals."""
    return cpp_text.blank(read(name))


@functools.cache
def one_of(*patterns):
    """A function that tells whether one of these patterns of file names matches a name."""
    return re.compile("|".join(map(fnmatch.translate, patterns)) or "(?!)").match


@functools.cache
def includes(name):
    """(line number, header) for each #include of a C++ file, or for each module of the package that
    a Python file imports, but not for type checkers only.
    """
    if name.endswith(".py"):
        return list(imports(parsed(read(name))))
    pattern = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
    found = (
        (number, pattern.match(line)) for number, line in enumerate(read(name).splitlines(), 1)
    )
    return [(number, match[1]) for number, match in found if match]


def imports(node):
    """(line number, file) for each module that part of a Python file imports, but not for type
    checkers only. A name that is imported may be a module, too.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        names = [alias.name for alias in getattr(child, "names", ()) if hasattr(alias, "name")]
        if isinstance(child, ast.ImportFrom) and child.module:
            names = [child.module] + [f"{child.module}.{name}" for name in names]
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield from ((child.lineno, name.replace(".", "/") + ".py") for name in names)
        yield from imports(child)


def resolve(name, header, files):
    """The file of the tree that `header` in `name` refers to, or None for a foreign header."""
    folders = (f"{os.path.dirname(name)}/", "", "tests/", "python/")
    for candidate in (folder + header for folder in folders):
        candidate = os.path.normpath(candidate)
        if candidate in files:
            return candidate
    return None


def room_of(name, rooms):
    """The room whose matching pattern has the longest prefix before its first wildcard."""
    found = rooms_of(name, rooms)
    return found[0] if found else None


def rooms_of(name, rooms):
    """The rooms whose matching patterns share the longest prefix; normally one."""
    patterns = ((p, room) for room, entry in rooms.items() for p in entry["files"])
    matches = [(len(p.split("*")[0]), room) for p, room in patterns if one_of(p)(name)]
    most = max(matches, default=(0, ""))[0]
    return sorted({room for length, room in matches if length == most})


def visible(table):
    """The rooms that each room may include: of lower layers, of the stacks below, or `only` some.

    "stack" below a stack means all of its rooms, "stack:room" those up to the layer of that room.
    """
    seen, lower = {}, {}
    for stack, entry in table["stacks"].items():
        below = set().union(*(lower[there] for there in entry["below"]))
        for layer in entry["layers"]:
            for room in layer:
                seen[room] = set(table["rooms"].get(room, {}).get("only", below))
            reached = below | set(layer)
            lower.update({f"{stack}:{room}": reached for room in layer})
            below = reached
        lower[stack] = below
    return seen


def check_layers(_, table):
    """Every room is in one layer, and lists only rooms of lower layers in `only`."""
    placed = [r for e in table["stacks"].values() for layer in e["layers"] for r in layer]
    for room in dict.fromkeys([*table["rooms"], *placed]):
        if room not in table["rooms"]:
            yield f"docs/rooms.toml: '{room}' is in a layer, but there is no room of that name"
        elif placed.count(room) != 1:
            yield f"docs/rooms.toml: room '{room}' must be in one layer, not {placed.count(room)}"
    free = {"stacks": table["stacks"], "rooms": {}}
    for room, below in visible(free).items():
        for there in set(table["rooms"].get(room, {}).get("only", ())) - below:
            yield f"docs/rooms.toml: room '{room}' lists '{there}', which is no lower room"


def check_patterns(files, table):
    """Every pattern of a room matches a file: a pattern that is left over guards nothing."""
    for room, entry in table["rooms"].items():
        for pattern in entry["files"]:
            if not fnmatch.filter(files, pattern):
                yield f"docs/rooms.toml: '{pattern}' of room '{room}' matches no file; remove it"


def check_arrows(files, table):
    """Every file belongs to a room and includes only files of rooms that its room may include."""
    rooms, seen = table["rooms"], visible(table)
    room_once = functools.cache(lambda name: room_of(name, rooms))
    for name in (f for f in files if f.endswith(CPP) or f.startswith("python/")):
        room = room_once(name)
        if room is None:
            yield f"{name}: belongs to no room; add its folder to docs/rooms.toml"
            continue
        if len(several := rooms_of(name, rooms)) > 1:
            yield f"{name}: belongs to {' and '.join(several)}; name it in one of them only"
        for number, header in includes(name) if name.endswith(CPP + (".py",)) else ():
            target = resolve(name, header, files)
            there = target and room_once(target)
            if there and there != room and there not in seen[room]:
                yield (
                    f"{name}:{number}: room '{room}' may not include '{header}' of room '{there}', "
                    "which is in no lower layer of docs/rooms.toml"
                )
            if target is None and header.startswith(OURS) and not name.endswith(".py"):
                yield f"{name}:{number}: there is no '{header}'"


def check_libraries(files, table):
    """A library's headers are included only where docs/rooms.toml allows them."""
    for name in (f for f in files if f.endswith(CPP)):
        for number, header in includes(name):
            for library in table["libraries"]:
                foreign = one_of(*library["headers"])(header)
                if foreign and not one_of(*library["only_in"])(name):
                    yield (
                        f"{name}:{number}: <{header}> is allowed only in {library['only_in']}: "
                        f"{library['why']}"
                    )


def reach(start, files):
    """Every header, ours or foreign, that `start` includes directly or indirectly: header -> the
    chain of includes.
    """
    chains, queue = {}, [(start, [start])]
    while queue:
        name, chain = queue.pop()
        for _, header in includes(name):
            target = resolve(name, header, files)
            key = target or header
            if key not in chains:
                chains[key] = chain + [key]
                if target:
                    queue.append((target, chain + [key]))
    return chains


def check_reach(files, table):
    """Headers do not reach the forbidden ones, directly or indirectly."""
    for rule in table["reach"]:
        for start in (f for f in files if fnmatch.fnmatch(f, rule["from"])):
            for header, chain in reach(start, files).items():
                if one_of(*rule["not"])(header):
                    yield f"{' -> '.join(chain)}: {rule['why']}"


def docstring_lines(node):
    """The number of lines of the docstrings in a part of a Python file, which no limit counts."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = (n for n in ast.walk(node) if isinstance(n, kinds) and ast.get_docstring(n))
    return sum(n.body[0].end_lineno - n.body[0].lineno + 1 for n in documented)


def counted_lines(name):
    """The lines of a file that its limit counts."""
    lines = read(name).count("\n")
    return lines - docstring_lines(parsed(read(name))) if name.endswith(".py") else lines


def long_functions(name, limit):
    if name.endswith(".py"):
        for node in ast.walk(parsed(read(name))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = node.end_lineno - node.lineno + 1
                if lines > limit and (lines := lines - docstring_lines(node)) > limit:
                    yield node.lineno, lines, node.name
    elif name.endswith(CPP):
        yield from (entry for entry in cpp_text.functions(blanked(name)) if entry[1] > limit)


def check_sizes(files, table):
    """Files and functions stay within their limits. A listed exception has a reason and must
    still be needed.
    """
    limits, excused = table["limits"], {e["where"]: e["why"] for e in table.get("exceptions", [])}
    used = set()
    for name in (f for f in files if f.endswith(CODE) and not f.startswith("third_party/")):
        lines = counted_lines(name)
        if lines > limits["file_lines"]:
            used.add(name)
            if name not in excused:
                yield (
                    f"{name}: {lines} lines, more than {limits['file_lines']}; split it by topic"
                )
        wide = [
            i for i, line in enumerate(read(name).split("\n"), 1) if len(line) > limits["columns"]
        ]
        if wide:
            used.add(f"{name}:columns")
            if f"{name}:columns" not in excused:
                yield f"{name}:{wide[0]}: a line is longer than {limits['columns']} columns"
        for first, length, words in long_functions(name, limits["function_lines"]):
            called = re.findall(r"([\w~]+|operator\S+)\s*\(", words)
            where = f"{name}:{called[0] if called else words}"
            used.add(where)
            if where not in excused:
                yield (
                    f"{name}:{first}: function '{words[:80]}' has {length} lines, more than "
                    f"{limits['function_lines']}; split it"
                )
    for where in excused.keys() - used:
        yield f"docs/rooms.toml: the exception for '{where}' is no longer needed; remove it"


def check_manners(files, _):
    """A C++ file begins with a comment that describes it, and contains no TODO."""
    for name in (f for f in files if f.endswith(CPP) and not f.startswith("third_party/")):
        text = read(name)
        if not text.startswith(("//", "/*")):
            yield (
                f"{name}:1: the first line should be a comment with one sentence that describes "
                "the file"
            )
        for match in re.finditer(r"\b(TODO|FIXME|XXX)\b", text):
            yield (
                f"{name}:{text.count(chr(10), 0, match.start()) + 1}: '{match[0]}': finish it or "
                "open an issue"
            )


def check_stems(files, table):
    """A stem's companions exist: its page, its test, its line in a catalog. Files of a family of
    operators have its stem, and no two stems are easily confused.
    """
    yield from stems.complaints(table.get("stems", []), files, read)
    yield from stems.alike(files)


def check_names(files, table):
    """A type's name denotes one type, and an operator has the same name in C++, C and the shell."""
    yield from names.repeated_types(files, table.get("unique_names", []), blanked)
    if "operators" in table:
        yield from names.operator_spellings(table["operators"], read)


def check_promises(files, table):
    """Every `suite.test` named in docs/contracts.md exists in tests/."""
    known = {"example." + Path(f).stem for f in files if fnmatch.fnmatch(f, "examples/*.cpp")}
    for name in (f for f in files if f.startswith("tests/")):
        if name.endswith((".cpp", ".hpp")):
            known |= {
                f"{a}.{b}"
                for a, b in re.findall(
                    r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|CONTRACT_TEST|"
                    r"RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)"
                    r"\(\s*(\w+)\s*,\s*(\w+)\s*[,)]",
                    read(name),
                )
            }
        elif name.endswith("CMakeLists.txt"):
            known |= set(re.findall(r"add_test\(NAME ([\w.]+)", read(name)))
    for page in table["promises"]["pages"]:
        for number, line in enumerate(read(page).splitlines(), 1):
            for cited in re.findall(table["promises"]["cited"], line):
                if cited not in known:
                    yield (
                        f"{page}:{number}: there is no test '{cited}'; write it, or name the test "
                        "that covers the promise"
                    )


def check_hops(files, _):
    """The functions in the call chains of docs/map.md call each other."""
    if "docs/map.md" in files:
        yield from hops.complaints(read("docs/map.md"), blanked)


def check_signs(files, table):
    """Each room has a README.md of a few lines, whose paths exist; results that are read, too."""
    if "signs" in table:
        yield from signs.complaints(table["signs"], files, read)
    yield from signs.lost_results(files, read, lambda path: (ROOT / path).is_file())


def main():
    table = tomllib.loads((ROOT / "docs/rooms.toml").read_text(encoding="utf-8"))
    ignored = table["limits"]["ignore"]
    listed = (f for f in listed_files() if not one_of(*ignored)(f))
    files = dict.fromkeys(listed)
    checks = (
        check_patterns,
        check_arrows,
        check_layers,
        check_libraries,
        check_reach,
        check_sizes,
        check_manners,
        check_stems,
        check_names,
        check_promises,
        check_hops,
        check_signs,
        lambda names, _: check_words.complaints(names, read),
        lambda names, _: standard_names.complaints(names, read, blanked),
    )
    complaints = [line for check in checks for line in check(files, table)]
    print(
        "\n".join(complaints)
        if complaints
        else f"rooms: {len(files)} files keep to docs/rooms.toml",
        file=sys.stderr if complaints else sys.stdout,
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
