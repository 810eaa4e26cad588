! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Tasks in Fortran: recursion, dependences, groups, loops of tasks, captured variables.
module work
  implicit none
contains
  recursive function fibonacci(n) result(f)
    integer, intent(in) :: n
    integer :: f, a, b
    if (n < 2) then
      f = n
      return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b) firstprivate(n)
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    f = a + b
  end function
end module

program tasks
  use omp_lib
  use work
  implicit none
  integer :: i, f, x, y, total
  integer :: done(200)
  real(8) :: values(300)
  x = 0
  y = 0
  total = 0
  done = 0
  values = 0

  !$omp parallel
  !$omp single
  f = fibonacci(11)
  !$omp end single
  !$omp end parallel
  if (f /= 89) call wrong("The Fibonacci number", f)

  !$omp parallel
  !$omp single
  do i = 1, 200
    !$omp task firstprivate(i) shared(done)
    done(i) = i * 3
    !$omp end task
  end do
  !$omp taskwait
  if (any(done /= [(i * 3, i = 1, 200)])) call wrong("After taskwait, elements", sum(done))
  !$omp task depend(out: x) shared(x)
  x = 4
  !$omp end task
  !$omp task depend(in: x) depend(out: y) shared(x, y)
  y = x + 1
  !$omp end task
  !$omp task depend(inout: y) shared(y)
  y = y * 10
  !$omp end task
  !$omp end single
  !$omp end parallel
  if (y /= 50) call wrong("The chain", y)

  !$omp parallel
  !$omp single
  !$omp taskgroup
  do i = 1, 30
    !$omp task firstprivate(i) shared(total)
    !$omp task firstprivate(i) shared(total)
    !$omp atomic
    total = total + i
    !$omp end task
    !$omp end task
  end do
  !$omp end taskgroup
  if (total /= 465) call wrong("The group's sum", total)
  !$omp taskloop grainsize(7)
  do i = 1, 300
    values(i) = values(i) + i
  end do
  !$omp end taskloop
  !$omp task if(.false.) shared(x)
  x = 77
  !$omp end task
  if (x /= 77) call wrong("An undeferred task", x)
  !$omp end single
  !$omp end parallel
  do i = 1, 300
    if (values(i) /= i) call wrong("The loop of tasks", i)
  end do
  print '(a)', "ok"
contains
  subroutine wrong(what, value)
    character(*), intent(in) :: what
    integer, intent(in) :: value
    print *, what, " left ", value
    error stop 1
  end subroutine
end program
