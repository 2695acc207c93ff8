/* Lists the rules of the protocol, for the command that prints them. */
#include "model_impl.h"

static const char *const texts[DAP_RULES + 1] = {
    [1] = "Keys, distribution types and their values are those of the version's dialect of the protocol.",
    [2] = "The version is 0.0.1, 0.9.* or 0.10.*, the same on all processes, or the caller specifies it.",
    [3] = "Unknown keys are ignored; integers must not be bool or real; dim_data must be a sequence.",
    [4] = "There are as many dictionaries as the buffer has axes, and each gives the extent along its axis.",
    [5] = "An array without axes has one element, and must be on one process.",
    [6] = "Each process of the communicator has its own place in the process grid, and no place is empty.",
    [7] = "Processes agree about an axis; those at one coordinate also about their part, except boundary "
          "padding.",
    [8] = "'b': start and stop lie in the axis; what the processes own tiles the axis in the order of the "
          "grid.",
    [9] = "'b', periodic: outer padding wraps around in 0.9; in 0.10 it is owned, and is part of size.",
    [10] = "'b': padding is two integers >= 0; neighbours give the same width, and own at least as many "
           "elements.",
    [11] = "'b': a part with start == stop is empty, wherever in the axis start is.",
    [12] = "'n' in 0.9, None in 0.0.1 and {} in 0.10 mean 'b' on one process.",
    [13] = "'c': blocks of block_size >= 1 elements are dealt round robin; a missing block_size means 1.",
    [14] = "'c': start is the first index of a block of the first round, or >= size; block 0 has one owner.",
    [15] = "'c': the buffer's extent is the number that ScaLAPACK's NUMROC returns.",
    [16] =
        "'c': block_size == ceil(size / P) is HPF's block distribution, which can differ from an even one.",
    [17] =
        "'u': indices lie in 0 .. size - 1, each at most once in a list; no index is missing from all lists.",
    [18] = "'u': the lowest coordinate owns a repeated index; all copies are written; one_to_one forbids "
           "copies.",
    [19] = "All strides can be read; read-only or zero-stride buffers are not written; swapped bytes are "
           "copied.",
    [20] = "Element types are those of dtype.h; a cast that can lose values must be allowed by an option.",
    [21] =
        "The named ways to cut an axis are equal, fftw and localdimension (ceiling), freeform, not (copies).",
    [22] = "Contiguous lengths have one block size if all but the last of the non-empty, adjacent ones are "
           "equal.",
    [23] = "All rules are checked before elements move, and all processes return the same status and text.",
};

const char *dap_rule_text(int rule)
{
  return rule >= 1 && rule <= DAP_RULES ? texts[rule] : "";
}
