"""The reference of the tool: prose and examples from cli/help/, which the tool embeds, options from
what `upsweep COMMAND --help` prints, operators from `upsweep list`.
"""

import json
import re
import subprocess

from links import ROOT

FACTS = """Values are combined in input order, in the
[combine tree](../../contracts.md#2-same-bits): the same input gives the same bits with any number
of threads, from a file or a pipe.
"""


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def commands(tool):
    """The names of the commands."""
    listed = re.search(r"^Commands:\n(.*?)^\n", output(tool, "--help"), re.S | re.M)[1]
    return re.findall(r"^  ([\w-]+)", listed, re.M)


def options(text, titles):
    """The usage line, and (group, [(option, meaning)]), from the text that --help prints."""
    behind = text[text.index("\nUsage: ") + 1 :].splitlines()
    found = []
    for at, line in enumerate(behind[1:], 2):
        if line.endswith(":") and not line.startswith(" "):
            if line[:-1] in titles and not re.match(r"  --?\w", behind[at]):
                break
            found.append((line[:-1], []))
        elif (
            row := re.match(r"  (\S.*?)(?:  +(.*))?$", line) if not line.startswith("   ") else None
        ):
            found[-1][1].append([row[1], row[2] or ""])
        elif line.strip():
            found[-1][1][-1][1] += " " + line.strip()
    return behind[0].removeprefix("Usage: "), [g for g in found if g[0] != "Commands"]


def table(rows):
    """Options and what they do."""
    return "".join(f"`{name}`\n: {meaning.strip()}\n\n" for name, meaning in rows)


def described(name, text):
    """The page of a command."""
    markdown = (ROOT / "cli" / "help" / f"{name}.md").read_text()
    sentence, _, rest = markdown.partition("\n")
    titles = re.findall(r"^## (.*)", rest, re.M)
    usage, groups = options(text, titles)
    examples, *others = re.split(r"^(?=## )", rest.strip() + "\n", flags=re.M)[1:]
    rest = re.sub(r"^ {4}(?=\S)", "    ", "".join(others), flags=re.M)
    page = f"# upsweep {name}\n\n{sentence}.\n\n```text\n{usage}\n```\n\n{fenced(examples)}\n"
    for group, rows in groups:
        page += f"## {group}\n\n{escaped(table(rows))}"
    return page + fenced(rest)


def escaped(text):
    return re.sub(r"(?<!`)<", r"\\<", text)


def fenced(markdown):
    """Code that is indented by four as a block of the shell."""
    out, code = [], []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("    "):
            code.append(line[4:])
        elif code and not line.strip():
            code.append("")
        else:
            out += block(code)
            code = []
            out.append(line)
    return "\n".join([*out, *block(code)]) + "\n"


def block(code):
    if not code:
        return []
    lines = "\n".join(code).rstrip().splitlines()
    is_call = any(line.startswith(("upsweep", "#")) for line in lines)
    session = any(line.startswith("$ ") for line in lines)
    language = "console" if session else "sh" if is_call else "text"
    return [f"```{language}", *lines, "```", ""]


def operators(tool):
    """The page of the operators."""
    text = f"# Operators of the tool\n\nFor `--op` of `reduce`, `scan` and others. {FACTS}\n"
    for row in json.loads(output(tool, "list", "operators", "--json"))["operators"]:
        facts = [(k, row[k]) for k in ("takes", "identity", "accumulator", "exact") if k in row]
        if "commutative" in row:
            facts.append(("commutative", "yes" if row["commutative"] else "no"))
        if row.get("example"):
            example = row["example"]
            facts.append(("example", f"`{example['values']}` gives `{example['result']}`"))
        text += f"## {row['name']}\n\n`--op {row['usage']}`: {row['meaning']}\n\n"
        text += "| | |\n| :-- | :-- |\n" + "".join(f"| {a} | {b} |\n" for a, b in facts) + "\n"
    return text


def index(names):
    """The page above the commands."""
    markdown = (ROOT / "cli" / "help" / "upsweep.md").read_text()
    first, _, rest = markdown.partition("\n")
    rows = "".join(
        f"| [{n}]({n}.md) | {(ROOT / 'cli' / 'help' / f'{n}.md').read_text().splitlines()[0]} |\n"
        for n in names
    )
    return (
        f"# The tool\n\n{first}. [Tables in a shell](../../tables.md) shows what it is for.\n\n"
        f"| command | |\n| :-- | :-- |\n{rows}\nOperators have [a page](operators.md).\n\n"
        f"{fenced(rest)}"
    )


def pages(tool):
    """(name of the page, text, name of the command)."""
    names = commands(tool)
    yield "reference/tool/index", index(names), "upsweep"
    yield "reference/tool/operators", operators(tool), "operators"
    for name in names:
        text = output(tool, name, "--help")
        yield f"reference/tool/{name}", described(name, text), name
