"""Checks that conftest.py keeps processes in step: compares its output when tests go wrong on one of three processes.

Usage: check.py <cmake/mpirun.sh>"""
import os
import pathlib
import subprocess
import sys
import time

here = pathlib.Path(__file__).parent


def run(name: str, seconds: float, *said: str) -> None:
    """Runs a file, which must fail within this time and print these texts."""
    started = time.monotonic()
    done = subprocess.run(
        ["sh", sys.argv[1], "3", sys.executable, "-X", "dev", "-W", "error", "-m", "pytest", "-v", here / name],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "DAP_TIMEOUT": "60"},
    )
    taken = time.monotonic() - started
    missing = [text for text in said if text not in done.stdout]
    if missing or done.returncode == 0 or taken > seconds:
        print(done.stdout)
        sys.exit(f"{name}: status {done.returncode} after {taken:.1f} s; not said: {missing}")


run(
    "one_rank.py",
    20,
    "test_before PASSED",
    "test_fails FAILED",
    "on rank 1 of 3:\n",
    "a reason",
    "test_warns FAILED",
    "DeprecationWarning: an old habit",
    "test_forgets_a_file FAILED",
    "ResourceWarning: unclosed file",
    "test_setup ERROR",
    "in the fixture",
    "outcomes differ: rank 0 passed, rank 1 skipped, rank 2 passed",
    "[XPASS(strict)]",
    "test_after PASSED",
    "5 failed, 2 passed, 1 error",
)
run("collection.py", 20, "rank 1 cannot collect", "no such luck")
run(
    "hang.py",
    25,
    "rank 0 of 3: harness/hang.py::test_hangs has taken 2 s; this process is here:",
    "in test_hangs\n    MPI.COMM_WORLD.barrier()",
    "rank 1 of 3: harness/hang.py::test_hangs has taken 2 s; this process failed, and waits for the others:",
    "the reason",
)
run("lock.py", 25, "Timeout (0:00:02)!", "in test_hangs")
