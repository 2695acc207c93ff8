/* Replaces the call that does an example's work by a function that does nothing and returns success. The
 * linker replaces the functions that its command line names (--wrap). The last functions are procedures of
 * Fortran's modules. */
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
NOTHING(__dapbridge_plans_MOD_dap_plan_run)
NOTHING(__dapbridge_plans_MOD_dap_redistribute)
NOTHING(__dapbridge_linalg_MOD_dap_linalg_solve)
NOTHING(__dapbridge_files_MOD_dap_file_load)
