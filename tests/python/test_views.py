"""Tests how views are left: agreement, exceptions, patience, and forgotten views. Tests use their own clocks."""

import gc
import io
import os
import re
import signal
import sys
import time
import warnings

import pytest

import dapbridge
from dapbridge import views
from dapbridge.views import View


class Handle:
    """Replaces a compiled view. restore() and discard() are collective."""

    def __init__(self, comm):
        self.comm = comm
        self.is_live = True
        self.calls = []

    def restore(self):
        self.end("restore")

    def discard(self):
        self.end("discard")

    def end(self, name):
        assert set(self.comm.allgather(name)) == {name}
        self.calls.append(name)
        self.is_live = False

    def describe(self):
        return "a view"


class Clock:
    """Replaces the module time. Each pause takes a second, up to `end`, and calls `act`."""

    def __init__(self, end=1000, act=lambda seconds: None):
        self.now, self.end, self.act = 0, end, act

    def monotonic(self):
        return self.now

    def sleep(self, pause):
        self.now = min(self.now + 1, self.end)
        self.act(self.now)
        time.sleep(0)


def once(seconds, act):
    """Returns a clock that acts when it shows this time."""
    return Clock(end=2 * seconds, act=lambda now: act() if now == seconds else None)


@pytest.fixture
def handle(comm):
    return Handle(comm)


@pytest.fixture
def others(comm):
    """Returns a function for one process, which all others wait for in theirs."""

    class Others:
        def come(self):
            for r in range(comm.size):
                if r != comm.rank:
                    comm.send(None, r, 77)

        def wait_for(self, rank):
            comm.recv(source=rank, tag=77)

    return Others()


def test_restored_at_the_end(comm, handle):
    with View(handle, "thing", comm) as view:
        assert view.is_live
    assert handle.calls == ["restore"] and not view.is_live
    view.restore()
    assert handle.calls == ["restore"]
    with pytest.raises(dapbridge.ArgumentError, match="ended"):
        view.__enter__()


@pytest.mark.parametrize("who", ["first", "last", "some"])
def test_one_discards(comm, handle, who):
    """If one process discards, all must discard."""
    view = View(handle, "thing", comm)
    discards = {"first": comm.rank == 0, "last": comm.rank == comm.size - 1, "some": comm.rank < 2}[who]
    view.discard() if discards else view.restore()
    assert handle.calls == ["discard"]


@pytest.mark.parametrize("how", ["with", "restore"])
def test_one_fails(comm, handle, last, how):
    """The others must learn which process failed and why, in a with block or not."""
    with pytest.raises(ZeroDivisionError if last else dapbridge.RemoteFailure) as caught:
        if how == "with" or last:
            with View(handle, "thing", comm):
                if last:
                    raise ZeroDivisionError("out of luck")
        else:
            View(handle, "thing", comm).restore()
    assert handle.calls == ["discard"]
    if not last:
        assert caught.value.rank == comm.size - 1
        assert "out of luck" in str(caught.value) and "thing" in str(caught.value)
    elif comm.size > 1:
        assert "discarded" in caught.value.__notes__[0]


def test_some_fail(comm, handle):
    """Each of them must have its own exception, and the others that of the first."""
    with pytest.raises(KeyError if comm.rank in (0, 2) else dapbridge.RemoteFailure) as caught:
        with View(handle, "thing", comm):
            if comm.rank in (0, 2):
                raise KeyError(f"of {comm.rank}")
    assert handle.calls == ["discard"]
    if comm.rank not in (0, 2):
        assert caught.value.rank == 0 and "of 0" in str(caught.value)


def test_the_others_come_too_late(comm, several, handle, others, monkeypatch):
    """A process that fails must not wait for ever. When the others come, nothing is ended, and none may hang."""
    monkeypatch.setattr(views, "time", Clock())
    with pytest.raises(KeyError if comm.rank == 0 else dapbridge.RemoteFailure) as caught:
        with View(handle, "thing", comm) as view:
            if comm.rank == 0:
                raise KeyError
            others.wait_for(0)
    if comm.rank == 0:
        others.come()
    text = caught.value.__notes__[0] if comm.rank == 0 else str(caught.value)
    assert "ended" in text and "forgotten" in text
    assert handle.calls == [] and not view.is_live
    with pytest.raises(dapbridge.ArgumentError, match="forgotten"):
        view.load()
    again = Handle(comm)
    with View(again, "another", comm):
        pass
    assert again.calls == ["restore"]
    assert dapbridge.end_forgotten(comm) == 1
    assert handle.calls == ["discard"]


