"""The C++ reference: pages of docs/site/reference.toml, filled from the headers' comments."""

import re
import tomllib

import headers
import reference_c
from links import ROOT, slug
from reference_entries import FACTS, parameter_rows, relatives, table
from reference_examples import Examples

PLAN = ROOT / "docs" / "site" / "reference.toml"
# What users do not call: a member that needs a name of namespace `detail` in its declaration.
NOT_SHOWN = re.compile(
    r"description about|= delete|shorter_form|\bdetail::|no_unique_address|Rest const&\.\.\."
)
DEFAULT_INSIDE = re.compile(r" = detail::\w+(?:<(?:[^<>]|<[^<>]*>)*>)?(?=[,>])")
REQUIRED_INSIDE = re.compile(r"\n\s+requires[ (][^\n]*detail::[^\n]*")
PARAMETER_INSIDE = re.compile(r"\bdetail::\w+ (?=[A-Z]\w*[,>])")  # a concept of a type parameter
VALUE_INSIDE = re.compile(r"\s+(?:=|:)\s(?=[^;]*\bdetail::).*", re.S)
EXAMPLES = ["every_verb.cpp", "every_stream.cpp", "every_operator.cpp", "gpu/every_gpu_verb.cu"]
C_NAMES = {
    name
    for header in reference_c.HEADERS
    for name, _, _ in reference_c.declarations((ROOT / header).read_text())
}
OFTEN_LEFT_OUT = {"op", "equal", "less", "{options}"}
FOR_THE_COMPILER = re.compile(r"Args const&\.\.\.|= delete|incomplete_executor")


def prose(comment):
    """A comment as Markdown: what is indented is code, and < is no tag."""
    lines, in_list = [], False
    for line in comment.splitlines():
        in_list = line.startswith("- ") or (in_list and line.strip() != "")
        if line.startswith("  ") and not in_list:
            if lines and not lines[-1].startswith("    "):
                lines.append("")
            lines.append("  " + line if line.startswith("  ") else line)
        else:
            lines.append(headers.marked(line))
    return "\n".join(lines).strip() + "\n"


def parameters(text):
    """The names of a function's parameters, with a ? after those that may be left out."""
    bare = headers.without_template(text)
    inside, depth, names = "", 0, []
    for sign in bare[bare.index("(") + 1 :] + ",":
        depth += (sign in "(<{") - (sign in ")>}")
        if depth < 0 or (sign == "," and depth == 0):
            name = re.search(r"(\w+)\s*(=.*)?$", inside.strip(), re.S)
            if name:
                shown = "{options}" if "options" in inside else name[1]
                names.append(shown + ("?" if name[2] else ""))
            inside = ""
            if depth < 0:
                break
        else:
            inside += sign
    return ["executor?" if n == "on" else n for n in names]


def call(declarations):
    """One line for overloads that differ in what may be left out."""
    lists = [parameters(d.text) for d in declarations]
    words = ""
    for name in max(lists, key=len):
        between = ", " if words else ""
        bare = name.rstrip("?")
        if name != bare or any(name not in other for other in lists):
            words += f"[{between}{bare}]" if words else f"[{bare},] "
        else:
            words += name if words.endswith("] ") else between + name
    bare = headers.without_template(declarations[0].text)
    kind = bare[: bare.index(declarations[0].name + "(")].replace("constexpr", "").strip()
    return f"{kind or 'auto'} {declarations[0].name}({words})"


def groups(declarations):
    """Overloads, by the comment that stands above the first of them, and by what they need."""
    found = []
    for declaration in declarations:
        if declaration.comment or not found:
            found.append({})
        always = [
            n for n in parameters(declaration.text) if n not in OFTEN_LEFT_OUT and "?" not in n
        ]
        found[-1].setdefault(tuple(always), []).append(declaration)
    return [list(group.values()) for group in found]


