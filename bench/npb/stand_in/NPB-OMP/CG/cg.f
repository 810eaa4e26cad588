! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Stands in for NPB's CG: as little as bench/npb/run reads.
      program cg
      use omp_lib
      integer i
      double precision a(100000), total, start
      start = omp_get_wtime()
      total = 0
!$omp parallel do reduction(+:total)
      do i = 1, 100000
        a(i) = i
        total = total + a(i)
      end do
      print '(a,f15.2)', ' Time in seconds = ', omp_get_wtime() - start
      if (total .eq. 5000050000d0) then
        print *, 'Verification    =               SUCCESSFUL'
      end if
      end
