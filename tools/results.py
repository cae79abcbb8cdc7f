"""How measured results are kept in bench/results: a row a line, so that a change shows as one."""

import json


def text_of(report):
    """The JSON of a report, whose lists of objects have a line for each."""

    def value(v):
        if isinstance(v, list) and v and isinstance(v[0], dict):
            rows = (json.dumps(x, ensure_ascii=False, separators=(",", ":")) for x in v)
            return "[\n  " + ",\n  ".join(rows) + "\n ]"
        return json.dumps(v, ensure_ascii=False)

    lines = (f" {json.dumps(k)}: {value(v)}" for k, v in report.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
