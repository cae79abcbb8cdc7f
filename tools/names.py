"""Checks that names are unambiguous: each type is declared once, and an operator has the same name
in C++, C and the shell.
"""

import fnmatch
import re

SOURCES = (".hpp", ".cpp", ".inl", ".h", ".cuh", ".cu")
NAMESPACE = re.compile(r'(inline\s+)?namespace\b|extern\s*("|$)')
TYPE = re.compile(
    r"(?:typedef\s+)?(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+"
    r"(?:\[\[[^\]]*\]\]\s*|[A-Z][A-Z_]+\s+|alignas\([^)]*\)\s*)*(\w+)\b(?!\s*(?:<|::))"
)
ALIAS = re.compile(r"(?:concept|using)\s+(\w+)\s*(?:\[\[[^\]]*\]\]\s*)?=")


def declarations(text):
    """(words before its brace or semicolon, whether it has a brace, whether the namespace is
    anonymous) for each declaration at namespace scope of blanked C++ text.
    """
    scopes, head = [], 0
    for mark in re.finditer("[{};]", text):
        char, position = mark[0], mark.start()
        words = text[head:position].strip()
        if char == "{":
            if all(scopes) and not NAMESPACE.match(words):
                yield words, True, "namespace" in scopes
            scopes.append(words if NAMESPACE.match(words) else None)
        elif char == ";" and all(scopes):
            yield words, False, "namespace" in scopes
        elif char == "}" and scopes:
            scopes.pop()
        head = position + 1


def without_template(words):
    """A declaration without its template parameters and what it requires of them."""
    while match := re.match(r"template\s*<", words):
        depth, end = 1, match.end()
        while depth and end < len(words):
            depth += {"<": 1, ">": -1}.get(words[end], 0) if words[end - 1] != "-" else 0
            end += 1
        words = words[end:].strip()
    if words.startswith("requires"):
        start = re.search(r"\b(struct|class|using|concept)\b", words)
        words = words[start.start() :] if start else ""
    return words


def types_in(name, text):
    """The types, concepts and aliases that a file defines at namespace scope, except those that are
    local to a source file.
    """
    for words, has_body, anonymous in declarations(text):
        words = without_template(words)
        match = ALIAS.match(words) or (has_body and TYPE.match(words))
        if match and not (anonymous and not name.endswith((".hpp", ".h", ".cuh"))):
            yield match[1]


def repeated_types(files, rules, read):
    """Yields a message for each name that two files define. `read` returns blanked text."""
    for rule in rules:
        found = {}
        for name in (f for f in files if f.endswith(SOURCES)):
            if any(fnmatch.fnmatch(name, p) for p in rule["files"]):
                for type_name in types_in(name, read(name)):
                    found.setdefault(type_name, set()).add(name)
        repeated = {n: where for n, where in found.items() if len(where) > 1}
        excused = rule.get("except", {})
        for type_name in sorted(repeated.keys() - excused.keys()):
            where = sorted(repeated[type_name])
            yield f"{where[0]}: '{type_name}' is also a type of {', '.join(where[1:])}; rename one"
        for type_name in excused.keys() - repeated.keys():
            yield (
                f"docs/rooms.toml: the exception for the name '{type_name}' is no longer needed; "
                "remove it"
            )


def operator_spellings(table, read):
    """Yields a message for each operator with two names. The enumerator in the catalog is the
    reference: the shell uses hyphens, C uses capitals, and C++ the same name unless `table` lists
    another.
    """
    catalog, header = table["catalog"], table["c"]
    in_c, others = read(catalog).split("constexpr void for_each_row(")
    row = re.compile(r'row<(\w+)(?:<>)?>\{\s*id::(\w+),\s*"([^"]*)"')
    derived = re.findall(r'derived_entry\{\s*id::(\w+),\s*"([^"]*)"', others)
    rows = row.findall(in_c) + row.findall(others)
    for op, shell in [(op, shell) for _, op, shell in rows] + derived:
        if shell != op.replace("_", "-"):
            yield f"{catalog}: the shell's name of '{op}' is '{shell}', not the same with hyphens"
    for cpp, op, _ in rows:
        if cpp != table["types"].get(op, op):
            yield f"{catalog}: the type of '{op}' is '{cpp}', not '{table['types'].get(op, op)}'"
    for op in table["types"].keys() - {op for _, op, _ in rows}:
        yield f"docs/rooms.toml: there is no operator '{op}' whose type could have another name"
    plain = re.sub(r"/\*.*?\*/", "", read(header), flags=re.S)
    enum = re.search(r"enum upsweep_operator\b.*?\{(.*?)\}", plain, re.S)
    spelled = re.findall(r"^\s*UPSWEEP_(\w+) = (\d+)", enum[1], re.M) if enum else []
    wanted = [(op.upper(), str(i)) for i, (_, op, _) in enumerate(row.findall(in_c), 1)]
    for had, want in zip(spelled + [("nothing", "")] * len(wanted), wanted):
        if had != want:
            yield (
                f"{header}: the enumerator {want[1]} of upsweep_operator is {had[0]}; the catalog "
                f"has UPSWEEP_{want[0]}"
            )
    if len(spelled) > len(wanted):
        had, want = len(spelled), len(wanted)
        yield f"{header}: upsweep_operator has {had} enumerators, the catalog {want}"
