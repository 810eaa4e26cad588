! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Derived types with allocatable components, pointers to array sections, arrays of arrays and strings of
! changing length: filled by one thread or task, grown, moved and read by others; workshare on whole
! arrays, where and forall; associate and block; polymorphic variables.

module shapes
  implicit none
  type :: row
    real(8), allocatable :: cells(:)
    character(len=:), allocatable :: name
  end type row
  type :: table
    type(row), allocatable :: rows(:)
    integer :: filled = 0
  end type table
  type, abstract :: shape
  contains
    procedure(area_of), deferred :: area
  end type shape
  abstract interface
    function area_of(self) result(a)
      import :: shape
      class(shape), intent(in) :: self
      real(8) :: a
    end function area_of
  end interface
  type, extends(shape) :: square
    real(8) :: side = 0
  contains
    procedure :: area => square_area
  end type square
  type, extends(shape) :: box
    real(8), allocatable :: sides(:)
  contains
    procedure :: area => box_area
  end type box
  type :: holder
    class(shape), allocatable :: it
  end type holder
  type :: link
    integer :: number = 0
    type(link), pointer :: next => null()
  end type link
  type(table), target, save :: big
contains
  function square_area(self) result(a)
    class(square), intent(in) :: self
    real(8) :: a
    a = self%side**2
  end function square_area
  function box_area(self) result(a)
    class(box), intent(in) :: self
    real(8) :: a
    a = product(self%sides)
  end function box_area
  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print *, what
      stop 1
    end if
  end subroutine expect
end module shapes

program f_structures
  use omp_lib
  use shapes
  implicit none
  call tables()
  call tasks()
  call polymorphic()
  call sections()
  call whole_arrays()
  call lists()
  call reductions()
  print '(a)', 'ok'