def test_who_failed_says_that_it_waits(comm, several, handle, others, last, monkeypatch):
    """Its exception is visible only after `patience`. Before that, one line on stderr names the exception and the
    place."""

    class Said(io.StringIO):
        def flush(self):
            if self.getvalue().endswith("\n"):
                others.come()

    said = Said()
    monkeypatch.setattr(views, "time", Clock(end=10))
    monkeypatch.setattr(sys, "stderr", said)
    with pytest.raises(KeyError if last else dapbridge.RemoteFailure):
        with View(handle, "thing", comm):
            if last:
                raise KeyError("two\nlines")
            others.wait_for(comm.size - 1)
    where = f"rank {comm.rank} left the view (thing) made at {__file__}:"
    line = re.escape(where) + r"\d+ by KeyError: .*two.*lines.*60 s.*\n"
    assert re.fullmatch(line, said.getvalue()) if last else said.getvalue() == ""
    assert handle.calls == ["discard"]


def test_who_succeeds_waits_longer(comm, several, handle, others, last, monkeypatch):
    """It waits longer than `patience`."""
    monkeypatch.setattr(views, "time", once(100, others.come if last else lambda: None))
    with View(handle, "thing", comm):
        if not last:
            others.wait_for(comm.size - 1)
    assert handle.calls == ["restore"]


def test_an_interrupt_while_waiting(comm, several, handle, others, monkeypatch):
    """Ctrl-C on a waiting process: it stays until the others have come, and then the exception continues."""

    def interrupt():
        others.come()
        os.kill(os.getpid(), signal.SIGINT)

    if comm.rank == 0:
        monkeypatch.setattr(views, "time", once(5, interrupt))
        with pytest.raises(KeyboardInterrupt):
            with View(handle, "thing", comm):
                pass
    else:
        with View(handle, "thing", comm):
            others.wait_for(0)
    assert handle.calls == ["restore"]


def test_dropped(comm, handle):
    view = View(handle, "thing", comm)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del view
        gc.collect()
    (warning,) = caught
    assert warning.category is ResourceWarning
    assert "test_views.py:" in str(warning.message) and handle.calls == []
    assert dapbridge.end_forgotten(comm) == 1
    assert handle.calls == ["discard"]
    assert dapbridge.end_forgotten(comm) == 0


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_dropped_on_one_process(comm, several, handle):
    """Others that end it must learn that they do not end the same view. After that, no process may keep it."""
    first, second = View(handle, "first", comm), View(Handle(comm), "second", comm)
    if comm.rank == 0:
        del first
        gc.collect()
    with pytest.raises(dapbridge.ArgumentError, match="different views"):
        (second if comm.rank == 0 else first).restore()
    if comm.rank:
        second._forget()
    assert dapbridge.end_forgotten(comm) == 2


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_collector_does_nothing_collective(comm):
    """Views that only some processes have dropped must stay until all have dropped them."""
    handles = [Handle(comm) for _ in range(3)]
    dropped = [View(h, "thing", comm) for h in handles]
    if comm.rank > 0:
        assert dapbridge.end_forgotten(comm) == 0
    del dropped
    gc.collect()
    if comm.rank == 0:
        assert dapbridge.end_forgotten(comm) == (3 if comm.size == 1 else 0)
    if comm.size > 1:
        assert dapbridge.end_forgotten(comm) == 3
    assert all(h.calls == ["discard"] for h in handles)


def test_many(comm):
    """Each view needs one agreement, and nothing may remain."""
    for _ in range(2000):
        with View(Handle(comm), "thing", comm):
            pass
    assert not views._forgotten
