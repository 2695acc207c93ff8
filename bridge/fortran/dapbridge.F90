!> dapbridge for Fortran. `use dapbridge` gives access to all procedures and types of the modules below.
module dapbridge
  use dapbridge_base
  use dapbridge_waits
  use dapbridge_layouts
  use dapbridge_locate
  use dapbridge_assembled
  use dapbridge_arrays
  use dapbridge_plans
  use dapbridge_parts
  use dapbridge_files
  use dapbridge_texts
#ifdef DAP_WITH_SCALAPACK
  use dapbridge_matrices
  use dapbridge_linalg
  use dapbridge_linalg_banded
  use dapbridge_linalg_schur
  use dapbridge_linalg_factors
  use dapbridge_linalg_triangular
#endif
  implicit none
  private :: c_error, finish, from_c, handle_of, share, release, c_part, c_part_of
#ifdef DAP_WITH_SCALAPACK
  private :: c_outcome, conclude
#endif
end module
