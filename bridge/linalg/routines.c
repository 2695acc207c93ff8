/* The routines of each element type. */
#include "linalg_impl.h"

static const float singles[3][2] = {{0, 0}, {1, 0}, {-1, 0}}; /* real and imaginary part: good for both */
static const double doubles[3][2] = {{0, 0}, {1, 0}, {-1, 0}};

/* Properties of all four. `un` and `sy` are the parts of names that differ between real and complex. */
#define ROUTINES(letter, type, real_type, constants, un, sy)                                                 \
  .dtype = (type), .real = (real_type), .zero = (constants)[0], .one = (constants)[1],                       \
  .minus_one = (constants)[2], .gemm = p##letter##gemm_, .trsm = p##letter##trsm_, .trmm = p##letter##trmm_, \
  .syrk = p##letter##syrk_, .geadd = p##letter##geadd_, .tradd = p##letter##tradd_,                          \
  .getrf = p##letter##getrf_, .getri = p##letter##getri_, .potrf = p##letter##potrf_,                        \
  .gels = p##letter##gels_, .geqrf = p##letter##geqrf_, .gelqf = p##letter##gelqf_,                          \
  .orgqr = p##letter##un##gqr_, .orglq = p##letter##un##glq_, .ormqr = p##letter##un##mqr_,                  \
  .ormlq = p##letter##un##mlq_, .ormtr = p##letter##un##mtr_, .ormbr = p##letter##un##mbr_,                  \
  .laset = p##letter##laset_, .sytrd = p##letter##sy##trd_, .sygst = p##letter##sy##gst_,                    \
  .gebrd = p##letter##gebrd_

static const dap_linalg_routines table[] = {
    {ROUTINES(s, DAP_F4, DAP_F4, singles, or, sy), .syev = pssyev_, .stedc = psstedc_, .gesvd = psgesvd_},
    {ROUTINES(d, DAP_F8, DAP_F8, doubles, or, sy), .syev = pdsyev_, .stedc = pdstedc_, .gesvd = pdgesvd_},
    {ROUTINES(c, DAP_C8, DAP_F4, singles, un, he), .herk = pcherk_, .heev = pcheev_, .cgesvd = pcgesvd_},
    {ROUTINES(z, DAP_C16, DAP_F8, doubles, un, he), .herk = pzherk_, .heev = pzheev_, .cgesvd = pzgesvd_},
};

const dap_linalg_routines *dap_linalg_routines_of(dap_dtype dtype)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].dtype == dtype) return &table[i];
  return NULL;
}
