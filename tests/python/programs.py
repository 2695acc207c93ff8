"""Runs separate programs, to test how processes begin and end."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import dapbridge

LAUNCHER = Path(__file__).resolve().parent.parent.parent / "cmake" / "mpirun.sh"


def run(script, ranks=1, **variables):
    """Runs a script by its own launcher, whose variables replace those of this test's launcher."""
    environment = {n: v for n, v in os.environ.items() if not re.match("OMPI_|PMIX_|PMI_|PRTE_", n)}
    environment["PYTHONPATH"] = str(Path(dapbridge.__file__).parent.parent)
    environment.update(variables)
    return subprocess.run(
        ["sh", str(LAUNCHER), str(ranks), sys.executable, "-X", "dev", "-c", textwrap.dedent(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )


def succeed(script, ranks=1, **variables):
    """Returns the output of a script, which must succeed."""
    done = run(script, ranks, **variables)
    assert done.returncode == 0, done.stderr
    assert not re.search("Traceback|Error|Warning|Fatal", done.stderr), done.stderr
    return done.stdout
