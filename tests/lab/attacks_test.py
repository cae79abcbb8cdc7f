"""What another user puts where compiled programs are kept is not executed. As root the other user
is uid 65534; some tests need no other user."""

import glob
import json
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from support import TOOL, ToolTest

OTHER = 65534  # "nobody"
PROGRAM = '#include <cstdio>\n#include "h.h"\n__global__ void k() {}\nint main() { puts(WORD); }\n'
as_root = unittest.skipUnless(os.geteuid() == 0, "only root can act as another user")


def setUpModule():
    """A cache that is filled once; each test gets a copy."""
    global filled
    filled = tempfile.TemporaryDirectory()


def tearDownModule():
    filled.cleanup()


def supported():
    done = subprocess.run([TOOL, "run", "no-such-file.cu"], capture_output=True, text=True)
    return done.returncode != 5


def give(path):
    """`path` and what is in it belong to the other user."""
    for folder, _, files in os.walk(path):
        for name in [folder] + [os.path.join(folder, f) for f in files]:
            os.chown(name, OTHER, OTHER, follow_symlinks=False)


class AttackTest(ToolTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.path, 0o755)
        self.source = os.path.join(filled.name, "source")  # its path is part of a module's name
        if not os.path.isdir(self.source):
            self.fill()
        self.word("honest")
        self.home = os.path.join(self.path, "home")
        self.cache = os.path.join(self.home, "upsweep")
        shutil.copytree(os.path.join(filled.name, "upsweep"), self.cache)
        (self.module,) = [
            m for m in self.modules() if os.path.basename(m) != os.path.basename(self.evil)
        ]

    def fill(self):
        os.mkdir(self.source)
        with open(os.path.join(self.source, "a.cu"), "w") as f:
            f.write(PROGRAM)
        with open(os.path.join(self.source, "evil.cu"), "w") as f:
            f.write(PROGRAM.replace("WORD", '"planted"'))
        self.word("honest")
        self.go(filled.name, program="evil.cu")
        (AttackTest.evil,) = glob.glob(os.path.join(filled.name, "upsweep", "*.so"))
        self.go(filled.name)

    def word(self, word):
        with open(os.path.join(self.source, "h.h"), "w") as f:
            f.write(f'#define WORD "{word}"\n')

    def modules(self):
        return sorted(glob.glob(os.path.join(self.cache, "*.so")))

    def go(self, home=None, program="a.cu", umask=0o022, **more):
        """What the program printed; messages are in self.errors."""
        done = subprocess.run(
            [TOOL, "run", "--json", program],
            capture_output=True,
            text=True,
            cwd=self.source,
            env={**os.environ, "XDG_CACHE_HOME": home or self.home, **more},
            preexec_fn=lambda: os.umask(umask),
        )
        self.errors = done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def plant(self):
        """The other user's module, with the user's list of what the module depends on."""
        os.remove(self.module)
        shutil.copy(self.evil, self.module)

    def test_a_planted_module_would_run_if_it_were_ours(self):
        """The other tests show something only if this holds."""
        self.plant()
        record = self.module[:-3] + ".txt"
        with open(record) as f:
            text = f.read().split("\n", 1)[1]
        with open(record, "w") as f:
            f.write(f"upsweep module {os.path.getsize(self.module)}\n{text}")
        os.chmod(self.module, 0o700)
        self.assertIn("planted", self.go())

    @as_root
    def test_a_folder_of_another_user_is_not_used(self):
        self.plant()
        give(self.cache)
        before = sorted(os.listdir(self.cache))
        self.assertIn("honest", self.go())
        self.assertNotIn("planted", self.errors)
        self.assertIn(f"'{self.cache}' belongs to another user (uid {OTHER})", self.errors)
        self.assertEqual(sorted(os.listdir(self.cache)), before)

    @as_root
    def test_nothing_is_created_in_the_home_of_another_user(self):
        home = os.path.join(self.path, "other")
        os.mkdir(home)
        give(home)
        self.assertIn("honest", self.go(home))
        self.assertIn(f"'{home}' belongs to another user", self.errors)
        self.assertEqual(os.listdir(home), [])

    @as_root
    def test_a_temporary_folder_of_another_user_is_not_used_either(self):
        temporary = os.path.join(self.path, "temporary")
        os.mkdir(temporary)
        give(temporary)
        os.chmod(self.cache, 0o777)
        before = os.stat(temporary).st_mtime_ns
        self.assertIn("honest", self.go(TMPDIR=temporary))
        self.assertEqual(os.stat(temporary).st_mtime_ns, before)

    @as_root
    def test_a_module_of_another_user_in_our_folder_is_compiled_again(self):
        self.plant()
        os.chown(self.module, OTHER, OTHER)
        self.assertEqual(self.go(), "honest\n")
        self.assertEqual(os.stat(self.module).st_uid, os.geteuid())

    @as_root
    def test_a_compiled_header_of_another_user_is_made_again(self):
        os.remove(self.module)
        (headers,) = glob.glob(os.path.join(self.cache, "headers-*"))
        os.remove(os.path.join(headers, "upsweep_cuda.h.gch"))
        with open(os.path.join(headers, "upsweep_cuda.h"), "a") as f:
            f.write('#include <cstdio>\ninline int x = puts("planted");\n')
        give(headers)
        self.assertEqual(self.go(), "honest\n")

    def test_a_folder_that_others_can_write_is_not_used(self):
        self.plant()
        os.chmod(self.cache, 0o777)
        self.assertIn("honest", self.go())
        self.assertNotIn("planted", self.errors)
        self.assertIn(f"others can write in '{self.cache}' (mode 0777)", self.errors)

    def test_a_link_to_a_folder_or_module_is_not_used(self):
        moved = os.path.join(self.path, "moved")
        os.rename(self.cache, moved)
        os.symlink(moved, self.cache)
        self.go()
        self.assertIn(f"'{self.cache}' is a link", self.errors)
        os.remove(self.cache)
        os.rename(moved, self.cache)
        os.remove(self.module)
        os.symlink(self.evil, self.module)
        self.assertEqual(self.go(), "honest\n")
        self.assertFalse(os.path.islink(self.module))

    def test_a_list_of_dependencies_that_is_not_whole_means_compiling_again(self):
        record = self.module[:-3] + ".txt"
        with open(record) as f:
            whole = f.read()
        self.word("changed")
        for text in ("", whole[: whole.index("\n") + 1], whole[:-5], "end\n"):
            with open(record, "w") as f:
                f.write(text)
            self.assertEqual(self.go(), "changed\n", text)
            self.word("honest")
            self.go()
            self.word("changed")

    def test_what_is_kept_is_private_under_any_umask(self):
        home = os.path.join(self.path, "new", "cache")
        self.go(home, umask=0)
        self.go(home, umask=0)
        for path in [os.path.dirname(home), home] + glob.glob(home + "/**", recursive=True):
            mode = stat.S_IMODE(os.stat(path).st_mode)
            self.assertEqual(mode & 0o022, 0, path)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(home, "upsweep")).st_mode), 0o700)


