! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The module of weft/remote.h: registered memory, transfers, atomic operations, a FIFO and signals.
!
! environment: WEFT_SPREAD=auto
module handling
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int64_t), target :: handled(0:63) = 0
contains
  subroutine on_signal(node, value, argument) bind(c)
    integer(c_int), value :: node
    integer(c_int64_t), value :: value
    type(c_ptr), value :: argument
    integer(c_int64_t), pointer :: sum
    call c_f_pointer(argument, sum)
    !$omp atomic
    sum = sum + value + 0 * node
  end subroutine
end module

program f_remote
  use, intrinsic :: iso_c_binding
  use omp_lib
  use weft_remote
  use handling
  implicit none
  integer, parameter :: count = 1000
  integer(c_size_t), parameter :: word = 8
  type(weft_key), save, target :: keys(0:63), queues(0:63), bells(0:63)
  integer :: nodes

  nodes = weft_nodes()
  !$omp parallel
  call work()
  !$omp end parallel
  if (any(handled(0:nodes - 1) /= 5 * nodes)) error stop 'signals are lost'
  print '(a)', 'ok'

contains

  subroutine check(error)
    integer(c_int), intent(in) :: error
    if (error /= weft_ok) error stop 'refused'
  end subroutine

  subroutine work()
    type(c_ptr) :: memory, fifo, signals
    integer :: node, next, i
    integer(c_int64_t), pointer :: mine(:)
    node = weft_node()
    next = mod(node + 1, nodes)
    if (mod(omp_get_thread_num(), omp_get_num_threads() / nodes) == 0) then
      memory = weft_register(count * word, weft_right_memory, keys(node))
      fifo = weft_fifo_open(10_c_size_t, word, queues(node))
      signals = weft_signals_open(c_funloc(on_signal), c_loc(handled(node)), bells(node))
      if (.not. (c_associated(memory) .and. c_associated(fifo) .and. c_associated(signals))) error stop 'no memory'
      call c_f_pointer(memory, mine, [count])
    else
      memory = c_null_ptr
    end if
    !$omp barrier
    if (c_associated(memory)) then
      call transfers(next, mine)
      call lists(next)
      do i = 0, nodes - 1
        call check(weft_signal(bells(i), 5_c_int64_t, c_null_ptr))
      end do
      call messages(next, fifo)
      call check(weft_fence(0_c_size_t))
    end if
    !$omp barrier
    if (c_associated(memory)) then
      if (node == nodes - 1) call to_all()
      call check(weft_wait_for(mine(4), 3_c_int64_t))
      if (any(mine(401:405) /= [4, 5, 6, 7, 8])) error stop 'the multicast has other values'
      do while (sum_of(node) < 5 * nodes)
      end do
      call check(weft_signals_close(signals))
      call check(weft_fifo_close(fifo))
      call check(weft_unregister(memory))
    end if
  end subroutine

  integer(c_int64_t) function sum_of(node)
    integer, intent(in) :: node
    !$omp atomic read seq_cst
    sum_of = handled(node)
  end function

  ! To the next node, with a count of arrivals behind it; and what came, from the node before.
  subroutine transfers(next, mine)
    integer, intent(in) :: next
    integer(c_int64_t), intent(in) :: mine(:)
    integer(c_int64_t), target :: values(100), back(10, 10), one, before
    type(weft_notice), target :: arrived
    type(weft_request), target :: request
    integer :: i
    values = [(int(i * i, c_int64_t), i = 1, 100)]
    arrived%key = c_loc(keys(next))
    arrived%offset = 0
    arrived%value = 1
    call check(weft_put(keys(next), 100 * word, values, 100 * word, c_loc(arrived), c_loc(request)))
    call check(weft_wait(request))
    call check(weft_wait_for(mine(1), 1_c_int64_t))
    if (any(mine(101:200) /= values)) error stop 'other values have come'
    call check(weft_get_strided(back, 10 * word, keys(next), 100 * word, 10 * word, 5 * word, 10_c_size_t, c_null_ptr, &
                                c_loc(request)))
    call check(weft_wait(request))
    do i = 1, 10
      if (any(back(1:5, i) /= values(10 * i - 9:10 * i - 5))) error stop 'a block has other values'
    end do
    one = 1
    before = -1
    call check(weft_atomic(keys(next), 16_c_size_t, int(weft_op_add, c_int), int(weft_int64, c_int), c_loc(one), &
                           c_null_ptr, c_loc(before), c_null_ptr, c_loc(request)))
    call check(weft_wait(request))
    if (before /= 0) error stop 'somebody else has added'
    if (weft_put(keys(next), count * word, values, word, c_null_ptr, c_loc(request)) == weft_ok) then
      if (weft_wait(request) /= weft_error_range) error stop 'too much is put'
    end if
  end subroutine

  ! Pieces of two arrays to the next node, and back in another order.
  subroutine lists(next)
    integer, intent(in) :: next
    integer(c_int64_t), target :: first(3), second(2), back(5)
    type(weft_piece) :: pieces(2)
    type(weft_request), target :: requests(2)
    first = [1, 2, 3]
    second = [4, 5]
    pieces(1) = weft_piece(300 * word, c_loc(first), 3 * word)
    pieces(2) = weft_piece(310 * word, c_loc(second), 2 * word)
    call check(weft_put_list(keys(next), pieces, 2_c_size_t, c_null_ptr, c_loc(requests(1))))
    pieces(1) = weft_piece(310 * word, c_loc(back(1)), 2 * word)
    pieces(2) = weft_piece(300 * word, c_loc(back(3)), 3 * word)
    call check(weft_get_list(keys(next), pieces, 2_c_size_t, c_null_ptr, c_loc(requests(2))))
    call check(weft_wait_all(requests, 2_c_size_t))
    if (any(back /= [4, 5, 1, 2, 3])) error stop 'the lists have other values'
  end subroutine

  ! To all nodes, with a notice for each.
  subroutine to_all()
    integer(c_int64_t) :: values(5)
    type(weft_notice), target :: arrived(0:63)
    type(weft_request), target :: request
    integer :: i
    values = [4, 5, 6, 7, 8]
    do i = 0, nodes - 1
      arrived(i) = weft_notice(c_loc(keys(i)), 24_c_size_t, 3_c_int64_t, weft_notice_store)
    end do
    call check(weft_put_multicast(keys, int(nodes, c_size_t), 400 * word, values, 5 * word, c_loc(arrived), c_loc(request)))
    call check(weft_wait(request))
  end subroutine

  subroutine messages(next, fifo)
    integer, intent(in) :: next
    type(c_ptr), intent(in) :: fifo
    integer(c_int64_t) :: message
    integer(c_size_t) :: bytes
    integer :: i
    do i = 1, 10
      message = i
      call check(weft_fifo_put(queues(next), message, word, c_null_ptr))
    end do
    do i = 1, 10
      call check(weft_fifo_get(fifo, message, word, bytes))
      if (message /= i .or. bytes /= word) error stop 'another message'
    end do
    if (weft_fifo_try_get(fifo, message, word, bytes) /= weft_error_empty) error stop 'a message too many'
  end subroutine
end program
