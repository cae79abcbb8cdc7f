"""Small files that are kept in one: each begins after a line `// FILE NAME`."""

import hashlib
import os
import re
import tempfile
from pathlib import Path


def files_in(path):
    """name -> text of the small files in a file, or in all CUDA files of a folder and below it. A
    file without such a line is one itself.
    """
    found = {}
    for source in sorted(path.rglob("*.cu")) if path.is_dir() else [path]:
        head, *rest = re.split(r"^// FILE (\S+)\n", source.read_text(), flags=re.MULTILINE)
        given = dict(zip(rest[::2], rest[1::2])) or {source.name: head}
        assert not given.keys() & found.keys(), f"{source}: {given.keys() & found.keys()}"
        found |= given
    return found


def unpacked(path):
    """A folder with these files, which later runs use too: the tool's cache of compiled programs
    identifies them by their paths.
    """
    files = files_in(path)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "upsweep-tests"
    folder = home / hashlib.sha256(repr(files).encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        if not (folder / name).exists():  # several tests may begin at once
            with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as part:
                part.write(text)
            os.replace(part.name, folder / name)
    return folder