def about(declaration):
    """The rows of an operator's member `about`."""
    text = "\n".join(declaration.body)
    match = re.search(r"description about\{(.*?)\};", text, re.S)
    if not match:
        return ""
    values = dict(re.findall(r'\.(\w+) =\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', match[1]))
    values = {k: "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', v)) for k, v in values.items()}
    if "commutative =" not in text:  # inherited, from a class of the same header
        text += (ROOT / declaration.header).read_text()
    exact = re.search(r"exact = ([^;]+);", text)
    commutes = "yes" if re.search(r"commutative = true", text) else "no"
    always = {"true": "always"}.get(exact[1], "for integers") if exact else "never"
    rows = [
        ("in the tool", values.get("meaning", "")),
        ("identity", values.get("identity", "")),
        ("accumulator", values.get("accumulator", "")),
        ("commutative", commutes),
        ("exact", always),
    ]
    if values.get("example"):
        shown = values["result"].replace("\\t", " ")
        rows.append(("example", f"`{values['example']}` gives `{shown}`"))
    return "\n| | |\n| :-- | :-- |\n" + "".join(f"| {a} | {b} |\n" for a, b in rows if b)


def is_field(text):
    """Whether a member is data with a default value, which designated initializers may change."""
    return " = " in text and not re.match(r"(static|using|template)\b", text)


def members(declaration, fields_only=False):
    """The public members of a class as code, with their comments."""
    lines, at, out = declaration.body, 0, []
    public = not re.search(r"\bclass\b", headers.without_template(declaration.text)[:6])
    comment = []
    while at < len(lines):
        line = lines[at]
        if re.match(r" ?(public|private|protected):", line):
            public = "public" in line
            at += 1
        elif line.startswith("  ///"):
            comment.append("  //" + line[5:])
            at += 1
            continue
        elif re.match(r"  [\w\[~:_]", line) and not line.strip().startswith("static_assert"):
            text, _, end = headers.statement(lines, at)
            text = without_inside(text)
            aside = re.search(r"///<.*", line)
            text = re.sub(r"\)\s*:\s*\w+[({].*", ")", text, flags=re.S)
            text = re.sub(r"\n\s+: \w+[({].*", "", text, flags=re.S)
            if public and not NOT_SHOWN.search(text) and (is_field(text) or not fields_only):
                aside = f"  //{aside[0][4:]}" if aside else ""
                out += [*comment, f"  {text};{aside}"]
            at = end
        else:
            at += 1
        comment = []
    return out


def without_inside(text):
    """A declaration without the defaults and conditions that name what users do not."""
    text = REQUIRED_INSIDE.sub("", DEFAULT_INSIDE.sub("", text))
    text = text.replace("detail::initial_value<A>", "std::optional<A>")
    return PARAMETER_INSIDE.sub("class ", text)


def enumeration(declaration):
    """An enumeration with its enumerators and what they mean, as code."""
    source = (ROOT / declaration.header).read_text()
    text = re.search(rf"^enum class {declaration.name} \{{.*?\}};", source, re.M | re.S)[0]
    return f"```cpp\n{text.replace('///<', '//')}\n```\n"


def shown(declaration, fields_only=False):
    """A class, enumeration, concept or constant as code."""
    if declaration.text.startswith("enum class"):
        return enumeration(declaration)
    text = re.sub(r"\s*///<.*|UPSWEEP_API ", "", declaration.text)
    text = VALUE_INSIDE.sub("", without_inside(text))
    inside = [] if about(declaration) else members(declaration, fields_only)
    code = f"{text} {{\n" + "\n".join(inside) + "\n};" if inside else f"{text};"
    return f"```cpp\n{code}\n```\n"


def facts(name, found, page, pages):
    """Parameters, result and relatives of a name, and where its costs are, as a table."""
    functions = [d for d in found if d.is_function]
    names = [n for d in functions for n in parameters(d.text)]
    names = [n.strip("{}").rstrip("?").replace("{options}", "options") for n in names]
    rows = parameter_rows(name, [n.strip("{}") for n in names], FACTS["parameters"])
    returned = FACTS["returns"].get(name)
    if returned or (functions and all("void " in d.text.split(name)[0] for d in functions)):
        rows.append(("returns", returned or "nothing"))
    rows.append(("cost, bits, errors", f"at the [head of this page](#{slug(page['title'])})"))
    also = []
    for other in relatives(name)[:8]:
        if other in pages:
            at = "" if pages[other] == page["name"] else f"{pages[other]}.md"
            also.append(f"[{other}]({at}#{other.lower()})")
    if f"upsweep_{name}" in C_NAMES:
        also.append(f"[upsweep_{name} in C](../c.md#upsweep_{name})")
    if also:
        rows.append(("see also", ", ".join(also)))
    return table(rows)


def entry(name, found, meanings, extra, fields_only=False):
    """The entry of one name: signatures, meanings, facts, an example with its output. `extra` are
    the facts and the example.
    """
    text = f"## {name}\n\n"
    for group in groups([d for d in found if d.is_function]):
        calls = "\n".join(call(overloads) for overloads in group)
        text += f"```cpp\n{calls}\n```\n\n{prose(group[0][0].comment)}\n"
    classes = [d for d in found if not d.is_function]
    for declaration in classes:
        if re.search(r"(struct|class) \w+<", declaration.text):
            continue  # a specialization
        if declaration.body or len(classes) == 1 or declaration.comment:
            comment = declaration.comment or meanings.get(name, "")
            text += (
                shown(declaration, fields_only) + "\n" + prose(comment) + about(declaration) + "\n"
            )
    where = sorted({d.header for d in found})
    links = "".join(f"[`<{h}>`](site:../../source/{h}.html) " for h in where).rstrip()
    return (text + extra).replace("|\n\n| | |\n| :-- | :-- |\n", "|\n") + f"{links}\n"


def public(plan_page):
    """The declarations of a page, by name. One without a comment has that of the one above."""
    found = {}
    paths = [
        p for pattern in plan_page["headers"] for p in sorted((ROOT / "upsweep").glob(pattern))
    ]
    for path in paths:
        header, last = path.relative_to(ROOT).as_posix(), ""
        for d in headers.declarations(header):
            aside = re.search(r"///< (.*)", d.raw)
            d.comment = d.comment or (aside[1] if aside else "")
            if FOR_THE_COMPILER.search(d.text) or f"-> {d.name}<" in d.text:
                continue
            same = d.is_function and d.name in found and found[d.name][-1].header == d.header
            if d.is_function and not d.comment and not same:
                d.comment = last
            last = d.comment or last
            found.setdefault(d.name, []).append(d)
    return found


def public_names():
    """Those of C++ that `using namespace upsweep` makes visible; namespaces have no entry."""
    listed = (ROOT / "tests" / "package" / "public_names.txt").read_text().split()
    return {name for name in listed if not name.endswith("::")}


def places():
    """The page of each name of the plan, for links."""
    plan = tomllib.loads(PLAN.read_text())
    return {name: page["name"] for page in plan["page"] for name in page["names"]}


def pages(lacking=None):
    """(name of the page, text, names with an entry, names of the plan without one), for each page
    of the plan. The set `lacking` gets the names of entries without an example.
    """
    plan = tomllib.loads(PLAN.read_text())
    placed, examples = places(), Examples(EXAMPLES, FACTS["examples"])
    for page in plan["page"]:
        found = public(page)
        examples.start_page()
        text = f"# {page['title']}\n\n"
        text += table([(k, page[k]) for k in ("cost", "bits", "errors") if page[k]])
        text += "In the examples, `print` writes its arguments on one line.\n\n"
        if page.get("rest"):
            page["names"] += [n for n in found if n not in placed]
        names = [n for n in page["names"] if n in found]
        for name in names:
            fields_only = name in page.get("fields_only", [])
            first = page.get("examples", "every_verb.cpp")
            example = examples.markdown(name, f"upsweep::{name}", first)
            if not example and lacking is not None:
                lacking.add(name)
            extra = facts(name, found[name], page, placed) + example
            text += entry(name, found[name], plan["meanings"], extra, fields_only) + "\n"
        yield f"reference/cpp/{page['name']}", text, set(names), set(page["names"]) - set(names)
