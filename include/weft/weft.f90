! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! weft/weft.h for Fortran: `use weft`. weftfc finds the module, and links what it declares. See there, or
! docs/reference/api.md, for what each call does. Memory is any contiguous variable or array; of a section
! with gaps the compiler would hand a copy to the call, which is not the program's memory.
module weft
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_ptr, c_size_t
  implicit none
  private :: c_char, c_int, c_ptr, c_size_t

  integer(c_int), parameter :: weft_ok = 0
  integer(c_int), parameter :: weft_error_range = -1
  integer(c_int), parameter :: weft_error_access = -2
  integer(c_int), parameter :: weft_error_size = -3
  integer(c_int), parameter :: weft_error_unknown = -4
  integer(c_int), parameter :: weft_error_node = -5

  integer(c_int), parameter :: weft_any_node = -1

  integer(c_int), parameter :: weft_error_distribution = -20
  integer(c_int), parameter :: weft_error_name = -21

  integer(c_int), parameter :: weft_read = 1
  integer(c_int), parameter :: weft_write = 2
  integer(c_int), parameter :: weft_overwrite = 4

  integer(c_int), parameter :: weft_block = -1
  integer(c_int), parameter :: weft_cyclic = -2

  interface
    ! A C string.
    function weft_error_text(error) result(text) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: error
      type(c_ptr) :: text
    end function

    function weft_node() result(node) bind(c)
      import :: c_int
      integer(c_int) :: node
    end function

    function weft_nodes() result(nodes) bind(c)
      import :: c_int
      integer(c_int) :: nodes
    end function

    function weft_home_of(memory) result(home) bind(c)
      import :: c_int
      type(*), intent(in) :: memory(*)
      integer(c_int) :: home
    end function

    ! To be given to c_f_pointer, and in the end to C's free.
    function weft_alloc_on(node, bytes) result(memory) bind(c)
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: node
      integer(c_size_t), value :: bytes
      type(c_ptr) :: memory
    end function

    function weft_thread_on(node) result(error) bind(c)
      import :: c_int
      integer(c_int), value :: node
      integer(c_int) :: error
    end function

    function weft_migrate(node) result(error) bind(c)
      import :: c_int
      integer(c_int), value :: node
      integer(c_int) :: error
    end function

    function weft_check_out(memory, bytes, access) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: access
      integer(c_int) :: error
    end function

    function weft_check_out_begin(memory, bytes, access) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: access
      integer(c_int) :: error
    end function

    function weft_check_out_strided(memory, block_bytes, stride_bytes, count, access) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: block_bytes, stride_bytes, count
      integer(c_int), value :: access
      integer(c_int) :: error
    end function

    function weft_check_out_strided_begin(memory, block_bytes, stride_bytes, count, access) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: block_bytes, stride_bytes, count
      integer(c_int), value :: access
      integer(c_int) :: error
    end function

    function weft_commit(memory, bytes) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function

    function weft_commit_strided(memory, block_bytes, stride_bytes, count) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: block_bytes, stride_bytes, count
      integer(c_int) :: error
    end function

    ! Hints: weft/hints.h, docs/reference/hints.md.
    function weft_broadcast(memory, bytes) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function

    function weft_scatter(memory, bytes, unit_bytes, distribution) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes, unit_bytes
      integer(c_int), value :: distribution
      integer(c_int) :: error
    end function

    function weft_gather(memory, bytes) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function

    function weft_alltoall(memory, bytes) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function

    function weft_read_mostly(memory, bytes) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function

    function weft_home(memory, bytes, unit_bytes, distribution) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes, unit_bytes
      integer(c_int), value :: distribution
      integer(c_int) :: error
    end function

    function weft_private_after_init(memory, bytes) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function

    ! The lock is a variable of kind omp_lock_kind or omp_nest_lock_kind.
    function weft_migrate_with(memory, bytes, lock) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      type(*), intent(in) :: lock
      integer(c_int) :: error
    end function

    ! The name of a critical region in small letters, and c_null_char behind it.
    function weft_migrate_with_critical(memory, bytes, name) result(error) bind(c)
      import :: c_char, c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: error
    end function

    function weft_forget_hints(memory, bytes) result(error) bind(c)
      import :: c_int, c_size_t
      type(*), intent(in) :: memory(*)
      integer(c_size_t), value :: bytes
      integer(c_int) :: error
    end function
  end interface
end module weft
