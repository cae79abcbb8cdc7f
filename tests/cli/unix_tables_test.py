"""Tables as programs of Unix print them, as whole rows: ragged last columns, names and fields with
blanks, empty fields, titles. Expected values are counted in the tables by hand.
"""

import re
import unittest

from support import ToolTest

PS = """\
USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root         1  0.1  0.0 168140 11484 ?        Ss   Nov27   0:04 /sbin/init splash
root         2  0.0  0.0      0     0 ?        S    Nov27   0:00 [kthreadd]
systemd+   402  0.0  0.0  89356  6528 ?        Ssl  Nov27   0:01 /lib/systemd/systemd-timesyncd
ann      90210 99.0  1.2 1234567890 98304 pts/0 R+  09:15  12:00 python3 a.py  --name "x y"
"""
PS_EF = """\
UID          PID    PPID  C STIME TTY          TIME CMD
root           1       0  0 Nov27 ?        00:00:04 /sbin/init splash
ann        90210   90001 99 09:15 pts/0    00:12:00 python3 a.py --all
"""
PS_STARTED = """\
    PID                  STARTED CMD
      1 Fri Nov 28 01:38:29 2025 /sbin/init splash
      2 Fri Nov 28 01:38:29 2025 [kthreadd]
  90210 Fri Nov 28 09:15:00 2025 python3 a.py
"""
DF = """\
Filesystem     1K-blocks     Used Available Use% Mounted on
udev             8117324        0   8117324   0% /dev
/dev/nvme0n1p2 491134192 98765432 367346936  22% /
tmpfs            8145088      128   8144960   1% /dev/shm
"""
LS = """\
total 24
drwxr-xr-x 2 ann ann 4096 Nov  9 10:00 bin
-rw-r--r-- 1 ann ann  512 Nov 28 01:38 a file.txt
lrwxrwxrwx 1 bob bob    7 May 20  2025 lib -> usr/lib
"""
MEMINFO = """\
MemTotal:       16384000 kB
MemFree:         1024000 kB
HugePages_Total:       5
Hugepagesize:       2048 kB
"""
DOCKER = """\
CONTAINER ID   IMAGE          COMMAND        CREATED        STATUS                 PORTS   NAMES
4c01db0b339c   ubuntu:22.04   "bash"         17 hours ago   Up 16 hours                    webapp
9f8e7d6c5b4a   nginx:latest   "/docker-en…"  2 hours ago    Exited (0) 5 hours ago         web
"""
IMAGES = """\
REPOSITORY   TAG       IMAGE ID       CREATED        SIZE
ubuntu       22.04     9f8e7d6c5b4a   2 weeks ago    77.8MB
redis        latest    7614ae9453d1   3 months ago   113MB
"""
PODS = """\
NAMESPACE     NAME                       READY   STATUS             RESTARTS      AGE
kube-system   coredns-5d78c9869d-abcde   1/1     Running            0             12d
kube-system   etcd-minikube              1/1     Running            3 (5m ago)    12d
default       web-7c5ddbdf54-x2b4q       0/1     CrashLoopBackOff   17 (2m ago)   65m
"""
PODS_WIDE = """\
NAME    READY   STATUS    RESTARTS      AGE   IP           NODE   NOMINATED NODE   READINESS
web-1   1/1     Running   0             65m   10.244.0.7   mini   <none>           <none>
web-2   1/1     Running   4 (30s ago)   65m   10.244.0.8   mini   <none>           <none>
"""
FREE = """\
               total        used        free      shared  buff/cache   available
Mem:        16384000     7798880     1024000        8788     7006348     7903904
Swap:        2097148           0     2097148
"""
NETSTAT = """\
Active Internet connections (w/o servers)
Proto Recv-Q Send-Q Local Address           Foreign Address         State
tcp        0      0 192.0.2.2:39276         203.0.113.80:80         TIME_WAIT
tcp        0     36 192.0.2.2:22            203.0.113.9:51234       ESTABLISHED
"""
LSOF = """\
COMMAND     PID   TID TASKCMD       USER   FD   TYPE DEVICE  SIZE/OFF       NODE NAME
systemd       1                     root  cwd    DIR  254,1      4096          2 /
rsyslogd    612   618 in:imuxso   syslog  cwd    DIR  254,1      4096          2 /
sshd        701                     root NOFD                                    /proc/701/fd
"""
LSOF_PLAIN = """\
COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF     NODE NAME
bash    2904  ann  cwd    DIR  254,0     4096  5308595 /home/ann
bash    2904  ann  txt    REG  254,0  1265648   247101 /usr/bin/bash
ssh     2905  ann    3u  IPv4  40117      0t0      TCP a:50022->b:22 (ESTABLISHED)
"""
UNITS = """\
  UNIT            LOAD   ACTIVE SUB     DESCRIPTION
  cron.service    loaded active running Regular background program processing daemon
● nginx.service   loaded failed failed  A high performance web server
"""
# Names by hand above numbers of a fixed width are not aligned with them.
NUMBERS = """\
time   velocity   pressure
     0.000     1.250   101.300
     0.100     1.350   101.200
    10.100    21.350  1001.200
"""


