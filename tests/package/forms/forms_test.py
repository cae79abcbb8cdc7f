"""Every verb has the same forms: writes the calls of verbs.toml and has the compiler check them.

    forms_test.py COMPILER ROOT

Some must compile, others are refused by a sentence; values.py compares their results. Whether the
sentences of verbs.toml on what a verb lacks are in docs/verbs.md is checked as well.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = tomllib.loads((HERE / "verbs.toml").read_text(encoding="utf-8"))
EXECUTORS = ["", "upsweep::serial{}", "upsweep::cpu{.threads = 2}", "{.threads = 2}", "{}"]
OPTION = {
    "initial": "{.initial = 10}",
    "reverse": "{.reverse = true}",
    "mode": "{.mode = upsweep::mode::fast}",
    "axis": "{.axis = 0}",
    "closed_right": "{.closed_right = true}",
}
READ = {
    "std::vector": "s.{}.vector",
    "const std::vector": "s.{}.constant",
    "std::array": "s.{}.array",
    "C array": "s.{}.plain",
    "std::span": "std::span(s.{}.vector)",
    "std::span of const": "std::span(s.{}.constant)",
    "std::deque": "s.{}.deque",
    "view of computed values": "std::views::transform(s.{}.vector, std::identity{{}})",
    "reversed view": "std::views::reverse(s.{}.vector)",
    "pair of iterators": "std::ranges::subrange(s.{0}.vector.begin(), s.{0}.vector.end())",
    "temporary": "std::vector(s.{}.vector)",
}
NOT_WRITTEN = ("const", "computed", "temporary")
WRITTEN = [kind for kind in READ if not any(word in kind for word in NOT_WRITTEN)]
SENTENCE = {
    "std::back_inserter": r"an output must be a range with room for the results",
    "pointer": r"an output must be a range with room for the results",
    "std::list": r"the output must be a random-access range that knows its size",
    "const": r"the output range is const|the output of the counts is const",
    "temporary": r"the output is a temporary container",
    "input": r"ranges?_.*come_first|is not a random-access range",
}


def ranges(row):
    return row.get("inputs", []), row.get("outputs", []), row.get("both", [])


def standard(row, name):
    return f"s.{name}" if row.get("kinds") == [] else f"s.{name}.vector"


def tails(row):
    """What may follow the fixed arguments."""
    last, options = row.get("last", []), [OPTION[o] for o in row.get("options", [])]
    behind = [last[:i] for i in range(len(last) + 1)]
    if last and last[0] == "op":
        behind += [["{}", *last[1:i]] for i in range(1, len(last) + 1)]
    all_tails = [list(b) for b in behind]
    for b in behind:
        all_tails += [[*b, o] for o in options]
    return all_tails


def call(row, name, arguments):
    return f"upsweep::{row.get('verb', name)}({', '.join(a for a in arguments if a)})"


def arguments(row, read, written):
    """The arguments from the ranges to the fixed ones, with the replacements of the names."""
    inputs, outputs, both = ranges(row)
    return [
        *(read(n) for n in inputs),
        *row.get("in_front", []),
        *(written(n) for n in outputs + both),
        *row.get("fixed", []),
    ]


def forms(name, row):
    """Every executor with every end, then every kind of every range."""
    middle = arguments(row, lambda n: standard(row, n), lambda n: standard(row, n))
    for executor in EXECUTORS:
        for tail in tails(row):
            yield call(row, name, [executor, *middle, *tail])
    if row.get("kinds") == []:
        return
    inputs, outputs, both = ranges(row)
    for changed in inputs + outputs + both:
        for kind in READ if changed in inputs else WRITTEN:

            def pick(n, changed=changed, kind=kind):
                return (READ[kind] if n == changed else "s.{}.vector").format(n)

            yield call(row, name, arguments(row, pick, pick))


def stream_forms(name, row):
    fixed = row.get("fixed", [])
    for executor in EXECUTORS:
        for tail in tails(row):
            given = [a for a in [executor, *fixed, *tail] if a]
            # Braces that are empty, alone or before other braces, may mean several arguments.
            if given[:1] == ["{}"] and len(given) < 3:
                continue
            if given[-1:] and given[-1].startswith("{") and given[-2:-1] == ["{}"]:
                continue
            types = row["types"] + (", upsweep::max" if "op" in given else "")
            yield f"upsweep::{name}<{types}>({', '.join(given)})"


def refused(name, row):
    """(what is wrong, the call) for each mistake; `#` is the number of the call."""
    inputs, outputs, both = ranges(row)
    if row.get("kinds") == []:
        return
    wrong = {
        "std::back_inserter": "std::back_inserter(as<own_vector<#>>())",
        "pointer": "as<own_number<#>*>()",
        "std::list": "as<own_list<#>>()",
        "const": "std::as_const(as<std::vector<own_number<#>>>())",
        "temporary": "std::vector<own_number<#>>(as<std::vector<own_number<#>>>())",
    }
    for changed in outputs:
        for what, text in wrong.items():

            def pick(n, changed=changed, text=text):
                return text if n == changed else f"s.{n}.vector"

            yield what, call(row, name, arguments(row, pick, pick))

    def listed(n):
        return f"s.{n}.list" if n in (inputs + both)[:1] else f"s.{n}.vector"

    yield "input", call(row, name, arguments(row, listed, listed))

    def split(n):
        if n not in (inputs + both)[:1]:
            return f"s.{n}.vector"
        return f"s.{n}.vector.begin(), s.{n}.vector.end()"

    yield "input", call(row, name, arguments(row, split, split))


def source(calls):
    """A function for every 40 calls, since compilers take more than linear time for long ones."""
    text = "#include <forms/fixture.hpp>\n\nusing namespace forms;\n\n"
    text += "template <class T>\nT& as();\n\n"
    for k in range(0, len(calls), 40):
        body = "\n".join(f"  (void)({c});" for c in calls[k : k + 40])
        text += f"void calls_{k}(fixture& s) {{\n{body}\n}}\n"
    return text


def compile_text(compiler, root, text, *flags):
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "calls.cpp"
        unit.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", f"-I{root}", f"-I{root}/tests/package", "-w"]
            + [*flags, str(unit)],
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr


def check_compiling(compiler, root):
    calls = [c for name, row in TABLE["verbs"].items() for c in forms(name, row)]
    calls += [c for name, row in TABLE["streams"].items() for c in stream_forms(name, row)]
    text = source(list(dict.fromkeys(calls)))  # each once
    code, said = compile_text(compiler, root, text)
    if code == 0:
        return []
    lines = text.splitlines()
    failed = sorted({int(n) for n in re.findall(r"calls\.cpp:(\d+):", said)})
    return [f"does not compile: {lines[n - 1].strip()}" for n in failed] + [said[:3000]]


def check_refused(compiler, root):
    """One translation unit for all mistakes: each call's errors are those that lead to its line."""
    mistakes = [(*m, name) for name, row in TABLE["verbs"].items() for m in refused(name, row)]
    calls = [text.replace("#", str(k)) for k, (_, text, _) in enumerate(mistakes)]
    text = source(calls)
    _, said = compile_text(compiler, root, text, "-fmax-errors=0")
    line_of = {line.strip(): n for n, line in enumerate(text.splitlines(), 1)}
    # A block of messages ends with the error that it leads to; errors in the call itself stand
    # alone.
    found, asked = {}, []
    for line in said.splitlines():
        place = re.search(r"calls\.cpp:(\d+):\d+:", line)
        if place and "required from here" in line:
            asked = [int(place[1])]
        elif "error:" in line:
            for n in [int(place[1])] if place else asked:
                found.setdefault(n, []).append(line)
    faults = []
    for (what, _, _), written in zip(mistakes, calls):
        errors = found.get(line_of[f"(void)({written});"], [])
        if not any(re.search(SENTENCE[what], e) for e in errors):
            faults.append(f"{what} is not refused by its sentence: {written}\n  " + str(errors[:2]))
    return faults


