"""What another user puts where results are written is not followed, replaced or opened, and a file
that is replaced keeps its owner and permissions. As root the other user is uid 65534."""

import itertools
import os
import stat
import struct
import subprocess
import threading
import time
import unittest

from support import TOOL, ToolTest

OTHER = 65534  # "nobody"
as_root = unittest.skipUnless(os.geteuid() == 0, "only root can act as another user")


def as_other(action):
    """Calls action() in a process of the other user."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            action()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def run_as_other(*words, cwd, stdin=""):
    return subprocess.run(
        [TOOL, *words],
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        user=OTHER,
        group=OTHER,
        extra_groups=[],
    )


def other_can_run_the_tool():
    try:
        return run_as_other("--version", cwd="/").returncode == 0
    except OSError:
        return False


class Common(ToolTest):
    """In a folder as /tmp is."""

    def setUp(self):
        super().setUp()
        os.chmod(self.path, 0o755)
        self.common = self.place("common")
        os.mkdir(self.common)
        os.chmod(self.common, 0o1777)

    def place(self, *parts):
        return os.path.join(self.path, *parts)

    def refuses(self, *what):
        """`reduce -o common/out` ends with status 4, with and without --force."""
        for force in ([], ["--force"]):
            self.fails(4, "reduce", "-", "-o", "common/out", *force, stdin="1\n", says=what)
        names = [n for n in os.listdir(self.common) if n.endswith(".part")]
        self.assertEqual(names, [])

    @as_root
    def test_a_link_of_another_user_is_not_followed(self):
        self.file("secret", "secret\n")
        os.chmod(self.place("secret"), 0o600)
        as_other(lambda: os.symlink(self.place("secret"), self.place("common", "out")))
        self.refuses("link 'out'", f"uid {OTHER}")
        as_other(lambda: os.remove(self.place("common", "out")))
        as_other(lambda: os.symlink(self.place("new"), self.place("common", "out")))
        self.refuses("link 'out'")
        self.assertFalse(os.path.exists(self.place("new")))
        self.assertEqual(self.content("secret"), b"secret\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.place("secret")).st_mode), 0o600)

    @as_root
    def test_a_link_of_another_user_behind_an_own_link_is_not_followed(self):
        self.file("secret", "secret\n")
        as_other(lambda: os.symlink(self.place("secret"), self.place("common", "out")))
        os.symlink("common/out", self.place("mine"))
        self.fails(4, "reduce", "-", "-o", "mine", "--force", stdin="1\n", says="link 'out'")
        self.assertEqual(self.content("secret"), b"secret\n")

    @as_root
    def test_a_pipe_of_another_user_is_not_written(self):
        as_other(lambda: os.mkfifo(self.place("common", "out"), 0o666))
        self.refuses("pipe 'out'")

    @as_root
    def test_a_file_of_another_user_in_a_common_folder_is_not_replaced(self):
        def plant():
            os.close(os.open(self.place("common", "out"), os.O_CREAT | os.O_WRONLY, 0o666))

        as_other(plant)
        self.refuses("file 'out'")
        self.assertEqual(os.stat(self.place("common", "out")).st_uid, OTHER)

    def test_own_links_are_followed_there_also_to_what_is_not_there_yet(self):
        os.symlink("../new", self.place("common", "out"))
        self.text("reduce", "-", "-o", "common/out", stdin="1\n2\n")
        self.assertEqual(self.content("new"), b"3\n")
        self.text("reduce", "-", "-o", "common/out", "--force", stdin="1\n4\n")
        self.assertEqual(self.content("new"), b"5\n")
        self.assertTrue(os.path.islink(self.place("common", "out")))

    def test_a_circle_of_links_ends(self):
        os.symlink("b", self.place("a"))
        os.symlink("a", self.place("b"))
        self.fails(4, "reduce", "-", "-o", "a", "--force", stdin="1\n", says="symbolic links")

    @as_root
    @unittest.skipUnless(other_can_run_the_tool(), "the other user cannot run the tool")
    def test_a_file_that_cannot_be_looked_at_is_not_taken_for_none(self):
        os.mkdir(self.place("closed"), 0o700)
        done = run_as_other(
            "reduce", "-", "-o", "closed/out", "--force", cwd=self.path, stdin="1\n"
        )
        self.assertEqual((done.returncode, done.stdout), (4, b""))
        self.assertIn(b"Permission denied", done.stderr)


class Replaced(ToolTest):
    def status(self):
        s = os.stat(os.path.join(self.path, "out"))
        return s.st_uid, s.st_gid, stat.S_IMODE(s.st_mode)

    def replace(self):
        self.text("reduce", "-", "-o", "out", "--force", stdin="1\n2\n")
        self.assertEqual(self.content("out"), b"3\n")

    def test_a_replaced_file_keeps_its_permissions_under_any_umask(self):
        self.file("out", "old\n")
        for mode in (0o600, 0o664, 0o755):
            os.chmod(os.path.join(self.path, "out"), mode)
            self.replace()
            self.assertEqual(self.status()[2], mode)

    @as_root
    def test_root_does_not_take_the_file_of_its_owner(self):
        self.file("out", "old\n")
        os.chown(os.path.join(self.path, "out"), OTHER, 12345)
        os.chmod(os.path.join(self.path, "out"), 0o640)
        self.replace()
        self.assertEqual(self.status(), (OTHER, 12345, 0o640))

    @as_root
    @unittest.skipUnless(other_can_run_the_tool(), "the other user cannot run the tool")
    def test_a_group_that_cannot_be_kept_gives_no_other_group_its_rights(self):
        """The file's group 12345 may write; the group of the user who replaces it may not."""
        self.file("out", "old\n")
        os.chown(self.path, OTHER, OTHER)
        os.chown(os.path.join(self.path, "out"), OTHER, 12345)
        os.chmod(os.path.join(self.path, "out"), 0o664)
        done = run_as_other("reduce", "-", "-o", "out", "--force", cwd=self.path, stdin="1\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.status(), (OTHER, OTHER, 0o644))

    def test_a_replaced_file_keeps_its_access_list_and_attributes(self):
        path = os.path.join(self.path, "out")
        self.file("out", "old\n")
        # Of POSIX: owner rw-, user 1234 r--, group r--, mask r--, others ---
        entries = [(1, 6, 0xFFFFFFFF), (2, 4, 1234), (4, 4, 0xFFFFFFFF), (16, 4, 0xFFFFFFFF)]
        entries += [(32, 0, 0xFFFFFFFF)]
        access = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in entries)
        try:
            os.setxattr(path, "user.note", b"kept")
            os.setxattr(path, "system.posix_acl_access", access)
        except OSError as e:
            self.skipTest(f"the file system of {self.path} has no access lists: {e}")
        self.replace()
        self.assertEqual(os.getxattr(path, "user.note"), b"kept")
        self.assertEqual(os.getxattr(path, "system.posix_acl_access"), access)

    def test_what_replaces_a_private_file_is_private_while_it_is_written(self):
        self.file("out", "old\n")
        os.chmod(os.path.join(self.path, "out"), 0o600)
        process = subprocess.Popen(
            [TOOL, "scan", "-", "-o", "out", "--force"],
            stdin=subprocess.PIPE,
            cwd=self.path,
            preexec_fn=lambda: os.umask(0),
        )
        part = []
        for _ in range(1000):
            part = [n for n in os.listdir(self.path) if n.endswith(".part")]
            if part:
                break
            process.stdin.write(b"1\n")
            process.stdin.flush()
            time.sleep(0.01)
        mode = stat.S_IMODE(os.stat(os.path.join(self.path, part[0])).st_mode)
        process.stdin.close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(mode, 0o600)


