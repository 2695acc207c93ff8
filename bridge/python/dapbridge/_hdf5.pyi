"""HDF5, for the functions of files of _core."""

def format() -> object:
    """dap_file_hdf5(), as the option format takes it: a capsule."""
