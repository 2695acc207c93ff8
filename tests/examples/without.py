"""Runs a script with a function that does nothing: without.py dapbridge.Array.halo_update script.py

Ends with the script's status, or with 2 if an exception ended the script, because that is not its own verdict."""
import importlib
import runpy
import sys
import traceback

name, script = sys.argv[1:]
places = name.split(".")
try:
    owner = importlib.import_module(places[0])
    for inner in places[1:-1]:
        if not hasattr(owner, inner):
            importlib.import_module(f"{owner.__name__}.{inner}")
        owner = getattr(owner, inner)
    getattr(owner, places[-1])  # raises unless the name exists
    setattr(owner, places[-1], lambda *_: [])
    sys.argv = [script]
    runpy.run_path(script, run_name="__main__")
except Exception:
    traceback.print_exc()
    sys.exit(2)
