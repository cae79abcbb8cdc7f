"""These tests need PyTorch; `make torch` installs it into an environment of its own. A folder named
torch would be taken for the package.
"""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["*"]
