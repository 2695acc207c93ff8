"""Executes a notebook: notebook.py (compare | write | cells) <notebook>

compare: runs it by its kernel, and fails unless all outputs, pictures included, are those in the file.
write: stores the new outputs in the file.
cells: runs the cells in this process, without a kernel; under MPI it can be one of several."""
import sys

import nbformat


def outputs(cell):
    """Returns the outputs of a cell without counts, and with streams joined, because these are cut differently in
    each run."""
    shown = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            if shown and shown[-1][0] == output.name:
                shown[-1] = (output.name, shown[-1][1] + output.text)
            else:
                shown.append((output.name, output.text))
        else:
            data = {k: "".join(v) for k, v in output.get("data", {}).items()}
            shown.append((output.output_type, data, output.get("evalue")))
    return shown


def run_cells(notebook):
    names = {"__name__": "__main__"}
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            exec(compile(cell.source, f"cell {number}", "exec"), names)


def execute(notebook):
    from nbclient import NotebookClient
    from traitlets.config import Config

    # MPI can take long to end, and mpiexec takes a killed kernel for a failure, so the kernel has time. Local sockets
    # connect to it, because another program could take a TCP port before the kernel does.
    patient = Config({"KernelManager": {"shutdown_wait_time": 60.0, "transport": "ipc"}})
    fresh = nbformat.from_dict(notebook)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(fresh, timeout=120, startup_timeout=120, kernel_name="python3", config=patient)
    return client.execute()


def compare(notebook, fresh):
    differ = 0
    for number, (old, new) in enumerate(zip(notebook.cells, fresh.cells)):
        if outputs(old) != outputs(new):
            print(f"cell {number}:\n{old.source}\nshows\n{outputs(new)}\nand in the file\n{outputs(old)}\n")
            differ += 1
    return differ


mode, path = sys.argv[1:]
notebook = nbformat.read(path, as_version=4)
if mode == "cells":
    run_cells(notebook)
elif mode == "write":
    fresh = execute(notebook)
    for cell in fresh.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(fresh, path)
else:
    if compare(notebook, execute(notebook)):
        sys.exit("if it is to be so, look at the pictures, and write the notebook: notebook.py write")
