! Uses a module that is installed later.
subroutine uses()
  use later
  implicit none
  number = 1
end subroutine
