"""Runs pytest under MPI: all processes run the same tests in step, as one run.

After each phase of a test (setup, call, teardown) the processes agree on its outcome: a failure on one is a failure on
all, and rank 0, the only one that prints, says where and why. If a test exceeds its time limit on a process, for
example because another one failed inside a collective function, every process prints where it is, and MPI is aborted.
"""
import faulthandler
import os
import re
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any, Iterator, NoReturn

import numpy as np
import pytest
from mpi4py import MPI

#: Seconds that a test may take: by default, half of the launcher's limit for the file.
LIMIT = float(os.environ.get("DAP_TEST_SECONDS", float(os.environ.get("DAP_TIMEOUT", "120")) / 2))

#: What a report can say, and whether the test was expected to fail.
OUTCOMES = [(outcome, expected) for outcome in ("passed", "skipped", "failed") for expected in (False, True)]

#: Communicator of the harness only, so that messages of a test cannot disturb the agreement.
harness = MPI.COMM_WORLD.Dup()
rank, size = harness.rank, harness.size


class Watch(threading.Thread):
    """Ends the run if a test takes too long. If the interpreter's lock is never released, faulthandler does this."""

    def __init__(self, stderr: int) -> None:
        super().__init__(daemon=True)
        self.stderr = stderr
        self.changed = threading.Condition()
        self.deadline = float("inf")
        self.test = ""
        self.failure = ""

    def arm(self, test: str, limit: float) -> None:
        with self.changed:
            self.test, self.failure, self.limit, self.deadline = test, "", limit, time.monotonic() + limit
            self.changed.notify()
        faulthandler.dump_traceback_later(limit + 1, exit=True, file=self.stderr)

    def disarm(self) -> None:
        with self.changed:
            self.deadline = float("inf")
        faulthandler.cancel_dump_traceback_later()

    def run(self) -> None:
        with self.changed:
            while (left := self.deadline - time.monotonic()) > 0:
                self.changed.wait(min(left, threading.TIMEOUT_MAX))
        self.end()

    def end(self) -> NoReturn:
        faulthandler.cancel_dump_traceback_later()
        doing = "failed, and waits for the others" if self.failure else "is here"
        text = f"\nrank {rank} of {size}: {self.test} has taken {self.limit:g} s; this process {doing}:\n"
        os.write(self.stderr, (text + (self.failure or stacks())).encode())
        time.sleep(3)  # the others need time to print where they are
        MPI.COMM_WORLD.Abort(1)
        os._exit(1)


def stacks() -> str:
    """Returns where all other threads are, without the frames of pytest."""
    lines = []
    for thread, frame in sys._current_frames().items():
        if thread != threading.get_ident():
            stack = [f for f in traceback.extract_stack(frame) if not re.search("/_?pytest/|/pluggy/|runpy", f.filename)]
            lines += traceback.format_list(stack)
    return "".join(lines)


watch: Watch
collect_errors: list[str] = []


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    global watch
    watch = Watch(os.dup(2))
    watch.start()
    if rank != 0:
        config.pluginmanager.getplugin("terminalreporter")._tw._file = open(os.devnull, "w")


def pytest_report_header() -> str:
    return f"{size} processes, {MPI.Get_library_version().split(',')[0]}"


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if not report.passed:  # a file is not skipped as a whole: CMake adds those that can run
        collect_errors.append(f"rank {rank} cannot collect {report.nodeid}:\n{report.longreprtext}")


def pytest_collection_finish(session: pytest.Session) -> None:
    errors = sum(harness.allgather(collect_errors), [])
    if errors:
        pytest.exit("\n".join(errors), returncode=1)
    if len(set(harness.allgather(tuple(item.nodeid for item in session.items)))) > 1:
        pytest.exit("the processes do not have the same tests", returncode=1)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    marker = item.get_closest_marker("limit")
    watch.arm(item.nodeid, marker.args[0] if marker else LIMIT)
    yield
    watch.disarm()


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome: Any = yield
    agree(outcome.get_result())


def agree(report: pytest.TestReport) -> None:
    """Makes the report the same on all processes. It fails if it failed on any, or differs."""
    text = report.longreprtext if report.failed else ""
    watch.failure = text
    mine = (report.outcome, hasattr(report, "wasxfail"))
    seen = np.array([1 << OUTCOMES.index(mine)])
    harness.Allreduce(MPI.IN_PLACE, seen, MPI.BOR)  # one short message: there are three reports of each test
    if not report.failed and seen[0] == 1 << OUTCOMES.index(mine):
        return
    all_of = harness.allgather((*mine, text))
    failed = [r for r in range(size) if all_of[r][0] == "failed"]
    if failed:
        by_text: dict[str, list[int]] = {}
        for r in failed:
            by_text.setdefault(all_of[r][2], []).append(r)
        report.longrepr = "\n".join(f"{ranks_text(ranks)}:\n{text}" for text, ranks in by_text.items())
    elif len({entry[:2] for entry in all_of}) > 1:
        report.longrepr = "outcomes differ: " + ", ".join(f"rank {r} {all_of[r][0]}" for r in range(size))
    else:
        return
    report.outcome = "failed"
    if hasattr(report, "wasxfail"):
        del report.wasxfail


def ranks_text(ranks: list[int]) -> str:
    if len(ranks) == size:
        return f"on all of {size} ranks" if size > 1 else "on 1 rank"
    return f"on rank {', '.join(map(str, ranks))} of {size}"


@pytest.fixture(scope="module")
def comm() -> Iterator[MPI.Intracomm]:
    """Yields a duplicate of MPI_COMM_WORLD for the tests of a file."""
    duplicate = MPI.COMM_WORLD.Dup()
    yield duplicate
    duplicate.Free()


@pytest.fixture
def last(comm: MPI.Intracomm) -> bool:
    """Returns whether this process is the last, which differs from the others in many tests."""
    return comm.rank == comm.size - 1


@pytest.fixture
def several(comm: MPI.Intracomm) -> None:
    """Skips a test that needs several processes."""
    if comm.size == 1:
        pytest.skip("for several processes")


@pytest.fixture
def folder(comm: MPI.Intracomm, tmp_path: Path) -> Path:
    """Returns a folder that all processes share."""
    return Path(comm.bcast(str(tmp_path)))
