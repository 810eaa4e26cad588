! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! A region that ends with a loop has one barrier, whatever kind of construct the loop is: 40 for 40
! regions, and the one with which a job begins. What the threads have written is there behind it.
!
! REQUIRES: cluster
! RUN: weftfc -O1 -fopenmp %s -o %t
! RUN: weft run -n 2 --threads 1 --spread always --stats %t 2> %t.stats | FileCheck %s
! RUN: FileCheck --check-prefix=BARRIERS %s < %t.stats
! RUN: weft run -n 3 --threads 1 --spread always %t | FileCheck %s
! RUN: %t | FileCheck %s
!
! CHECK: sum 2040000
! BARRIERS-COUNT-2: barriers 41,

program last_barriers
  integer, parameter :: n = 2000
  integer :: a(n), i, turn
  a = 0
  do turn = 1, 20
!$omp parallel do
    do i = 1, n
      a(i) = a(i) + turn
    end do
!$omp parallel
!$omp do schedule(dynamic, 10)
    do i = 1, n
      a(i) = a(i) + 30 + turn
    end do
!$omp end do
!$omp end parallel
  end do
  print '(a, i0)', 'sum ', sum(a)
end program