FORGER = """
#include <cstdio>
#include <cstring>
#include <unistd.h>
__global__ void k(int* x) { x[threadIdx.x] = 1; }
int main(int, char** arguments) {
  char line[1000];
  snprintf(line, sizeof line, "\\n%s\\n", arguments[1]);
  for (int fd = 3; fd < 64; ++fd)
    if (write(fd, line, strlen(line)) < 0) continue;
  int* x;
  cudaMalloc(&x, 128);
  k<<<1, 32>>>(x);
  cudaDeviceSynchronize();
}
"""


class ReportTest(ToolTest):
    def test_an_index_in_a_report_that_a_program_forges_is_refused(self):
        self.file("forger.cu", FORGER)

        def traced(blocks=(1, 1, 1), threads=(32, 1, 1), step=(), lane=(), elements=()):
            event = [0, 0, 0, -1, 4, [0] * 16, 1, 0, False, False, False]
            one = {**dict(enumerate(event)), **dict(lane)}
            of = {**dict(enumerate([0, 0, 1, 0, 0, 0, 0, 0, 0])), **dict(step)}
            buffers = [["x", 0, 4, 32, ["int", 4, [["i".encode()[0], 0, 4]], []]]]
            shape = [blocks, threads, [1, 1, 1], 0]
            steps = [[*of.values(), [list(one.values())]]]
            return {"traced": ["k", shape, buffers, [], elements, steps]}

        self.text("trace", "forger.cu", "--", json.dumps(traced()))  # as the emulator writes it
        huge = 1 << 31
        for forged in (
            traced(lane={1: 7}),
            traced(lane={1: -2}),
            traced(lane={0: 32}),
            traced(lane={3: 1}),
            traced(lane={4: 200}),
            traced(step={0: 1}),
            traced(step={1: 1}),
            traced(step={3: 99}),
            traced(blocks=(huge, 1, 1)),
            traced(threads=(32, 1, 0)),
            traced(elements=[["int", 4, [], []]]),
        ):
            self.fails(3, "trace", "forger.cu", "--", json.dumps(forged), says="into the report")


if __name__ == "__main__":
    if not supported():
        raise SystemExit(77)
    unittest.main()
