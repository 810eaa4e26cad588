! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! MPI and PnetCDF for a job of one process, as modules (see mpi.h and pnetcdf.h).

module mpi
  implicit none
  include 'constants.f90'
end module

module pnetcdf
  implicit none
  integer, parameter :: nf_noerr = 0, nf90_clobber = 0, nf90_write = 1, nf90_real = 4, nf90_double = 8
  integer(8), parameter :: nf90_unlimited = 0
  integer, external :: nf90mpi_create, nf90mpi_close, nfmpi_open, nfmpi_def_dim, nfmpi_def_var, nfmpi_inq_varid
  integer, external :: nfmpi_enddef, nfmpi_begin_indep_data, nfmpi_end_indep_data
  integer, external :: nfmpi_put_vara_double, nfmpi_put_vara_double_all
contains
  function nf90mpi_strerror(error) result(text)
    integer, intent(in) :: error
    character(len=40) :: text
    write (text, '(a, i0)') 'error ', error
  end function
end module
