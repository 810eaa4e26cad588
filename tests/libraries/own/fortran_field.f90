! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A Fortran program and its library.
! libraries: field.f90
program fortran_field
  use omp_lib
  use field
  implicit none
  integer :: shared_by_name(100), i, threads, largest, wrong
  common /both/ shared_by_name
  threads = omp_get_max_threads()
  shared_by_name = 0
  call fill(2.0d0)
  if (any(values /= 3.5d0) .or. sum(more) /= cells * (cells + 1) / 2) call wrong_end("the library's data")
  call fill(1.0d0)
  wrong = 0
  largest = 0
  !$omp parallel reduction(+: wrong) reduction(max: largest)
  if (any(values /= 4.5d0)) wrong = wrong + 1
  if (more(cells) /= cells) wrong = wrong + 1
  largest = calls()
  call add_to_common(omp_get_thread_num() + 1)
  mine = mine + omp_get_thread_num()
  !$omp end parallel
  if (wrong /= 0) call wrong_end("what threads saw")
  if (largest /= threads) call wrong_end("the saved variable")
  do i = 1, threads
    if (shared_by_name(i) /= i) call wrong_end("the common block")
  end do
  !$omp parallel reduction(+: wrong)
  if (mine /= 4 + omp_get_thread_num()) wrong = wrong + 1
  !$omp end parallel
  if (wrong /= 0) call wrong_end("the threadprivate variable")
  mine = 50
  !$omp parallel copyin(mine) reduction(+: wrong)
  if (mine /= 50) wrong = wrong + 1
  !$omp end parallel
  if (wrong /= 0) call wrong_end("copyin")
  call say("cells: ")
  print '(a)', "ok"
contains
  subroutine wrong_end(what)
    character(*), intent(in) :: what
    print '(2a)', "wrong: ", what
    stop 1
  end subroutine
end program
