"""ELPA, for the functions of _scalapack."""

def backend(stages: int, /) -> object:
    """dap_elpa_backend(), as eigh's option backend takes it: a capsule."""
