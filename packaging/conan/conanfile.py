"""The recipe for Conan 2: the library, its C interface and its CMake package."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class Upsweep(ConanFile):
    name = "upsweep"
    license = "Apache-2.0"
    description = "Reductions and prefix scans with any associative operator: the same bits"
    topics = ("reduction", "prefix-scan", "reproducibility", "simd", "parallel")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = (self._clone() / "upsweep/core/version.h").read_text()
        self.version = ".".join(re.findall(r"_(?:MAJOR|MINOR|PATCH) (\d+)", text)[:3])

    def _clone(self):
        return Path(self.recipe_folder).resolve().parent.parent

    def export_sources(self):
        # The sources are the clone's, since releases have no address yet.
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "upsweep/*"):
            copy(self, pattern, self._clone(), self.export_sources_folder)

    def requirements(self):
        # A shared library contains Highway; a static one is linked with it.
        self.requires("highway/[>=1.0.3 <2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        # ConanCenter's Highway has other names than Highway's own CMake package.
        dependencies = CMakeDeps(self)
        dependencies.set_property("highway", "cmake_file_name", "hwy")
        for part in ("hwy", "hwy_contrib"):
            dependencies.set_property(f"highway::{part}", "cmake_target_name", f"hwy::{part}")
        dependencies.generate()
        toolchain = CMakeToolchain(self)
        for part in ("BUILD_CLI", "LAB", "BUILD_TESTS", "BUILD_EXAMPLES"):
            toolchain.cache_variables[f"UPSWEEP_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        sources, package = Path(self.source_folder), Path(self.package_folder)
        copy(self, "LICENSE", sources, package / "licenses")
        copy(self, "copyright", sources / "cmake/debian", package / "licenses")
        CMake(self).install(component="dev")
        # Programs get what Conan writes instead, which finds ConanCenter's Highway.
        rmdir(self, package / "lib/cmake")
        rmdir(self, package / "lib/pkgconfig")

    def package_info(self):
        self.cpp_info.libs = ["upsweep"]
        self.cpp_info.requires = ["highway::hwy", "highway::hwy_contrib"]
        self.cpp_info.set_property("cmake_file_name", "upsweep")
        self.cpp_info.set_property("cmake_target_name", "upsweep::upsweep")
        self.cpp_info.set_property("pkg_config_name", "upsweep")
        # As in upsweep/CMakeLists.txt: products are not fused in the user's code either.
        self.cpp_info.cxxflags = ["-ffp-contract=off", "-DUPSWEEP_ROUNDS_PRODUCTS"]
        self.cpp_info.cflags = self.cpp_info.cxxflags
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["m", "pthread"]
            if not self.options.shared:
                self.cpp_info.sharedlinkflags = ["-Wl,--gc-sections"]
                self.cpp_info.exelinkflags = ["-Wl,--gc-sections"]
