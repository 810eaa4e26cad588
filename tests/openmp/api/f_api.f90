! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The module of weft/weft.h: nodes, memory on a node of choice, and explicit sharing.
program f_api
  use, intrinsic :: iso_c_binding
  use omp_lib
  use weft
  implicit none
  integer, parameter :: rows = 3000, columns = 40
  real(8) :: matrix(rows, columns)
  real(8), pointer :: there(:)
  type(c_ptr) :: memory
  integer :: node, i, j, first, last, wrong
  integer(c_size_t), parameter :: word = 8
  interface
    subroutine c_free(memory) bind(c, name='free')
      import :: c_ptr
      type(c_ptr), value :: memory
    end subroutine
  end interface

  if (weft_node() /= 0 .or. weft_nodes() < 1) error stop 'main is not on node 0'

  do node = 0, weft_nodes() - 1
    memory = weft_alloc_on(int(node, c_int), 10000 * word)
    if (.not. c_associated(memory)) error stop 'no memory'
    call c_f_pointer(memory, there, [10000])
    if (weft_home_of(there) /= node) error stop 'the home is another one'
    !$omp parallel do
    do i = 1, 10000
      there(i) = i
    end do
    if (sum(there) /= 50005000) error stop 'the sum is wrong'
    call c_free(memory)
  end do
  if (weft_thread_on(weft_nodes() - 1) /= weft_ok) error stop 'no thread may start on the last node'
  if (weft_thread_on(weft_nodes()) /= weft_error_node) error stop 'threads may start on a node too many'
  if (weft_thread_on(weft_any_node) /= weft_ok) error stop 'the choice cannot be given back'
  if (c_associated(weft_alloc_on(weft_nodes(), word))) error stop 'a node too many has memory'

  matrix = 0
  wrong = 0
  !$omp parallel private(i, j, first, last) reduction(+:wrong)
  first = rows * omp_get_thread_num() / omp_get_num_threads() + 1
  last = rows * (omp_get_thread_num() + 1) / omp_get_num_threads()
  wrong = wrong + abs(weft_check_out_strided(matrix(first, 1), (last - first + 1) * word, rows * word, &
                                             int(columns, c_size_t), ior(weft_read, weft_write)))
  do j = 1, columns
    do i = first, last
      matrix(i, j) = matrix(i, j) + i + j
    end do
  end do
  wrong = wrong + abs(weft_commit_strided(matrix(first, 1), (last - first + 1) * word, rows * word, &
                                          int(columns, c_size_t)))
  !$omp barrier
  wrong = wrong + abs(weft_check_out(matrix, rows * columns * word, weft_read))
  do j = 1, columns
    do i = 1, rows
      if (matrix(i, j) /= i + j) wrong = wrong + 1
    end do
  end do
  !$omp end parallel
  if (wrong /= 0) error stop 'elements are wrong'

  if (weft_check_out(matrix, -1_c_size_t, weft_read) /= weft_error_size) error stop 'too many bytes are taken'
  if (weft_check_out(matrix, word, 0_c_int) /= weft_error_access) error stop 'no access is taken'
  if (weft_commit(matrix, 0_c_size_t) /= weft_ok) error stop 'no bytes are refused'
  print '(a)', 'ok'
end program
