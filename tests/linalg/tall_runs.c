#include "tsqr_impl.h" /* before complex.h, whose macro is the name of a member */

#include "tall_runs.h"

/* Takes the place of the rule, which only takes long columns. As few rows as singular values want will do. */
bool __wrap_dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns);
bool __wrap_dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns)
{
  return dap_tsqr_is_tall(call, rows, columns);
}

trial tall_trial(int row, int64_t rows)
{
  return (trial){.source = &sources[row],
                 .type = element_type_of(DAP_F8),
                 .size = {rows * test_nprocs(), 5},
                 .grid = {test_nprocs(), 1}};
}

void tall_check_sharing(const tall_sharing rows[], size_t count, int alike, tall_check *check)
{
  for (size_t i = 0; i < count; i++) {
    tall_sharing row = rows[i];
    const bool is_elsewhere = !(row.how & alike) && test_nprocs() == 1;
    if (is_elsewhere && row.want) continue;
    if (is_elsewhere) row.shared[1] = -1;
    TEST_CASE("%s", row.why);
    trial t = tall_trial(row.source, 40);
    t.number = (int)i;
    dap_linalg_report report = {0};
    check(&t, &row, &(dap_linalg_options){.sharing = row.sharing, .report = &report});
    SETTLE();
  }
}