contains

  ! Rows of a module's table, allocated by whoever has the iteration, then grown by another thread.
  subroutine tables()
    integer :: i, j, wrong
    integer, parameter :: n = 120
    allocate(big%rows(n))
    !$omp parallel do schedule(dynamic, 3)
    do i = 1, n
      allocate(big%rows(i)%cells(i))
      big%rows(i)%cells = [(real(i * j, 8), j = 1, i)]
      big%rows(i)%name = repeat('x', mod(i, 17) + 1)
      !$omp atomic update
      big%filled = big%filled + 1
    end do
    !$omp parallel do schedule(static, 1)
    do i = n, 1, -1
      big%rows(i)%cells = [big%rows(i)%cells, -1d0]
      big%rows(i)%name = big%rows(i)%name // 'yy'
    end do
    wrong = 0
    !$omp parallel do reduction(+ : wrong) private(j)
    do i = 1, n
      if (size(big%rows(i)%cells) /= i + 1) wrong = wrong + 1
      if (big%rows(i)%cells(i + 1) /= -1d0) wrong = wrong + 1
      do j = 1, i
        if (big%rows(i)%cells(j) /= real(i * j, 8)) wrong = wrong + 1
      end do
      if (len(big%rows(i)%name) /= mod(i, 17) + 3) wrong = wrong + 1
    end do
    call expect(big%filled == n .and. wrong == 0, 'The table is wrong.')
    !$omp parallel do schedule(dynamic)
    do i = 1, n
      deallocate(big%rows(i)%cells)
    end do
    deallocate(big%rows)
  end subroutine tables

  ! Allocatable variables travel with the tasks that capture them; results are moved out.
  subroutine tasks()
    integer, parameter :: n = 40
    type(row) :: rows(n)
    real(8), allocatable :: work(:)
    integer :: i
    !$omp parallel
    !$omp single private(work)
    do i = 1, n
      allocate(work(10 * i))
      work = i
      !$omp task firstprivate(work, i) shared(rows)
      work(1) = 2 * work(2)
      rows(i)%cells = work
      !$omp end task
      !$omp task depend(out : rows(i)) firstprivate(i) shared(rows)
      rows(i)%name = 'row'
      !$omp end task
      !$omp task depend(in : rows(i)) firstprivate(i) shared(rows)
      rows(i)%name = rows(i)%name // char(48 + mod(i, 10))
      !$omp end task
      deallocate(work)
    end do
    !$omp end single
    !$omp end parallel
    do i = 1, n
      call expect(size(rows(i)%cells) == 10 * i, 'A task took an array of another size.')
      call expect(rows(i)%cells(1) == 2d0 * i .and. sum(rows(i)%cells(2:)) == real(i, 8) * (10 * i - 1), &
                  'A task made something else of the array.')
      call expect(rows(i)%name == 'row' // char(48 + mod(i, 10)), 'A name is wrong.')
    end do
  end subroutine tasks

  ! The type travels with the object.
  subroutine polymorphic()
    type(holder) :: holders(60)
    real(8) :: total
    integer :: i, squares
    !$omp parallel do schedule(dynamic)
    do i = 1, 60
      if (mod(i, 2) == 0) then
        allocate(holders(i)%it, source=square(side=real(i, 8)))
      else
        allocate(box :: holders(i)%it)
        select type (b => holders(i)%it)
        type is (box)
          b%sides = [1d0, 2d0, real(i, 8)]
        end select
      end if
    end do
    total = 0
    squares = 0
    !$omp parallel do schedule(static, 1) reduction(+ : total, squares)
    do i = 60, 1, -1
      total = total + holders(i)%it%area()
      select type (s => holders(i)%it)
      class is (square)
        squares = squares + 1
      end select
    end do
    call expect(squares == 30, 'Types were lost.')
    call expect(total == sum([(merge(real(i, 8)**2, 2d0 * i, mod(i, 2) == 0), i = 1, 60)]), 'The areas are wrong.')
  end subroutine polymorphic

  ! Pointers to sections with strides, shared by the team; arguments that need copies.
  subroutine sections()
    real(8), target :: grid(100, 80)
    real(8), pointer :: odd(:, :), column(:)
    integer :: i, j
    !$omp parallel do
    do j = 1, 80
      grid(:, j) = j
    end do
    odd => grid(1:100:2, 1:80:3)
    !$omp parallel do private(i)
    do j = 1, size(odd, 2)
      do i = 1, size(odd, 1)
        odd(i, j) = odd(i, j) + 1000
      end do
    end do
    call expect(count(grid > 1000) == 50 * 27, 'The section has another size.')
    !$omp parallel do private(column)
    do j = 1, 80
      column => grid(:, j)
      call double_it(column(2:100:2))
      call double_it(grid(j:j, 1))
    end do
    call expect(grid(2, 2) == 4 .and. grid(1, 2) == 2 .and. grid(1, 4) == 1004, 'Sections were not changed.')
  end subroutine sections

  subroutine double_it(values)
    real(8), intent(inout) :: values(:)
    values = 2 * values
  end subroutine double_it

  subroutine whole_arrays()
    integer, parameter :: n = 400
    real(8) :: a(n), b(n), c(n, 5), s
    real(8), allocatable :: d(:)
    integer :: i
    allocate(d(n))
    s = 0
    !$omp parallel shared(a, b, c, d, s)
    !$omp workshare
    a = [(real(i, 8), i = 1, n)]
    b = a(n:1:-1)
    d = 2 * a + b
    where (mod(int(a), 2) == 0)
      d = 0
    elsewhere
      d = d - b
    end where
    forall (i = 1:5) c(:, i) = a * i
    s = sum(d)
    !$omp end workshare
    !$omp end parallel
    call expect(s == 2 * sum([(real(i, 8), i = 1, n, 2)]), 'workshare gave another sum.')
    call expect(sum(c) == 15 * sum(a), 'forall is wrong.')
    !$omp parallel workshare
    a = matmul(c, [1d0, 1d0, 1d0, 1d0, 1d0])
    c(:, 1) = cshift(b, 1)
    !$omp end parallel workshare
    call expect(a(7) == 15 * 7 .and. c(n, 1) == b(1), 'The second workshare is wrong.')
  end subroutine whole_arrays

  ! Linked by many threads, walked by one, taken apart by another.
  subroutine lists()
    type(link), pointer :: head, fresh
    integer :: i, count, total
    nullify(head)
    !$omp parallel do private(fresh) schedule(dynamic)
    do i = 1, 200
      allocate(fresh)
      fresh%number = i
      !$omp critical
      fresh%next => head
      head => fresh
      !$omp end critical
    end do
    count = 0
    total = 0
    !$omp parallel private(fresh)
    if (omp_get_thread_num() == omp_get_num_threads() - 1) then
      do while (associated(head))
        count = count + 1
        total = total + head%number
        fresh => head%next
        deallocate(head)
        head => fresh
      end do
    end if
    !$omp end parallel
    call expect(count == 200 .and. total == 200 * 201 / 2, 'The list is wrong.')
  end subroutine lists

  ! Allocatable arrays, components' arrays and strings of logicals as results of reductions.
  subroutine reductions()
    real(8), allocatable :: sums(:), most(:)
    integer, allocatable :: bits(:)
    logical :: all_there(50)
    integer :: i
    allocate(sums(30), most(30), bits(4))
    sums = 0
    most = -1
    bits = 0
    all_there = .true.
    !$omp parallel do reduction(+ : sums) reduction(max : most) reduction(ior : bits) reduction(.and. : all_there)
    do i = 1, 900
      sums(mod(i, 30) + 1) = sums(mod(i, 30) + 1) + i
      most(mod(i, 30) + 1) = max(most(mod(i, 30) + 1), real(i, 8))
      bits(mod(i, 4) + 1) = ior(bits(mod(i, 4) + 1), ishft(1, mod(i, 20)))
      all_there(mod(i, 50) + 1) = all_there(mod(i, 50) + 1) .and. i /= 777
    end do
    call expect(sum(sums) == 900 * 901 / 2 .and. maxval(most) == 900, 'Sums or maxima are wrong.')
    call expect(ior(ior(bits(1), bits(2)), ior(bits(3), bits(4))) == ishft(1, 20) - 1, 'Bits are missing.')
    call expect(count(.not. all_there) == 1 .and. .not. all_there(mod(777, 50) + 1), 'A logical is wrong.')
  end subroutine reductions
end program f_structures
