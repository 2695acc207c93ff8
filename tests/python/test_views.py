"""Leaving views: agreement, exceptions, patience, and views that are forgotten."""

import gc
import re
import time
import warnings

import pytest

import dapbridge
from dapbridge.views import View


class Handle:
    """Stands for a compiled view; restore() and discard() are collective."""

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


@pytest.fixture
def handle(comm):
    return Handle(comm)


@pytest.fixture
def patience(monkeypatch):
    monkeypatch.setattr(dapbridge, "patience", 0.3)


def test_restored_at_the_end(comm, handle):
    with View(handle, "thing", comm) as view:
        assert view.is_live
    assert handle.calls == ["restore"] and not view.is_live
    view.restore()
    assert handle.calls == ["restore"]
    with pytest.raises(dapbridge.ArgumentError, match="ended"):
        view.__enter__()


def test_ended_within(comm, handle):
    with View(handle, "thing", comm) as view:
        view.restore()
    assert handle.calls == ["restore"]


@pytest.mark.parametrize("who", ["first", "last", "some"])
def test_one_discards(comm, handle, who):
    """If one process discards, all do."""
    view = View(handle, "thing", comm)
    discards = {"first": comm.rank == 0, "last": comm.rank == comm.size - 1, "some": comm.rank < 2}[who]
    view.discard() if discards else view.restore()
    assert handle.calls == ["discard"]


def test_all_fail(comm, handle):
    with pytest.raises(KeyError, match="colour"):
        with View(handle, "thing", comm):
            raise KeyError("colour")
    assert handle.calls == ["discard"]


@pytest.mark.parametrize("how", ["with", "restore"])
def test_one_fails(comm, handle, how):
    """The others learn which, and by what, in a with block or not."""
    culprit = comm.size - 1
    kind = ZeroDivisionError if comm.rank == culprit else dapbridge.RemoteFailure
    with pytest.raises(kind) as caught:
        if how == "with" or comm.rank == culprit:
            with View(handle, "thing", comm):
                if comm.rank == culprit:
                    raise ZeroDivisionError("out of luck")
        else:
            View(handle, "thing", comm).restore()
    assert handle.calls == ["discard"]
    if comm.rank != culprit:
        assert caught.value.rank == culprit
        assert "out of luck" in str(caught.value) and "thing" in str(caught.value)
    elif comm.size > 1:
        assert "discarded on all" in caught.value.__notes__[0]


def test_two_fail(comm, handle):
    if comm.size < 3:
        pytest.skip("for three processes")
    kind = KeyError if comm.rank in (1, 2) else dapbridge.RemoteFailure
    with pytest.raises(kind) as caught:
        with View(handle, "thing", comm):
            if comm.rank in (1, 2):
                raise KeyError(f"of {comm.rank}")
    if kind is not KeyError:
        assert caught.value.rank == 1 and "of 1" in str(caught.value)


def test_the_others_come_too_late(comm, handle, patience):
    """A process that fails does not wait for ever; when the others come nothing is ended, and nobody hangs."""
    if comm.size == 1:
        pytest.skip("for two processes")
    kind = KeyError if comm.rank == 0 else dapbridge.RemoteFailure
    start = time.monotonic()
    with pytest.raises(kind) as caught:
        with View(handle, "thing", comm) as view:
            if comm.rank == 0:
                raise KeyError
            time.sleep(1.5)
    if comm.rank == 0:
        assert time.monotonic() - start < 1.4
    text = caught.value.__notes__[0] if comm.rank == 0 else str(caught.value)
    assert "could not be ended" in text and "forgotten" in text
    assert handle.calls == [] and not view.is_live
    with pytest.raises(dapbridge.ArgumentError, match="forgotten"):
        view.load()
    again = Handle(comm)
    with View(again, "another", comm):
        pass
    assert again.calls == ["restore"]
    assert dapbridge.end_forgotten(comm) == 1
    assert handle.calls == ["discard"]


def test_who_failed_says_that_it_waits(comm, handle, monkeypatch, capsys):
    """Its exception is seen only after `patience`: one line on stderr says before by what it left, and where."""
    if comm.size == 1:
        pytest.skip("for two processes")
    monkeypatch.setattr(dapbridge.views, "_SILENCE", 0.2)
    failed = comm.rank == comm.size - 1
    with pytest.raises(KeyError if failed else dapbridge.RemoteFailure):
        with View(handle, "thing", comm):
            if failed:
                raise KeyError("two\nlines")
            time.sleep(0.8)
    said = capsys.readouterr().err
    where = f"rank {comm.rank} left the view (thing) made at {__file__}:"
    line = re.escape(where) + r"\d+ by KeyError: .*two.*lines.*; waiting up to 60 s for the others\n"
    assert re.fullmatch(line, said) if failed else said == ""
    assert handle.calls == ["discard"]


def test_who_succeeds_waits_longer(comm, handle, patience):
    with View(handle, "thing", comm):
        if comm.rank == 0:
            time.sleep(0.8)
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
def test_dropped_on_one_process(comm, handle):
    """Others that end it learn that they do not end the same; then all have forgotten it."""
    if comm.size == 1:
        pytest.skip("for two processes")
    first, second = View(handle, "first", comm), View(Handle(comm), "second", comm)
    if comm.rank == 0:
        del first
        gc.collect()
        with pytest.raises(dapbridge.ArgumentError, match="different views"):
            second.restore()
    else:
        with pytest.raises(dapbridge.ArgumentError, match="different views"):
            first.restore()
        second._forget()
    assert dapbridge.end_forgotten(comm) == 2


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_collector_does_nothing_collective(comm):
    """Views that only some processes have dropped stay until all have."""
    handles = [Handle(comm) for _ in range(3)]
    views = [View(h, "thing", comm) for h in handles]
    if comm.rank == 0:
        del views
        gc.collect()
        assert dapbridge.end_forgotten(comm) == (3 if comm.size == 1 else 0)
    else:
        assert dapbridge.end_forgotten(comm) == 0
        del views
        gc.collect()
    if comm.size > 1:
        assert dapbridge.end_forgotten(comm) == 3
    assert all(h.calls == ["discard"] for h in handles)


def test_an_interrupt_while_waiting(comm, handle):
    """Ctrl-C on a process that waits: it stays until the others have come, then the exception goes on."""
    import os
    import signal
    import threading

    if comm.size == 1:
        pytest.skip("for two processes")
    if comm.rank == 0:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            with View(handle, "thing", comm):
                pass
    else:
        with View(handle, "thing", comm):
            time.sleep(0.8)
    assert handle.calls == ["restore"]


def test_many(comm):
    """One agreement a view, and nothing that stays."""
    for _ in range(2000):
        with View(Handle(comm), "thing", comm):
            pass
    from dapbridge.views import _forgotten

    assert not _forgotten
