! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! weft/remote.h for Fortran: `use weft_remote`. See there, or docs/reference/remote.md, for what each call
! does. Offsets are bytes, from 0. Memory is any contiguous variable or array; where a call may return
! before it has filled it, the variable needs the attribute asynchronous or target.
module weft_remote
  use, intrinsic :: iso_c_binding, only: c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_null_ptr, c_ptr, c_size_t
  use weft
  implicit none
  private :: c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_null_ptr, c_ptr, c_size_t

  integer(c_int), parameter :: weft_error_key = -6
  integer(c_int), parameter :: weft_error_right = -7
  integer(c_int), parameter :: weft_error_operation = -8
  integer(c_int), parameter :: weft_error_full = -9
  integer(c_int), parameter :: weft_error_empty = -10
  integer(c_int), parameter :: weft_error_memory = -11
  integer(c_int), parameter :: weft_error_handler = -12
  integer(c_int), parameter :: weft_pending = 1

  integer(c_int), parameter :: weft_right_read = 1
  integer(c_int), parameter :: weft_right_write = 2
  integer(c_int), parameter :: weft_right_atomic = 4
  integer(c_int), parameter :: weft_right_send = 8
  integer(c_int), parameter :: weft_right_memory = 7

  integer(c_int), parameter :: weft_notice_add = 0, weft_notice_store = 1

  enum, bind(c)
    enumerator :: weft_op_load = 0, weft_op_store, weft_op_swap, weft_op_compare_swap, weft_op_add, weft_op_subtract, &
      weft_op_and, weft_op_nand, weft_op_or, weft_op_xor, weft_op_max, weft_op_min
  end enum
  enum, bind(c)
    enumerator :: weft_int8 = 0, weft_int16, weft_int32, weft_int64, weft_uint8, weft_uint16, weft_uint32, weft_uint64, &
      weft_float, weft_double
  end enum

  type, bind(c) :: weft_key
    integer(c_int64_t) :: secret = 0, address = 0, bytes = 0
    integer(c_int32_t) :: node = 0, number = 0
    integer(c_int) :: rights = 0
  end type

  type, bind(c) :: weft_request
    type(c_ptr) :: state = c_null_ptr
    integer(c_int) :: error = 0
  end type

  ! Of a list: `memory` is c_loc of what is here.
  type, bind(c) :: weft_piece
    integer(c_size_t) :: offset = 0
    type(c_ptr) :: memory = c_null_ptr
    integer(c_size_t) :: bytes = 0
  end type

  ! `key` is c_loc of a weft_key.
  type, bind(c) :: weft_notice
    type(c_ptr) :: key = c_null_ptr
    integer(c_size_t) :: offset = 0
    integer(c_int64_t) :: value = 0
    integer(c_int) :: how = weft_notice_add
  end type

  interface
    ! To be given to c_f_pointer.
    function weft_register(bytes, rights, key) result(memory) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      integer(c_size_t), value :: bytes
      integer(c_int), value :: rights
      type(weft_key), intent(out) :: key
      type(c_ptr) :: memory
    end function

    function weft_unregister(memory) result(error) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: memory
      integer(c_int) :: error
    end function

    function weft_grant(part, bytes, rights, key) result(error) bind(c)
      import :: c_int, c_size_t, weft_key
      type(*), intent(in) :: part(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: rights
      type(weft_key), intent(out) :: key
      integer(c_int) :: error
    end function

    function weft_revoke(key) result(error) bind(c)
      import :: c_int, weft_key
      type(weft_key), intent(in) :: key
      integer(c_int) :: error
    end function

    function weft_shared_key(memory, bytes, key) result(error) bind(c)
      import :: c_int, c_size_t, weft_key
      type(*) :: memory(*)
      integer(c_size_t), value :: bytes
      type(weft_key), intent(out) :: key
      integer(c_int) :: error
    end function

    function weft_test(request) result(error) bind(c)
      import :: c_int, weft_request
      type(weft_request), intent(inout) :: request
      integer(c_int) :: error
    end function

    function weft_wait(request) result(error) bind(c)
      import :: c_int, weft_request
      type(weft_request), intent(inout) :: request
      integer(c_int) :: error
    end function

    function weft_wait_all(requests, count) result(error) bind(c)
      import :: c_int, c_size_t, weft_request
      type(weft_request), intent(inout) :: requests(*)
      integer(c_size_t), value :: count
      integer(c_int) :: error
    end function

    function weft_fence(at_most) result(error) bind(c)
      import :: c_int, c_size_t
      integer(c_size_t), value :: at_most
      integer(c_int) :: error
    end function

    function weft_wait_for(word, at_least) result(error) bind(c)
      import :: c_int, c_int64_t
      integer(c_int64_t), intent(in) :: word
      integer(c_int64_t), value :: at_least
      integer(c_int) :: error
    end function

    ! `notice` is c_loc of a weft_notice, or c_null_ptr; `request` likewise.
    function weft_put(to, offset, from, bytes, notice, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(weft_key), intent(in) :: to
      integer(c_size_t), value :: offset, bytes
      type(*), intent(in) :: from(*)
      type(c_ptr), value :: notice, request
      integer(c_int) :: error
    end function

    function weft_get(into, from, offset, bytes, notice, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(*) :: into(*)
      type(weft_key), intent(in) :: from
      integer(c_size_t), value :: offset, bytes
      type(c_ptr), value :: notice, request
      integer(c_int) :: error
    end function

    function weft_put_strided(to, offset, to_stride, from, from_stride, block_bytes, count, notice, request) &
        result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(weft_key), intent(in) :: to
      integer(c_size_t), value :: offset, to_stride, from_stride, block_bytes, count
      type(*), intent(in) :: from(*)
      type(c_ptr), value :: notice, request
      integer(c_int) :: error
    end function

    function weft_get_strided(into, into_stride, from, offset, from_stride, block_bytes, count, notice, request) &
        result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(*) :: into(*)
      type(weft_key), intent(in) :: from
      integer(c_size_t), value :: into_stride, offset, from_stride, block_bytes, count
      type(c_ptr), value :: notice, request
      integer(c_int) :: error
    end function

    function weft_put_list(to, pieces, count, notice, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key, weft_piece
      type(weft_key), intent(in) :: to
      type(weft_piece), intent(in) :: pieces(*)
      integer(c_size_t), value :: count
      type(c_ptr), value :: notice, request
      integer(c_int) :: error
    end function

    function weft_get_list(from, pieces, count, notice, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key, weft_piece
      type(weft_key), intent(in) :: from
      type(weft_piece), intent(in) :: pieces(*)
      integer(c_size_t), value :: count
      type(c_ptr), value :: notice, request
      integer(c_int) :: error
    end function

    ! `notices` is c_loc of an array with a weft_notice for each key, or c_null_ptr.
    function weft_put_multicast(to, count, offset, from, bytes, notices, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(weft_key), intent(in) :: to(*)
      integer(c_size_t), value :: count, offset, bytes
      type(*), intent(in) :: from(*)
      type(c_ptr), value :: notices, request
      integer(c_int) :: error
    end function

    ! `operand`, `expected` and `old` are c_loc of numbers of the type, or c_null_ptr.
    function weft_atomic(on, offset, operation, kind, operand, expected, old, notice, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(weft_key), intent(in) :: on
      integer(c_size_t), value :: offset
      integer(c_int), value :: operation, kind
      type(c_ptr), value :: operand, expected, old, notice, request
      integer(c_int) :: error
    end function

    function weft_fifo_open(messages, most_bytes, key) result(fifo) bind(c)
      import :: c_ptr, c_size_t, weft_key
      integer(c_size_t), value :: messages, most_bytes
      type(weft_key), intent(out) :: key
      type(c_ptr) :: fifo
    end function

    function weft_fifo_close(fifo) result(error) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: fifo
      integer(c_int) :: error
    end function

    function weft_fifo_put(to, message, bytes, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(weft_key), intent(in) :: to
      type(*), intent(in) :: message(*)
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: request
      integer(c_int) :: error
    end function

    function weft_fifo_try_put(to, message, bytes, request) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t, weft_key
      type(weft_key), intent(in) :: to
      type(*), intent(in) :: message(*)
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: request
      integer(c_int) :: error
    end function

    function weft_fifo_get(fifo, into, room, bytes) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: fifo
      type(*) :: into(*)
      integer(c_size_t), value :: room
      integer(c_size_t), intent(out) :: bytes
      integer(c_int) :: error
    end function

    function weft_fifo_try_get(fifo, into, room, bytes) result(error) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: fifo
      type(*) :: into(*)
      integer(c_size_t), value :: room
      integer(c_size_t), intent(out) :: bytes
      integer(c_int) :: error
    end function

    ! `handler` is c_funloc of a bind(c) subroutine, or c_null_funptr.
    function weft_signals_open(handler, argument, key) result(signals) bind(c)
      import :: c_funptr, c_ptr, weft_key
      type(c_funptr), value :: handler
      type(c_ptr), value :: argument
      type(weft_key), intent(out) :: key
      type(c_ptr) :: signals
    end function

    function weft_signals_close(signals) result(error) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: signals
      integer(c_int) :: error
    end function

    function weft_signal(to, value, request) result(error) bind(c)
      import :: c_int, c_int64_t, c_ptr, weft_key
      type(weft_key), intent(in) :: to
      integer(c_int64_t), value :: value
      type(c_ptr), value :: request
      integer(c_int) :: error
    end function

    function weft_signals_wait(signals, node, value) result(error) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: signals
      integer(c_int), intent(out) :: node
      integer(c_int64_t), intent(out) :: value
      integer(c_int) :: error
    end function
  end interface
end module weft_remote
