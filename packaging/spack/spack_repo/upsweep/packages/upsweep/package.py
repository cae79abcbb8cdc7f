"""The recipe for Spack 1.0 or newer: the library, and as a variant the tool."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

# The sources are a checkout of the clone that this file is in, since releases have no address yet.
CLONE = Path(__file__).resolve().parents[5]


class Upsweep(CMakePackage):
    """Reductions and prefix scans with any associative operator, and the same bits everywhere."""

    git = f"file://{CLONE}"

    license("Apache-2.0", checked_by="the authors")

    version("main", branch="main")

    variant("shared", default=False, description="Build a shared library")
    variant("tool", default=False, description="Build the command-line tool")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("highway@1.0.3:")
    with when("+tool"):
        depends_on("cli11")
        depends_on("fast-float")
        depends_on("fmt")
        depends_on("nlohmann-json")
        depends_on("re2")
        depends_on("zlib-api")
        depends_on("zstd")

    conflicts("%gcc@:11", msg="upsweep needs C++20: g++ 12 or newer")
    conflicts("%clang@:15", msg="upsweep is compiled by clang 16 or newer")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("UPSWEEP_BUILD_CLI", "tool"),
            self.define("UPSWEEP_LAB", False),
            self.define("UPSWEEP_BENCH_PEERS", False),
            self.define("UPSWEEP_ARROW", False),
            self.define("UPSWEEP_BUILD_TESTS", False),
            self.define("UPSWEEP_BUILD_EXAMPLES", False),
        ]
