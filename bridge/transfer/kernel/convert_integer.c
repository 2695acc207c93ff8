/* Converts integers and bool to and from int64_t. Larger numbers of DAP_U8 become the largest one. No other
 * type can tell the difference, because all are cut off there or below. */
#include "convert.h"

typedef int64_t working;

DAP_LOAD(load_bool, uint8_t, x != 0)
DAP_LOAD(load_i1, int8_t, x)
DAP_LOAD(load_u1, uint8_t, x)
DAP_LOAD(load_i2, int16_t, x)
DAP_LOAD(load_u2, uint16_t, x)
DAP_LOAD(load_i4, int32_t, x)
DAP_LOAD(load_u4, uint32_t, x)
DAP_LOAD(load_i8, int64_t, x)
DAP_LOAD(load_u8, uint64_t, x > INT64_MAX ? INT64_MAX : (int64_t)x)

#define CLAMP(type, low, high) (type)(x < (low) ? (low) : x > (high) ? (high) : x)
DAP_STORE(store_bool, uint8_t, x != 0)
DAP_STORE(store_i1, int8_t, CLAMP(int8_t, INT8_MIN, INT8_MAX))
DAP_STORE(store_u1, uint8_t, CLAMP(uint8_t, 0, UINT8_MAX))
DAP_STORE(store_i2, int16_t, CLAMP(int16_t, INT16_MIN, INT16_MAX))
DAP_STORE(store_u2, uint16_t, CLAMP(uint16_t, 0, UINT16_MAX))
DAP_STORE(store_i4, int32_t, CLAMP(int32_t, INT32_MIN, INT32_MAX))
DAP_STORE(store_u4, uint32_t, CLAMP(uint32_t, 0, UINT32_MAX))
DAP_STORE(store_i8, int64_t, x)
DAP_STORE(store_u8, uint64_t, x < 0 ? 0 : (uint64_t)x)

const dap_working dap_working_integer = {
    .size = sizeof(working),
    .load = {DAP_INTEGERS(load)},
    .store = {DAP_INTEGERS(store)},
};
