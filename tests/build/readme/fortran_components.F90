! The page's components of arrays of types.
module fortran_components
  use dapbridge
  implicit none

contains

  include 'fortran_components.inc'
end module