def check_missing_headers(compiler, root):
    """Calls with <upsweep/upsweep.hpp> alone name the header that they need."""
    needed = {
        "sort.hpp": ["sort(x)", "sort(upsweep::serial{}, x)", "sort_by_key(x, x)", "argsort(x, x)"],
        "order_statistics.hpp": ["top(x, x)", "quantile(x, 0.5)", "quantile(upsweep::cpu{}, x, 1)"],
        "histogram.hpp": ["histogram(x, x, x)", "weighted_histogram(x, x, x, x)"]
        + ["count_indices(x, x)"],
    }
    text, wanted = "#include <upsweep/upsweep.hpp>\n#include <vector>\n", []
    for header, calls in needed.items():
        for written in calls:
            element = f"element_{len(wanted)}"  # another type, as a fault is reported once for each
            wanted.append(f"#include <upsweep/{header}>")
            text += f"struct {element} {{}};\n"
            text += f"void call(std::vector<{element}>& x) {{ (void)upsweep::{written}; }}\n"
    _, said = compile_text(compiler, root, text, "-fmax-errors=0")
    errors = [line for line in said.splitlines() if "error:" in line]
    if len(errors) == len(wanted) and all(w in e for w, e in zip(wanted, errors)):
        return []
    return ["calls without the verb's header are not refused by one sentence each:", *errors]


def check_sentences(root):
    page = " ".join((Path(root) / "docs/verbs.md").read_text(encoding="utf-8").split())
    used = {
        key
        for row in [*TABLE["verbs"].values(), *TABLE["streams"].values()]
        for key in row.get("lacks", [])
    }
    faults = [f"no verb lacks '{k}'" for k in TABLE["sentences"] if k not in used]
    return faults + [
        f"docs/verbs.md does not say: {s}" for s in TABLE["sentences"].values() if s not in page
    ]


def main():
    compiler, root = sys.argv[1:3]
    faults = check_sentences(root) + check_compiling(compiler, root)
    faults += check_refused(compiler, root) + check_missing_headers(compiler, root)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
