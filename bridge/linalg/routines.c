/* The routines of each element type. */
#include "linalg_impl.h"

static const float singles[3][2] = {{0, 0}, {1, 0}, {-1, 0}}; /* real and imaginary part: good for both */
static const double doubles[3][2] = {{0, 0}, {1, 0}, {-1, 0}};

/* What all four have. `tran_`, `org` and `sy` are the parts of names that differ between real and complex. */
#define ROUTINES(letter, type, real_type, constants, tran_, org, sy)                                         \
  .dtype = (type), .real = (real_type), .zero = (constants)[0], .one = (constants)[1],                       \
  .minus_one = (constants)[2], .gemm = p##letter##gemm_, .trsm = p##letter##trsm_, .trmm = p##letter##trmm_, \
  .syrk = p##letter##syrk_, .tran = p##letter##tran_, .geadd = p##letter##geadd_,                            \
  .tradd = p##letter##tradd_, .getrf = p##letter##getrf_, .getrs = p##letter##getrs_,                        \
  .getri = p##letter##getri_, .gecon = p##letter##gecon_, .potrf = p##letter##potrf_,                        \
  .potrs = p##letter##potrs_, .gels = p##letter##gels_, .geqrf = p##letter##geqrf_,                          \
  .orgqr = p##letter##org##qr_, .gelqf = p##letter##gelqf_, .orglq = p##letter##org##lq_,                    \
  .laset = p##letter##laset_, .sytrd = p##letter##sy##trd_, .sygst = p##letter##sy##gst_,                    \
  .gebrd = p##letter##gebrd_, .lascl = p##letter##lascl_

static const dap_linalg_routines table[] = {
    {ROUTINES(s, DAP_F4, DAP_F4, singles, tran_, org, sy), .syev = pssyev_, .stedc = psstedc_,
     .ormtr = psormtr_, .ormqr = psormqr_, .ormlq = psormlq_, .ormbr = psormbr_, .gesvd = psgesvd_},
    {ROUTINES(d, DAP_F8, DAP_F8, doubles, tran_, org, sy), .syev = pdsyev_, .stedc = pdstedc_,
     .ormtr = pdormtr_, .ormqr = pdormqr_, .ormlq = pdormlq_, .ormbr = pdormbr_, .gesvd = pdgesvd_},
    {ROUTINES(c, DAP_C8, DAP_F4, singles, tranu_, ung, he), .herk = pcherk_, .heev = pcheev_,
     .ormtr = pcunmtr_, .ormqr = pcunmqr_, .ormlq = pcunmlq_, .ormbr = pcunmbr_, .cgesvd = pcgesvd_},
    {ROUTINES(z, DAP_C16, DAP_F8, doubles, tranu_, ung, he), .herk = pzherk_, .heev = pzheev_,
     .ormtr = pzunmtr_, .ormqr = pzunmqr_, .ormlq = pzunmlq_, .ormbr = pzunmbr_, .cgesvd = pzgesvd_},
};

const dap_linalg_routines *dap_linalg_routines_of(dap_dtype dtype)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].dtype == dtype) return &table[i];
  return NULL;
}
