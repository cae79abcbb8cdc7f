"""An installation has the public headers and those that they include, and no others; uninstalling
removes it. Arguments: the build folder, the compiler.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The headers that programs include directly. Headers for nvcc and MPI have other tests.
PUBLIC = (
    "upsweep.hpp",
    "upsweep.h",
    "anchored_scan.hpp",
    "by_name/run.hpp",
    "by_name/verbs/filters.hpp",
    "by_name/verbs/grouping.hpp",
    "by_name/verbs/histograms.hpp",
    "by_name/verbs/recurrences.hpp",
    "by_name/verbs/segments.hpp",
    "by_name/verbs/selections.hpp",
    "by_name/verbs/sorts.hpp",
    "by_name/verbs/statistics.hpp",
    "ops/drawdown.hpp",
    "ops/laws.hpp",
    "ops/means.hpp",
    "ops/recurrence.hpp",
    "ops/segmented.hpp",
    "ops/sessions.hpp",
    "ops/wide_range.hpp",
    "sort.hpp",
    "order_statistics.hpp",
    "histogram.hpp",
    "run_stream.hpp",
    "partial.hpp",
    "partial/bytes.hpp",
    "ranks.hpp",
    "ranks/loopback.hpp",
    "by_name/verbs/partials.hpp",
    "c_api/axis.h",
    "upsweep_partial.h",
    "c_api/ranks.h",
    *(f"apps/{path.name}" for path in sorted((ROOT / "upsweep" / "apps").glob("*.hpp"))),
    "cuda.hpp",
    "upsweep_cuda.h",
)
SIM = (
    "sim/machine.hpp",
    "sim/operation.hpp",
    "sim/modules/module.hpp",
    "sim/modules/runtime.hpp",
)
NVCC = ("upsweep/cuda/", "upsweep/cuda.cuh", "upsweep/nccl.cuh", "upsweep/simt/device.")
CUDA = (*NVCC, "upsweep/cuda.hpp", "upsweep/upsweep_cuda.h")  # installed with the backend only
MPI = ["upsweep/ranks/mpi.hpp", "upsweep/upsweep_mpi.h"]
EMULATED = ("upsweep/simt/cuda/", "upsweep/simt/check/")


def reached(compiler, folder, headers):
    """The headers in `folder` that the compiler reads for these headers."""
    text = "".join(f"#include <upsweep/{header}>\n" for header in headers)
    rule = subprocess.run(
        [compiler, "-std=c++20", "-M", f"-I{folder}", "-x", "c++", "-"],
        input=text,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    words = rule.replace("\\\n", " ").split()
    return {word[len(f"{folder}/") :] for word in words if word.startswith(f"{folder}/")}


class installation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.prefix = Path(self.folder.name) / "prefix"
        for component in ("dev", "doc"):
            subprocess.run(
                ["cmake", "--install", BUILD, "--component", component, "--prefix", self.prefix],
                check=True,
                capture_output=True,
            )

    def files(self):
        return {path for path in self.prefix.rglob("*") if not path.is_dir()}

    def test_holds_the_headers_that_programs_reach_and_no_other(self):
        include = self.prefix / "include"
        there = {str(p.relative_to(include)) for p in self.files() if p.is_relative_to(include)}
        begin = [header for header in PUBLIC if f"upsweep/{header}" in there]
        if "upsweep/sim/machine.hpp" in there:
            kernels = sorted((ROOT / "upsweep" / "textbook").rglob("*.hpp"))
            begin += [*SIM, *(str(path.relative_to(ROOT / "upsweep")) for path in kernels)]
        self.assertIn("upsweep.hpp", begin)
        wanted = reached(COMPILER, include, begin)
        self.assertEqual(wanted, wanted & there)
        # What CUDA files include is there whole, with its headers that have no extension.
        own = [p for folder in EMULATED for p in (ROOT / folder).rglob("*") if p.is_file()]
        emulated = {str(p.relative_to(ROOT)) for p in own}
        if "upsweep/sim/machine.hpp" not in there:
            emulated = set()
        self.assertEqual(emulated, {h for h in there if h.startswith(EMULATED)})
        others = sorted(there - wanted - emulated)
        self.assertEqual(MPI, [h for h in others if not h.startswith(NVCC)])
        # Every header that is in no room is there, those for CUDA only with its backend.
        alone = {str(p.relative_to(ROOT)) for p in (ROOT / "upsweep").glob("*.*h*")}
        if "upsweep/cuda.hpp" not in there:
            alone = {h for h in alone if not h.startswith(CUDA)}
        self.assertEqual(alone, alone & there)

    def test_is_removed_file_by_file_and_harmlessly_twice(self):
        own = self.prefix / "include" / "upsweep" / "mine.hpp"
        own.touch()
        for component in ("dev", "doc"):
            manifest = f"{BUILD}/install_manifest_{component}.txt"
            command = [ROOT / "tools" / "uninstall.sh", manifest]
            first = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            again = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            listed = Path(manifest).read_text().split()
            self.assertEqual(first.count("removing "), len(listed))
            self.assertEqual(
                again.strip(), f"uninstall: 0 files removed, {len(listed)} already gone"
            )
        self.assertEqual({own}, self.files())
        self.assertFalse((self.prefix / "share" / "doc" / "upsweep").exists())


if __name__ == "__main__":
    BUILD, COMPILER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
