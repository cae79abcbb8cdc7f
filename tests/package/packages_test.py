"""The Debian packages of `make deb` satisfy lintian, and each has its licenses. Argument: the build
folder, which is built.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from shutil import which

SOURCE = Path(__file__).resolve().parents[2]
NUMBERS = re.findall(r"_(?:MAJOR|MINOR) (\d+)", (SOURCE / "upsweep/core/version.h").read_text())
COMPATIBLE = ".".join(NUMBERS)  # the part of the version that compatible ones share
SHARED = f"libupsweep{COMPATIBLE}"
PACKAGES = ("upsweep", SHARED, "libupsweep-dev", "upsweep-doc")
INSIDE = ("Upsweep", "Chart.js", "Highway", "CLI11", "JSON", "{fmt}", "fast_float", "libbacktrace")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        output("cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-B", folder.name)
        cls.files = {p.name.split("_")[0]: p for p in Path(folder.name).glob("*.deb")}
        cls.root = Path(folder.name) / "root"  # with what a builder of programs installs
        for package in (SHARED, "libupsweep-dev"):
            output("dpkg-deb", "-x", cls.files[package], cls.root)
        cls.libraries = next(cls.root.glob("usr/lib/**/libupsweep.so")).parent

    def test_are_the_four(self):
        self.assertEqual(set(PACKAGES), set(self.files))

    def test_have_the_notices_of_what_is_inside(self):
        for package, file in self.files.items():
            name = f"./usr/share/doc/{package}/copyright"
            archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE)
            text = subprocess.run(
                ["tar", "-xO", name], stdin=archive.stdout, check=True, capture_output=True
            ).stdout.decode()
            archive.stdout.close()
            archive.wait()
            self.assertEqual([], [word for word in INSIDE if word not in text], package)

    def test_of_the_tool_has_no_peers_and_no_objects(self):
        listed = output("dpkg-deb", "-c", self.files["upsweep"])
        self.assertIn("./usr/bin/upsweep", listed)
        self.assertNotIn("peers", listed)
        self.assertNotIn(".o\n", listed)

    def test_depend_on_highway_with_its_version(self):
        self.assertRegex(
            output("dpkg-deb", "-f", self.files["libupsweep-dev"], "Depends"),
            r"libhwy-dev \(>= \d",
        )
        self.assertRegex(
            output("dpkg-deb", "-f", self.files["upsweep"], "Depends"), r"libhwy1 \(>= \d"
        )

    def test_are_of_the_same_version_and_have_a_soname_of_their_own(self):
        of_dev = output("dpkg-deb", "-f", self.files["libupsweep-dev"], "Depends")
        version = output("dpkg-deb", "-f", self.files[SHARED], "Version").strip()
        self.assertIn(f"{SHARED} (= {version})", of_dev)
        header = output("readelf", "-dW", self.libraries / "libupsweep.so")
        self.assertIn(f"[libupsweep.so.{COMPATIBLE}]", header)
        control = self.root.parent / "control"
        output("dpkg-deb", "-e", self.files[SHARED], control)
        shlibs = (control / "shlibs").read_text().split()
        self.assertEqual(shlibs[:3], ["libupsweep", COMPATIBLE, SHARED])
        self.assertIn("ldconfig", (control / "triggers").read_text())
        listed = output("dpkg-deb", "-c", self.files[SHARED])
        self.assertRegex(
            listed, rf"/libupsweep\.so\.{COMPATIBLE} -> libupsweep\.so\.{COMPATIBLE}\.\d+\n"
        )
        self.assertNotRegex(listed, r"/libupsweep\.(so|a)( |\n)")
        self.assertNotIn("include", listed)

    def test_export_the_interface_with_its_version_alone(self):
        library = self.libraries / "libupsweep.so"
        symbols = output("nm", "-D", "--defined-only", library).split("\n")
        names = [line.split()[2] for line in symbols if line and " A " not in line]
        self.assertGreater(len(names), 40)
        self.assertEqual({name.partition("@@")[2] for name in names}, {f"UPSWEEP_{COMPATIBLE}"})
        inside = re.compile(r"upsweep_\w+|_ZNK?7upsweep\w+|_ZT.N7upsweep\w+")
        plain = [name.partition("@@")[0] for name in names]
        self.assertEqual([name for name in plain if not inside.fullmatch(name)], [])

    def test_build_programs_of_c_alone(self):
        """With pkg-config, which takes the shared library, and CMake, which has both."""
        environment = {
            **os.environ,
            "PKG_CONFIG_PATH": str(self.libraries / "pkgconfig"),
            "LD_LIBRARY_PATH": str(self.libraries),
        }

        def run(*command):
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
            return done.stdout

        work = self.root.parent / "programs"
        work.mkdir()
        main = SOURCE / "tests/consumer/main.c"
        flags = run("pkg-config", "--cflags", "--libs", "upsweep").split()
        run("cc", main, "-o", work / "main", *flags)
        run(work / "main")
        self.assertIn(f"libupsweep.so.{COMPATIBLE}", run("readelf", "-dW", work / "main"))
        (work / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C)\n"
            f"find_package(upsweep {COMPATIBLE} REQUIRED)\n"
            "foreach(library upsweep shared)\n"
            f"  add_executable(with_${{library}} {main})\n"
            "  target_link_libraries(with_${library} PRIVATE upsweep::${library})\n"
            "endforeach()\n"
        )
        built = work / "build"
        run("cmake", "-S", work, "-B", built, f"-DCMAKE_PREFIX_PATH={self.root / 'usr'}")
        run("cmake", "--build", built)
        for name, is_shared in (("with_upsweep", False), ("with_shared", True)):
            run(built / name)
            needed = run("readelf", "-dW", built / name)
            self.assertEqual(f"libupsweep.so.{COMPATIBLE}" in needed, is_shared, name)

    def test_go_where_debian_has_libraries(self):
        """make deb configures for /usr, where CMake's folder of libraries has the triplet."""
        dry = output("make", "-C", SOURCE, "-n", "deb")
        self.assertRegex(dry, r"-DCMAKE_INSTALL_PREFIX=/usr( |$)")
        built = self.root.parent / "configured"
        options = [f"-DUPSWEEP_BUILD_{part}=OFF" for part in ("CLI", "TESTS", "EXAMPLES")]
        output("cmake", "-S", SOURCE, "-B", built, "-DCMAKE_INSTALL_PREFIX=/usr", *options)
        triplet = output("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
        rules = (built / "cmake_install.cmake").read_text()
        self.assertIn(f"/lib/{triplet}/libupsweep.so.{COMPATIBLE}", rules)
        self.assertIn(f'/lib/{triplet}" TYPE STATIC_LIBRARY', rules)
        self.assertIn(f'/lib/{triplet}/pkgconfig" TYPE FILE', rules)
        self.assertNotRegex(rules, r'/lib/(libupsweep|pkgconfig|cmake)|/lib" TYPE')

    @unittest.skipUnless(which("lintian"), "lintian is not installed")
    def test_have_no_error_or_warning_of_lintian(self):
        command = ["lintian", "--allow-root", "--fail-on", "error,warning", *self.files.values()]
        found = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(0, found.returncode, found.stdout)


if __name__ == "__main__":
    BUILD = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
