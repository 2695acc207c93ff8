/* Lists the properties and routines of each element type. */
#include "linalg_impl.h"

#include <float.h>

static const float singles[3][2] = {{0, 0}, {1, 0}, {-1, 0}}; /* real and imaginary parts */
static const double doubles[3][2] = {{0, 0}, {1, 0}, {-1, 0}};

/* Members of all four rows. Names of real and of complex routines differ in the parts `un` and `sy`. */
#define ROUTINES(letter, un, sy)                                                                             \
  .gemm = p##letter##gemm_, .trsm = p##letter##trsm_, .trmm = p##letter##trmm_, .syrk = p##letter##syrk_,    \
  .geadd = p##letter##geadd_, .tradd = p##letter##tradd_, .getrf = p##letter##getrf_,                        \
  .getri = p##letter##getri_, .potrf = p##letter##potrf_, .gels = p##letter##gels_,                          \
  .geqrf = p##letter##geqrf_, .gelqf = p##letter##gelqf_, .orgqr = p##letter##un##gqr_,                      \
  .orglq = p##letter##un##glq_, .ormqr = p##letter##un##mqr_, .ormlq = p##letter##un##mlq_,                  \
  .ormtr = p##letter##un##mtr_, .ormbr = p##letter##un##mbr_, .laset = p##letter##laset_,                    \
  .sytrd = p##letter##sy##trd_, .sygst = p##letter##sy##gst_, .gebrd = p##letter##gebrd_

#define SINGLE                                                                                               \
  .real = DAP_F4, .eps = (double)FLT_EPSILON, .tiny = (double)FLT_MIN, .zero = singles[0],                   \
  .one = singles[1], .minus_one = singles[2]
#define DOUBLE                                                                                               \
  .real = DAP_F8, .eps = DBL_EPSILON, .tiny = DBL_MIN, .zero = doubles[0], .one = doubles[1],                \
  .minus_one = doubles[2]
#define TYPE(of, number, numbers, bytes)                                                                     \
  .dtype = (of), .letter = (number), .parts = (numbers), .item = (bytes)

static const dap_linalg_routines table[] = {
    {TYPE(DAP_F4, 0, 1, 4), SINGLE, ROUTINES(s, or, sy), .syev = pssyev_, .stedc = psstedc_,
     .gesvd = psgesvd_},
    {TYPE(DAP_F8, 1, 1, 8), DOUBLE, ROUTINES(d, or, sy), .syev = pdsyev_, .stedc = pdstedc_,
     .gesvd = pdgesvd_},
    {TYPE(DAP_C8, 2, 2, 8), SINGLE, ROUTINES(c, un, he), .herk = pcherk_, .heev = pcheev_,
     .cgesvd = pcgesvd_},
    {TYPE(DAP_C16, 3, 2, 16), DOUBLE, ROUTINES(z, un, he), .herk = pzherk_, .heev = pzheev_,
     .cgesvd = pzgesvd_},
};

const dap_linalg_routines *dap_linalg_routines_of(dap_dtype dtype)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].dtype == dtype) return &table[i];
  return NULL;
}
