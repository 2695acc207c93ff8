"""Runs the tests that each mutant makes a difference to, until one fails: score.py <folder> <build> [option of ctest]...

The folder has the list of mutants. What has been found out is kept in its file state.json, so a run goes on where another one
has ended. run.sh calls this, and describes the variables of the environment."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

LEAST_SECONDS, TIMES, AT_MOST = 20, 5, 300

folder, build, options = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3:]
jobs = int(os.environ.get("JOBS") or os.cpu_count())
end = time.monotonic() + 60 * float(os.environ.get("MINUTES") or "inf")
lock = threading.Lock()


def mutants():
    """(number, name, file) of each mutant that is asked for."""
    wanted = os.environ.get("MUTANTS", "").split()
    found = [line.split() for line in (folder / "list").read_text(encoding="utf-8").splitlines()]
    unknown = set(wanted) - {name for _, name, _ in found}
    if unknown:
        sys.exit(f"no mutants: {' '.join(sorted(unknown))}")
    return [tuple(each) for each in found if not wanted or each[1] in wanted]


def tests():
    """The numbers of the tests, and their names."""
    shown = subprocess.run(["ctest", "--test-dir", build, "-N", *options], check=True, capture_output=True, text=True).stdout
    return dict(re.findall(r"^ *Test *#(\d+): (.*)$", shown, flags=re.MULTILINE))


def run(test, seconds, **environment):
    """Whether a test passes within that time, and the seconds that it took. The launcher of MPI ends it first (mpirun.sh)."""
    environment = {**os.environ, "MUTANT_SECONDS": str(seconds), **environment}
    environment.setdefault("DAP_TEST_SCALE", "7")
    start = time.monotonic()
    with subprocess.Popen(
        ["ctest", "--test-dir", build, "-I", f"{test},{test}"],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as process:
        for wait, stop in ((seconds + 10, signal.SIGTERM), (10, signal.SIGKILL)):
            try:
                return process.wait(wait) == 0, time.monotonic() - start
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, stop)
    return False, time.monotonic() - start


def save():
    with lock:
        beside = folder / "state.new"
        beside.write_text(json.dumps(state), encoding="utf-8")
        beside.replace(folder / "state.json")


def note(test):
    """Finds the mutants that make a difference to a test."""
    if time.monotonic() > end:
        return
    notes = folder / "notes" / test
    shutil.rmtree(notes, ignore_errors=True)
    notes.mkdir(parents=True)
    passes, seconds = run(test, AT_MOST, DAP_MUTANT_NOTES=str(notes / "mutant"))
    reached = sorted(path.name.partition("-")[2] for path in notes.iterdir())
    with lock:
        state["tests"][names[test]] = {"passes": passes, "seconds": seconds, "reached": reached}
    save()


def score(mutant):
    """Runs the tests that reach a mutant, those of its own layer first and then the shortest, until one fails twice."""
    number, name, file = mutant
    layer = file.split("/")[1]
    reaching = [t for t in names if number in noted(t)["reached"] and noted(t)["passes"]]
    reaching.sort(key=lambda t: (not names[t].startswith(layer), noted(t)["seconds"]))
    result = {"reached": len(reaching), "by": None}
    for place, test in enumerate(reaching, 1):
        if time.monotonic() > end:
            return
        seconds = int(max(LEAST_SECONDS, TIMES * noted(test)["seconds"]))
        if not any(run(test, seconds, DAP_MUTANT=number)[0] for _ in range(2)):
            result.update(by=names[test], place=place)
            break
    with lock:
        state["mutants"][name] = result
    save()
    print(line_of(name, file), flush=True)


def noted(test):
    return state["tests"][names[test]]


def line_of(name, file):
    found = state["mutants"][name]
    if found["by"]:
        return f"caught       {name} by {found['by']}, number {found['place']} of {found['reached']} that reach it"
    if found["reached"]:
        return f"SURVIVED     {name} ({file}): {found['reached']} tests reach it"
    return f"NOT REACHED  {name} ({file})"


def kept_state(stamp):
    """What an earlier run has found out about the same sources."""
    path = folder / "state.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return kept if kept.get("stamp") == stamp else {"stamp": stamp, "tests": {}, "mutants": {}}


chosen, names = mutants(), tests()
state = kept_state(hashlib.sha256((folder / "stamp").read_bytes() + " ".join(options).encode()).hexdigest())
with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
    list(pool.map(note, [test for test in names if names[test] not in state["tests"]]))
for test in [test for test in names if not state["tests"].get(names[test], {"passes": True})["passes"]]:
    note(test)  # alone: it may have failed because others ran beside it
if any(name not in state["tests"] for name in names.values()):
    sys.exit(f"{len(state['tests'])} of {len(names)} tests are noted; the next run goes on")
failed = [names[test] for test in names if not noted(test)["passes"]]
if failed:
    print(f"Without a mutant these fail, and are left out: {' '.join(failed)}")
for _, name, file in chosen:
    if name in state["mutants"]:
        print(line_of(name, file))
with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
    list(pool.map(score, [mutant for mutant in chosen if mutant[1] not in state["mutants"]]))
done = [state["mutants"][name] for _, name, _ in chosen if name in state["mutants"]]
caught = sum(result["by"] is not None for result in done)
print(f"{caught} of {len(done)} mutants were caught" + (f"; {len(chosen) - len(done)} are left" if len(done) < len(chosen) else ""))
sys.exit(caught < len(chosen))