class UnixTables(ToolTest):
    def counts(self, table, column, *options):
        text = self.text("reduce", "--by", column, "--op", "count", *options, stdin=table)
        lines = [line.split("\t") for line in text.splitlines()]
        return {key: int(count) for key, count in lines if count != "count"}

    def shifted(self, table, *args, says):
        self.fails(3, *args, stdin=table, says=[*says, "sed -E 's/ {2,}/\\t/g'", "--from tsv"])

    def test_the_last_column_takes_the_rest_of_the_line(self):
        self.assertEqual(self.text("reduce", "--op", "sum:RSS", stdin=PS), "116316\n")
        got = self.text("sort", "-c", "RSS", "--top", "1", "--to", "csv", stdin=PS).splitlines()
        self.assertTrue(got[1].endswith('12:00,"python3 a.py  --name ""x y"""'), got)
        got = self.text("select", "--where", 'COMMAND ~ "init"', "-c", "PID", stdin=PS)
        self.assertEqual(got, "PID\n1\n")
        self.assertEqual(
            self.counts(PS_EF, "CMD"), {"/sbin/init splash": 1, "python3 a.py --all": 1}
        )
        self.assertEqual(self.text("reduce", "--op", "max:C", stdin=PS_EF), "99\n")
        got = self.text("reduce", "--by", "NAME", "--op", "sum:PID", stdin=LSOF_PLAIN)
        self.assertIn("a:50022->b:22 (ESTABLISHED)\t2905\n", got)
        self.assertEqual(self.counts(LSOF_PLAIN, "TYPE"), {"DIR": 1, "REG": 1, "IPv4": 1})

    def test_names_with_blanks_at_the_end(self):
        self.assertEqual(self.text("reduce", "--op", "sum:Used", stdin=DF), "98765560\n")
        self.assertEqual(self.counts(DF, "Mounted"), {"/dev": 1, "/": 1, "/dev/shm": 1})
        self.fails(3, "sort", "-c", "Used", stdin=DF, says=["--column", "sed '1s/Mounted on/"])
        joined = DF.replace("Mounted on", "Mounted_on")
        got = self.text("sort", "-c", "Used", "--top", "1", stdin=joined).splitlines()[1]
        self.assertEqual(got.split("\t")[5], "/")

    def test_titles_are_named(self):
        self.file("ls.txt", LS)
        for args in (["reduce", "-c", "5"], ["sort", "-c", "5"], ["reduce", "--by", "3"]):
            ops = ["--op", "count"] if "--by" in args else []
            self.fails(2, *args, *ops, "ls.txt", says=["Line 2 has 9 fields", "tail -n +2"])
        rest = LS.split("\n", 1)[1]
        self.assertEqual(self.text("reduce", "-c", "5", stdin=rest), "4615\n")
        self.assertEqual(self.counts(rest, "3"), {"ann": 2, "bob": 1})
        self.fails(3, "sort", "-c", "5", stdin=rest, says=["10 fields", "--column"])
        self.fails(2, "reduce", "--by", "State", stdin=NETSTAT, says="tail -n +2")
        csv = "Report of May\n\nname,n\na,5\nb,6\n"
        self.file("r.csv", csv)
        self.fails(2, "reduce", "--op", "sum:n", "r.csv", says=["tail -n +3 FILE"])
        self.assertEqual(self.text("reduce", "--op", "sum:n", stdin="name,n\na,5\nb,6\n"), "11\n")
        self.file("n.csv", "name,n\na,5\nb,6,7\n")  # one field more is no title's doing
        self.fails(2, "reduce", "--op", "sum:z", "n.csv", says="no column 'z'")
        self.assertNotIn("tail", self.errors)
        self.file("far.csv", "t\n" * 6 + "a,b,c\n")
        self.fails(2, "reduce", "--op", "sum:z", "far.csv", says="no column 'z'")
        self.assertNotIn("tail", self.errors)

    def test_rows_of_two_widths(self):
        self.assertEqual(self.text("reduce", "-c", "2", "--op", "max", stdin=MEMINFO), "16384000\n")
        self.fails(3, "sort", "-c", "2", stdin=MEMINFO, says=[":3:1: ", "--column"])
        self.fails(3, "reduce", "--op", "sum:used", stdin=FREE, says="sed '1s/^/row /'")
        named = FREE.replace("   ", "row", 1)
        self.assertEqual(self.text("reduce", "--op", "sum:used", stdin=named), "7798880\n")

    def test_fields_with_blanks_shift_those_after_them(self):
        self.shifted(PODS, "reduce", "--by", "AGE", "--op", "count", says=[":3:1: '12d'", "'AGE'"])
        self.shifted(PODS, "select", "--where", "RESTARTS > 2", says=["'12d' is below 'AGE'"])
        self.assertEqual(self.counts(PODS, "STATUS"), {"Running": 2, "CrashLoopBackOff": 1})
        got = self.text("reduce", "--by", "1", "--op", "sum:RESTARTS", stdin=PODS)
        self.assertEqual(got, "kube-system\t3\ndefault\t17\n")
        tabs = re.sub(" {2,}", "\t", PODS)
        self.assertEqual(self.counts(tabs, "AGE", "--from", "tsv"), {"12d": 2, "65m": 1})
        for column in ("AGE", "IP", "7", "8"):
            self.shifted(PODS_WIDE, "reduce", "--by", column, "--op", "count", says=["'65m'"])
        self.assertEqual(self.counts(PODS_WIDE, "READY"), {"1/1": 2})
        self.shifted(PS_STARTED, "reduce", "--by", "CMD", "--op", "count", says=["'/sbin/init'"])
        self.assertEqual(self.text("reduce", "--op", "max:PID", stdin=PS_STARTED), "90210\n")
        self.shifted(UNITS, "reduce", "--by", "SUB", "--op", "count", says=["'nginx.service'"])

    def test_names_with_blanks_shift_the_fields(self):
        for column in ("IMAGE", "STATUS", "NAMES", "2"):
            by = ["reduce", "--from", "text", "--by", column, "--op", "count"]
            self.shifted(DOCKER, *by, says=["'ubuntu:22.04'"])
        asked = ["select", "--where", 'IMAGE ~ "nginx"', "--from", "text"]
        self.shifted(DOCKER, *asked, says=["below 'IMAGE'"])
        self.shifted(IMAGES, "reduce", "--by", "SIZE", "--op", "count", says=["below 'CREATED'"])
        self.assertEqual(self.counts(IMAGES, "REPOSITORY"), {"ubuntu": 1, "redis": 1})
        tabs = re.sub(" {2,}", "\t", IMAGES)
        self.assertEqual(self.counts(tabs, "TAG", "--from", "tsv"), {"22.04": 1, "latest": 1})

    def test_empty_fields_shift_those_after_them(self):
        self.shifted(LSOF, "reduce", "--by", "TYPE", "--op", "count", says=["below 'USER'"])
        self.assertEqual(self.counts(LSOF, "COMMAND"), {"systemd": 1, "rsyslogd": 1, "sshd": 1})

    def test_tables_that_are_not_aligned_are_read(self):
        self.assertEqual(self.text("reduce", "--op", "sum:pressure", stdin=NUMBERS), "1203.7\n")
        one = "USER PID COMMAND\nann 5 ab x.py\nbob 70 sh\n"  # x.py is below COMMAND by accident
        self.assertEqual(self.counts(one, "COMMAND"), {"ab x.py": 1, "sh": 1})
        several = one + "bob 7 a b c\n"
        self.assertEqual(self.counts(several, "COMMAND"), {"ab x.py": 1, "sh": 1, "a b c": 1})
        tabs = "a\tb\tc\n1\t\t2\n"  # white space has no empty fields; tabs align nothing
        self.fails(3, "reduce", "--op", "sum:c", "--from", "text", stdin=tabs, says="column 3")
        hand = "a    b    c\n10.5      3    4\n"  # 3 is below c, but no field lacks
        self.assertEqual(self.text("reduce", "--op", "sum:b", "--from", "text", stdin=hand), "3\n")
        commented = "a    b    c\n# x      y\n1    2    3\n"
        self.assertEqual(self.text("reduce", "--op", "sum:c", stdin=commented), "3\n")


if __name__ == "__main__":
    unittest.main()
