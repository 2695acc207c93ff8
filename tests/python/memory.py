"""Measures a process's memory, and whether its other threads run while it waits."""

import gc
import os
import sys
import threading

import pytest
from mpi4py import MPI


def resident():
    """Returns the bytes of memory that this process uses."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def steady(comm, cycle, count, room=600_000):
    """Runs a function many times. It may not keep more memory than `room` on any process."""
    for _ in range(count // 10):
        cycle()
    gc.collect()
    before = resident()
    for _ in range(count):
        cycle()
    gc.collect()
    assert comm.allreduce(resident() - before) < comm.size * room


def release_the_lock(comm, call):
    """Checks that other threads run: the others wait for rank 0 in a collective call, which it joins after a thread
    ran on each."""
    if MPI.Query_thread() != MPI.THREAD_MULTIPLE:
        pytest.skip("MPI has not that level of threads")
    main = threading.get_ident()

    def place():
        frame = sys._current_frames()[main]
        return frame.f_code.co_name, frame.f_lasti

    def watch():
        seen, times = None, 0
        while times < 20:  # meanwhile the main thread stays in C
            now = place()
            times = times + 1 if now == seen else 0
            seen = now
            never.wait(0.001)
        own.send(None, 0)

    own, never = comm.Dup(), threading.Event()
    if comm.rank == 0:
        for r in range(1, comm.size):
            own.recv(source=r)
        call()
    else:
        thread = threading.Thread(target=watch)
        thread.start()
        call()
        thread.join()
    own.Free()
