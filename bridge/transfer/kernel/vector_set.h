/* Makes the table of a set. This is a template, see vector_lines.h. */
#ifndef DAP_VECTOR_SET_H
#define DAP_VECTOR_SET_H

#include "kernel_sets.h"

#ifdef VECTOR

TARGET static void fence(void)
{
  _mm_sfence();
}

static const dap_moves moves = {
    .stream_rows = stream_rows,
    .transpose = {[DAP_WIDTH_4] = transpose_4, [DAP_WIDTH_8] = transpose_8, [DAP_WIDTH_16] = transpose_16},
    .gather = {[DAP_WIDTH_4] = gather_4, [DAP_WIDTH_8] = gather_8, [DAP_WIDTH_16] = gather_16},
    .interleave = {[DAP_FROM_2] = {[DAP_WIDTH_4] = interleave_2_4,
                                   [DAP_WIDTH_8] = interleave_2_8,
                                   [DAP_WIDTH_16] = interleave_2_16},
                   [DAP_FROM_4] = {[DAP_WIDTH_4] = interleave_4_4,
                                   [DAP_WIDTH_8] = interleave_4_8,
                                   [DAP_WIDTH_16] = interleave_4_16}},
};

#endif
#endif
