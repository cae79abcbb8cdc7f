"""How results are kept in bench/results: JSON and tables, long ones compressed by bzip2."""

import bz2
import json
from pathlib import Path


def text_of(report):
    """The JSON of a report, whose lists of objects have a line for each."""

    def value(v):
        if isinstance(v, list) and v and isinstance(v[0], dict):
            rows = (json.dumps(x, ensure_ascii=False, separators=(",", ":")) for x in v)
            return "[\n  " + ",\n  ".join(rows) + "\n ]"
        return json.dumps(v, ensure_ascii=False)

    lines = (f" {json.dumps(k)}: {value(v)}" for k, v in report.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def stored(path):
    """The text of a file, compressed or not."""
    content = Path(path).read_bytes()
    return (bz2.decompress(content) if Path(path).suffix == ".bz2" else content).decode()


def load(path):
    """The report of a file."""
    return json.loads(stored(path))


def runs(folder):
    """(name, path) of the runs that a folder keeps; the name has no suffix."""
    return [(path.name.split(".json")[0], path) for path in sorted(folder.glob("*.json*"))]


def keep(path, folder, name):
    """Stores the run of a file as `name` in the folder, compressed."""
    folder.mkdir(parents=True, exist_ok=True)
    text = text_of(load(path))
    (folder / f"{name}.json.bz2").write_bytes(bz2.compress(text.encode()))
