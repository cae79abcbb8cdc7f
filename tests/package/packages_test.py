"""The Debian packages of `make deb` satisfy lintian, and each has its licenses. Argument: the build
folder, which is built.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from shutil import which

PACKAGES = ("upsweep", "libupsweep-dev", "upsweep-doc")
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

    def test_are_the_three(self):
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

    @unittest.skipUnless(which("lintian"), "lintian is not installed")
    def test_have_no_error_of_lintian(self):
        command = ["lintian", "--allow-root", "--fail-on", "error", *self.files.values()]
        found = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(0, found.returncode, found.stdout)


if __name__ == "__main__":
    BUILD = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
