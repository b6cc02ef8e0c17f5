"""partials: what partial and stubs share: both versions of a generated program validated, and R judged by a program that runs the new one."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
muster = os.path.join(os.environ.get("MUSTER_BUILD", os.path.join(top, "build")), "muster")


def options(name, count, more=()):
    usage = "%s [-n FUNCTIONS] [-s SEED]%s [-x] [-v]" % (name, "".join(" [%s %s]" % (m[0], m[1].upper()) for m in more))
    p = argparse.ArgumentParser(usage=usage)
    p.add_argument("-n", type=int, default=count, dest="count")
    p.add_argument("-s", type=int, default=1, dest="seed")
    for flag, dest, default in more:
        p.add_argument(flag, type=int, default=default, dest=dest)
    p.add_argument("-x", action="store_true", dest="spoil")
    p.add_argument("-v", action="store_true", dest="loud")
    return p.parse_args()


def validated(a, d, names):
    """Summaries of old.c in d that are `valid (partial: R)` in new.c: (number of function, summary, R). Those of functions fN only; names gives a regular expression for what R may name. And the counts: all, partial."""
    subprocess.run([muster, "test", "-q", "-j1", "--seed", str(a.seed), "--summaries", "old.c"], cwd=d, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    out = subprocess.run([muster, "validate", "--phase", "3", "--json", "old.c", "new.c"], cwd=d, capture_output=True, text=True)
    if out.returncode not in (0, 1, 3):
        sys.exit("muster validate ended with %d: %s" % (out.returncode, out.stderr))
    summaries, rows = json.loads(out.stdout)["summaries"], []
    for s in summaries:
        m = re.fullmatch(r"valid \(partial: (.*)\)", s["verdict"])
        if a.loud:
            print(s["function"], "|", s["pre"], "|", s["verdict"], "|", s["post"], "|", s["why"])
        if not m or not re.fullmatch(r"f\d+", s["function"]):
            continue
        n = int(s["function"][1:])
        if not all(re.fullmatch(r"u?int\d+_t|cx_\w+|t\d+|" + names(n), w) for w in re.findall(r"\b[A-Za-z_]\w*", m.group(1))):
            sys.exit("%s: R names something else: %s" % (s["function"], m.group(1)))
        rows.append((n, s, m.group(1)))
    return rows, len(summaries), sum(s["partial"] for s in summaries)


def sides(row, r):
    """P, Q and R, and what Q leaves to be compared, over g0 and g1: the variable g before and after the call."""
    keeps = "" if "after(g)" in row["post"] else " || g1 != g0"
    post = row["post"].replace("after(g)", "g1")
    return ["(%s)" % re.sub(r"\bg\b", "g0", x) for x in (row["pre"], post, r)] + [keeps]


def judge(a, names, versions, checker):
    """versions: texts of old.c and new.c. checker(rows): C that runs the new version, prints a line for each summary that is wrong, and ends with 1 then."""
    with tempfile.TemporaryDirectory() as d:
        for name, text in zip(("old.c", "new.c"), versions):
            with open(os.path.join(d, name), "w") as f:
                f.write(text)
        rows, total, partial = validated(a, d, names)
        prologue = os.path.join(d, "p.c")
        with open(prologue, "w") as f:
            f.write("#include <stdio.h>\nextern const char cx_prologue[];\nint main(void) { fputs(cx_prologue, stdout); return 0; }\n")
        subprocess.run(["clang-19", "-I" + top + "/src", "-I" + top + "/include", prologue, top + "/src/expr/prologue.c", "-o", d + "/p"], check=True)
        text = subprocess.run([d + "/p"], capture_output=True, text=True, check=True).stdout
        with open(os.path.join(d, "c.c"), "w") as f:
            f.write(text + checker(rows))
        subprocess.run(["clang-19", "-w", "-O1", d + "/c.c", "-o", d + "/c"], check=True)
        checked = subprocess.run([d + "/c"], capture_output=True, text=True)
        wrong = checked.returncode != 0
        print("%d summaries, %d partial, %d valid (partial: R), %s" % (total, partial, len(rows), "the opposite is wrong for %d" % len(checked.stdout.splitlines()) if a.spoil else "wrong:\n" + checked.stdout if wrong else "0 wrong"))
        sys.exit(not rows or wrong != a.spoil)
