/* Replaces procedures of the modules in examples in Fortran, as nothing.c does for C. */
#define NOTHING(module, procedure)                                                                           \
  void __wrap___dapbridge_##module##_MOD_##procedure(void);                                                  \
  void __wrap___dapbridge_##module##_MOD_##procedure(void)                                                   \
  {                                                                                                          \
  }

NOTHING(plans, dap_plan_run)
NOTHING(plans, dap_redistribute)
NOTHING(linalg, dap_linalg_solve)
NOTHING(files, dap_file_load)
