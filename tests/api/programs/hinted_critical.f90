! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Node 0 writes pages in a critical region, and the last thread reads them there. A hint says before that they come with
! the region, or none does. The arguments are "migrate-critical" and "said" or "unsaid", as of hinted.c.
program hinted_critical
  use, intrinsic :: iso_c_binding, only: c_int, c_null_char, c_size_t
  use omp_lib
  use weft
  implicit none
  integer, parameter :: words = 512, pages = 20
  integer(8), save :: memory(words * (pages + 1)) = 0
  integer :: first, page, is_in, is_behind, wrong
  character(len=8) :: said

  call get_command_argument(2, said)
  ! The first page that lies wholly in it.
  first = int(mod(words - mod(loc(memory) / 8, int(words, 8)), int(words, 8)))
  wrong = 0
  is_in = 0
  !$omp parallel
  !$omp end parallel
  do page = 0, pages - 1
    memory(first + page * words + 9) = page + 1
  end do
  if (said == 'said') wrong = abs(weft_migrate_with_critical(memory(first + 1), int(8 * words * pages, c_size_t), &
                                                              'updates' // c_null_char))
  !$omp parallel private(page, is_behind)
  if (omp_get_thread_num() == 0) then
    !$omp critical (Updates)
    !$omp atomic write seq_cst
    is_in = 1
    do page = 0, pages - 1
      memory(first + page * words + 9) = page + 2
    end do
    !$omp end critical (Updates)
  end if
  is_behind = 0
  if (omp_get_thread_num() == omp_get_num_threads() - 1) then
    do while (is_behind == 0)
      !$omp atomic read seq_cst
      is_behind = is_in
    end do
    !$omp critical (Updates)
    do page = 0, pages - 1
      if (memory(first + mod(page * 7, pages) * words + 9) /= mod(page * 7, pages) + 2) wrong = wrong + 1
    end do
    !$omp end critical (Updates)
  end if
  !$omp end parallel
  if (wrong == 0) print '(a)', 'right'
  if (wrong /= 0) print '(a)', 'wrong'
end program
