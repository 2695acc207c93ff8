/* Lists the rules of the protocol, for the command that prints them. */
#include "model_impl.h"

static const char *const texts[DAP_RULES + 1] = {
    [1] = "Keys, distribution types and the values they may have are those of the version's dialect.",
    [2] = "The version is 0.0.1, 0.9.* or 0.10.*, the same on all processes, or the caller names the rules.",
    [3] = "Unknown keys are ignored; integers are integers, neither bool nor real; dim_data is a sequence.",
    [4] = "There are as many dictionaries as the buffer has axes, and each gives the buffer's extent.",
    [5] = "An array without axes has one element and lives on one process.",
    [6] = "The process grid is exactly the communicator; each process has a place of its own in it.",
    [7] =
        "All agree about an axis, and those at one coordinate about their part, except for boundary padding.",
    [8] = "'b': start and stop lie in the axis, and what the processes own tiles it in grid order.",
    [9] = "'b', periodic: outer padding wraps round in 0.9, and is owned, inside size, in 0.10.",
    [10] = "'b': padding is two integers >= 0; neighbours agree on it, and own what it shows.",
    [11] = "'b': start == stop is an empty section, wherever it says it is.",
    [12] = "'n' in 0.9, None in 0.0.1 and {} in 0.10 are 'b' over one process.",
    [13] = "'c': blocks of block_size >= 1, or 1 if absent, are dealt round robin from start.",
    [14] = "'c': start is a multiple of block_size in the first round, or >= size; block 0 has one owner.",
    [15] = "'c': the buffer's extent is what ScaLAPACK's NUMROC counts.",
    [16] = "'c': block_size == ceil(size / P) is HPF's block distribution, not an even one.",
    [17] = "'u': indices lie in 0 .. size - 1, each once in a buffer, its extent of them; none is missing.",
    [18] = "'u': the lowest coordinate owns a duplicate and all copies are written; one_to_one allows none.",
    [19] =
        "All strides are read; read-only or zero-stride buffers are not written; swapped bytes are copied.",
    [20] = "Element types are those of dtype.h; a cast that loses values must be asked for.",
    [21] = "The named ways to cut an axis: equal, fftw and localdimension (ceiling), freeform, not (copies).",
    [22] = "Contiguous lengths are one block size iff all but the last non-empty of adjacent ones are equal.",
    [23] = "All is checked before anything moves, and all processes return the same status and text.",
};

const char *dap_rule_text(int rule)
{
  return rule >= 1 && rule <= DAP_RULES ? texts[rule] : "";
}
