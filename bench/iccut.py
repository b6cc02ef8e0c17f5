#!/usr/bin/env python3
"""iccut.py: the table of one program, from what bench/iccut left: WORK TARGET BRANCHES CLEAN CONFIGURATION..."""
import glob
import json
import os
import re
import subprocess
import sys

work, target, branches, clean, *configurations = sys.argv[1:]
OUTCOMES = ("exhausted", "summarised", "outputs", "constrained", "out_of_time")


def cpu_at(at, milliseconds):
	"""CPU seconds used when so much time had passed on the clock: the lines of budget's log are WALL CPU."""
	cpu = 0.0
	for line in open(at + "/muster.times"):
		words = line.split()
		if len(words) >= 2 and float(words[0]) * 1000 <= milliseconds:
			cpu = float(words[1])
	return cpu


def files_of(at):
	"""The files of queue/ with the CPU seconds at which they were found, in that order."""
	found = []
	for path in glob.glob(at + "/muster/queue/*"):
		time = re.search(r",time:(\d+)", path)
		found.append((cpu_at(at, int(time.group(1)) if time else 0), path))
	return sorted(found)


def covered(paths):
	out = subprocess.run([branches, clean], input="\n".join(paths) + "\n", capture_output=True, text=True).stdout
	return int(out.split()[0]) if out else 0


def reaches(at, goal):
	"""CPU seconds until so many outcomes were covered, by bisection over the files; None: never."""
	files = files_of(at)
	if not files or covered([p for _, p in files]) < goal:
		return None
	low, high = 1, len(files)
	while low < high:
		middle = (low + high) // 2
		if covered([p for _, p in files[:middle]]) >= goal:
			high = middle
		else:
			low = middle + 1
	return files[low - 1][0]


def bugs_of(report):
	return {(os.path.basename(b.get("file") or "?"), b.get("function"), b.get("kind") or b.get("checker")) for b in report["bugs"] if b.get("confirmed")}


rows = {}
for c in configurations:
	at = f"{work}/{target}.{c}"
	try:
		report = json.load(open(at + "/muster.json"))
		spent = [line.split()[1] for line in open(at + "/muster.log") if line.startswith("budget:")]
		words = open(at + "/covered").read().split()
	except (OSError, ValueError) as e:
		print(f"{target} {c}: not measured: {e}")
		continue
	all_branches = report["branches"]
	rows[c] = dict(at=at, projected=int(words[0]), of=int(words[1]), remaining=all_branches.get("covered", 0) if isinstance(all_branches, dict) else 0, cpu=float(spent[0]), status=report["status"],
		bugs=bugs_of(report), outcomes=[report["stats"]["ic_" + k] for k in OUTCOMES], reused=report["stats"]["ic_reused"], restarts=report["stats"]["ic_restarts"])

goal = rows["generational"]["projected"] if "generational" in rows else None
print(f"{target}: configuration, branch outcomes (of {next(iter(rows.values()))['of'] if rows else 0}; all that is counted), CPU s, end, bugs, functions by outcome ({', '.join(OUTCOMES)}), calls reused, restarts" +
	(f", CPU s until {goal} outcomes, bugs of generational search that are missing" if goal else ""))
for c, r in rows.items():
	line = f"  {c:13} {r['projected']:5} {r['remaining']:6} {r['cpu']:7.1f} {r['status']:12} {len(r['bugs']):2}  {' '.join(f'{n:3}' for n in r['outcomes'])} {r['reused']:6} {r['restarts']:3}"
	if goal:
		when = reaches(r["at"], goal)
		missing = len(rows["generational"]["bugs"] - r["bugs"])
		line += f"  {'never' if when is None else f'{when:.1f}':>6} {missing:2}"
	print(line)
