/* What an example gets instead of the call that does its work: success, and nothing done. The linker puts
 * these in the place of the functions that are named on its command line (--wrap). */
#define NOTHING(function)                                                                                    \
  int __wrap_##function(void);                                                                               \
  int __wrap_##function(void)                                                                                \
  {                                                                                                          \
    return 0;                                                                                                \
  }

NOTHING(dap_layout_globalize)
NOTHING(dap_plan_run)
NOTHING(dap_plan_run_many)
NOTHING(dap_linalg_solve)
NOTHING(dap_linalg_least_squares)
NOTHING(dap_linalg_eigh)
NOTHING(dap_linalg_inverse)
NOTHING(dap_linalg_factors_solve)
NOTHING(dap_elpa_eigh_generalized)
NOTHING(EPSGetEigenpair)
NOTHING(KSPSolve)
NOTHING(dap_file_load)
NOTHING(MatLoad)
