/* The kinds of plans whose calls of MPI fail. */
#include "moves.h"
#include "problem_impl.h"

static const double half[2] = {0.5, 0};

const move moves[] = {
    {.why = "shared memory", .makes = true},
    {.why = "messages in chunks", .options = {.transports = DAP_TRANSPORT_MESSAGES, .message_bytes = 64}},
    {.why = "messages in two phases",
     .options = {.transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES}},
    {.why = "lists that nobody has all of", .origin = ASSEMBLED, .form = LISTED},
    {.why = "layouts that are told", .tells = true},
    {.why = "lists that are told", .origin = MIXED, .tells = true, .form = LISTED, .makes = true},
    {.why = "halos", .kind = HALO, .tells = true, .form = PADDED},
    {.why = "copies, to lists", .origin = ASSEMBLED, .form = COPIED},
    {.why = "arrays of the library's", .is_lent = true, .nodes = ON_ONE | ON_TWO},
    {.why = "direct copies alone",
     .form = NEXT,
     .is_lent = true,
     .nodes = ON_ONE | ON_TWO,
     .options = {.transports = DAP_TRANSPORT_DIRECT}},
    {.why = "direct copies alone, in two passes",
     .kind = TERMS,
     .form = BESIDE,
     .is_lent = true,
     .nodes = ON_ONE | ON_TWO,
     .options = {.transports = DAP_TRANSPORT_DIRECT, .beta = half, .fill_halos = true}},
    {.why = "copies, by a tree",
     .kind = TERMS,
     .form = SPREAD,
     .options = {.transports = DAP_FORCED_FAN_OUT}},
    {.why = "sums, by a tree", .kind = TERMS, .form = SUMMED, .options = {.transports = DAP_FORCED_FAN_OUT}},
    {.why = "padding in a second pass",
     .kind = TERMS,
     .form = PADDED,
     .options = {.beta = half, .fill_halos = true}},
    {.why = "gather", .kind = GATHER},
    {.why = "scatter", .kind = SCATTER},
    {.why = "sums of padding", .kind = REVERSE, .form = PADDED},
    {.why = "sums of padding, which is refreshed",
     .kind = REVERSE,
     .form = PADDED,
     .options = {.padding = DAP_PADDING_REFRESH}},
    {.why = "two groups", .kind = GROUPS, .makes = true},
    {.why = "several arrays", .options = {.arrays = 3}},
    {.why = "a source that is NULL", .form = SPREAD, .is_refused = true, .nodes = ON_TWO | APART},
};
const int moves_count = sizeof moves / sizeof moves[0];
