/* Converts integers and bool to and from int64_t. Larger numbers of DAP_U8 become the largest one. No other
 * type can tell the difference, because all are cut off there or below. */
#include "convert.h"

typedef int64_t working;

DAP_LOAD_INTEGERS
DAP_LOAD(load_u8, uint64_t, x > INT64_MAX ? INT64_MAX : (int64_t)x)

#define CLAMP(type, low, high) (type)(x < (low) ? (low) : x > (high) ? (high) : x)
DAP_STORE_INTEGERS(CLAMP)
DAP_STORE(store_i8, int64_t, x)
DAP_STORE(store_u8, uint64_t, x < 0 ? 0 : (uint64_t)x)

const dap_working dap_working_integer = {
    .size = sizeof(working),
    .load = {DAP_INTEGERS(load)},
    .store = {DAP_INTEGERS(store)},
};
