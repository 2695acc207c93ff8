#include "tall_runs.h"

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
