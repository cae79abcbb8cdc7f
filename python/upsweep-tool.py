#!python
"""The command `upsweep` of a wheel that brings the tool: runs it."""

import os
import sys

import upsweep

tool = os.path.join(upsweep.__path__[0], "tool/bin/upsweep")
os.execv(tool, [tool, *sys.argv[1:]])