class InPlace(ToolTest):
    def test_dev_stdout_is_what_is_open_there(self):
        self.assertEqual(self.text("reduce", "-", "-o", "/dev/stdout", stdin="1\n2\n"), "3\n")
        with open(os.path.join(self.path, "out"), "w") as out:
            out.write("before\n")
            out.flush()
            subprocess.run(
                [TOOL, "reduce", "-", "-o", "/dev/stdout"], input=b"1\n2\n", stdout=out, check=True
            )
        self.assertEqual(self.content("out"), b"before\n3\n")

    def test_a_descriptor_of_the_shell_is_written(self):
        read, write = os.pipe()
        subprocess.run(
            [TOOL, "reduce", "-", "-o", f"/dev/fd/{write}"],
            input=b"1\n2\n",
            pass_fds=[write],
            check=True,
        )
        os.close(write)
        with open(read, "rb") as f:
            self.assertEqual(f.read(), b"3\n")
        self.fails(4, "reduce", "-", "-o", "/dev/fd/77", stdin="1\n", says="/dev/fd/77")

    def test_a_pipe_that_does_not_block_is_written(self):
        """As standard output is where a program of an event loop has set it so."""
        rows = "".join(f"{i}\n" for i in range(200_000))
        read, write = os.pipe()
        os.set_blocking(write, False)
        with subprocess.Popen(
            [TOOL, "scan", "-"], stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE
        ) as tool:
            os.close(write)
            threading.Thread(
                target=lambda: (tool.stdin.write(rows.encode()), tool.stdin.close())
            ).start()
            time.sleep(0.3)  # the pipe is full before anybody reads
            with open(read, "rb") as f:
                got = f.read().split()
            self.assertEqual(tool.stderr.read(), b"")
        self.assertEqual(tool.returncode, 0)
        self.assertEqual([int(v) for v in got], list(itertools.accumulate(range(200_000))))

    def test_a_pipe_of_another_process_is_written(self):
        read, write = os.pipe()
        name = f"/proc/{os.getpid()}/fd"
        self.text("reduce", "-", "-o", f"{name}/{write}", stdin="1\n2\n")
        os.close(write)
        with open(read, "rb") as f:
            self.assertEqual(f.read(), b"3\n")
        with open(os.path.join(self.path, self.file("gone", "kept")), "r+") as gone:
            os.unlink(gone.name)
            self.fails(4, "reduce", "-", "-o", f"{name}/{gone.fileno()}", stdin="1\n",
                       says="has been removed")  # fmt: skip
            other = self.file("gone (deleted)", "other")
            self.fails(4, "reduce", "-", "-o", f"{name}/{gone.fileno()}", stdin="1\n",
                       says="has been removed")  # fmt: skip
            self.assertEqual(gone.read(), "kept")
        self.assertEqual(self.content(other), b"other")

    def test_an_own_pipe_and_dev_null_are_written(self):
        path = os.path.join(self.path, "pipe")
        os.mkfifo(path)
        got = []

        def read():
            with open(path, "rb") as f:
                got.append(f.read())

        reader = threading.Thread(target=read)
        reader.start()
        self.text("reduce", "-", "-o", "pipe", stdin="1\n2\n")
        reader.join()
        self.assertEqual(got, [b"3\n"])
        self.text("reduce", "-", "-o", "/dev/null", stdin="1\n2\n")


if __name__ == "__main__":
    unittest.main()
