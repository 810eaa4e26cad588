! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Allocatable arrays, derived types with allocatable parts, pointers and strings: allocated by one
! thread, used and freed by another, as private and firstprivate variables too.

program f_allocatable
  use omp_lib
  implicit none
  type :: node
    integer :: number = 0
    real(8), allocatable :: data(:)
    type(node), pointer :: next => null()
  end type node
  type(node), allocatable :: nodes(:)
  type(node), pointer :: head, item
  real(8), allocatable :: work(:), matrix(:, :)
  character(len=:), allocatable :: text
  integer :: i, n, me, other, count

  n = omp_get_max_threads()
  allocate (nodes(0:n - 1), matrix(40, 50))
  !$omp parallel private(me, other)
  me = omp_get_thread_num()
  other = mod(me + 1, omp_get_num_threads())
  nodes(me)%number = me
  allocate (nodes(me)%data(100 + me))
  nodes(me)%data = me * 0.5d0
  !$omp barrier
  if (size(nodes(other)%data) /= 100 + other) call fail('A size is wrong.')
  if (any(nodes(other)%data /= other * 0.5d0)) call fail('Another thread''s data are wrong.')
  !$omp barrier
  deallocate (nodes(other)%data)
  allocate (nodes(other)%data(3))
  nodes(other)%data = [1, 2, 3]
  !$omp end parallel
  do i = 0, n - 1
    if (sum(nodes(i)%data) /= 6) call fail('The new data are wrong.')
  end do

  allocate (work(20))
  work = 7
  !$omp parallel firstprivate(work) private(me)
  me = omp_get_thread_num()
  if (size(work) /= 20) call fail('The firstprivate array has another size.')
  if (any(work /= 7)) call fail('The firstprivate array starts wrong.')
  work = me
  !$omp barrier
  if (any(work /= me)) call fail('The firstprivate array is shared.')
  !$omp end parallel
  if (any(work /= 7)) call fail('The firstprivate array changed outside.')

  !$omp parallel do collapse(2) schedule(dynamic, 11)
  do i = 1, 40
    do other = 1, 50
      matrix(i, other) = 100 * i + other
    end do
  end do
  !$omp end parallel do
  if (matrix(40, 50) /= 4050 .or. matrix(1, 1) /= 101) call fail('The matrix is wrong.')
  if (sum(matrix) /= 40d0 * 50 * (100 * 20.5d0 + 25.5d0)) call fail('The matrix'' sum is wrong.')

  nullify (head)
  !$omp parallel do private(item)
  do i = 1, 200
    allocate (item)
    item%number = i
    allocate (item%data(2))
    item%data = i
    !$omp critical (list)
    item%next => head
    head => item
    !$omp end critical (list)
  end do
  !$omp end parallel do
  count = 0
  do while (associated(head))
    item => head%next
    count = count + head%number + int(head%data(2))
    deallocate (head)
    head => item
  end do
  if (count /= 2 * 20100) call fail('The list is wrong.')

  !$omp parallel
  !$omp single
  text = repeat('weave ', 50)
  !$omp end single
  if (len(text) /= 300 .or. text(295:299) /= 'weave') call fail('The string is wrong.')
  !$omp end parallel
  print '(a)', 'ok'

contains

  subroutine fail(sentence)
    character(len=*), intent(in) :: sentence
    write (0, '(2a)') 'f_allocatable: ', sentence
    stop 1
  end subroutine fail
end program f_allocatable
