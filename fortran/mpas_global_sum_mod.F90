!> The functions mpas_global_sum and mpas_global_sum_nfld of MPAS and E3SM, by exact sums: compile
!! this file in place of theirs. docs/fortran.md says what is the same, what is better and what is
!! refused.
module mpas_global_sum_mod
  use, intrinsic :: iso_fortran_env, only: r8 => real64, r4 => real32, i8 => int64, i4 => int32
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use upsweep
  implicit none
  private
  public :: mpas_global_sum, mpas_global_sum_nfld

#ifdef UPSWEEP_MPI_F90
#define COMMUNICATOR integer
#else
#define COMMUNICATOR type(MPI_Comm)
#endif

  interface mpas_global_sum
    module procedure sum_r8, sum_r4, sum_i8, sum_i4, product_r8, product_r4, product_i8, &
        product_i4_1, product_i4_2, product_i4_3, product_i4_4, product_i4_5, product_i4_6
  end interface
  interface mpas_global_sum_nfld
    module procedure sums_r8, sums_r4, sums_i8, sums_i4, products_r8, products_r4, products_i8, &
        products_i4_1, products_i4_2, products_i4_3, products_i4_4, products_i4_5, products_i4_6
  end interface

contains

  real(r8) function sum_r8(array, mpiComm, indxRange) result(s)
    real(r8), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r8) :: one(1)
    call global_sums([part_of(field(array), shape(array), mpiComm, indxRange)], one, &
        comm_of(mpiComm))
    s = one(1)
  end function

  real(r4) function sum_r4(array, mpiComm, indxRange) result(s)
    real(r4), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r4) :: one(1)
    call global_sums([part_of(field(array), shape(array), mpiComm, indxRange)], one, &
        comm_of(mpiComm))
    s = one(1)
  end function

  integer(i8) function sum_i8(array, mpiComm, indxRange) result(s)
    integer(i8), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array), shape(array), mpiComm, indxRange)], one, &
        comm_of(mpiComm))
    s = one(1)
  end function

  integer(i4) function sum_i4(array, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array), shape(array), mpiComm, indxRange)], one, &
        comm_of(mpiComm))
    s = narrow(one(1), mpiComm)
  end function

  real(r8) function product_r8(array, array2, mpiComm, indxRange) result(s)
    real(r8), intent(in), target :: array(..), array2(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = one(1)
  end function

  real(r4) function product_r4(array, array2, mpiComm, indxRange) result(s)
    real(r4), intent(in), target :: array(..), array2(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r4) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = one(1)
  end function

  integer(i8) function product_i8(array, array2, mpiComm, indxRange) result(s)
    integer(i8), intent(in), target :: array(..), array2(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = one(1)
  end function

  ! Of two arrays of integers of this kind, whose second one must not look like a communicator.

  integer(i4) function product_i4_1(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = narrow(one(1), mpiComm)
  end function

  integer(i4) function product_i4_2(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = narrow(one(1), mpiComm)
  end function

  integer(i4) function product_i4_3(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = narrow(one(1), mpiComm)
  end function

  integer(i4) function product_i4_4(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = narrow(one(1), mpiComm)
  end function

  integer(i4) function product_i4_5(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = narrow(one(1), mpiComm)
  end function

  integer(i4) function product_i4_6(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:,:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: one(1)
    call global_sums([part_of(field(array, weights=array2), shape(array), mpiComm, indxRange)], &
        one, comm_of(mpiComm))
    s = narrow(one(1), mpiComm)
  end function

  ! Many fields: the last index is that of the field.

  function sums_r8(array, mpiComm, indxRange) result(s)
    real(r8), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r8) :: s(size(array, rank(array)))
    call global_sums(layers_of(field(array), shape(array), mpiComm, indxRange), &
        s, comm_of(mpiComm))
  end function

  function sums_r4(array, mpiComm, indxRange) result(s)
    real(r4), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r4) :: s(size(array, rank(array)))
    call global_sums(layers_of(field(array), shape(array), mpiComm, indxRange), &
        s, comm_of(mpiComm))
  end function

  function sums_i8(array, mpiComm, indxRange) result(s)
    integer(i8), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: s(size(array, rank(array)))
    call global_sums(layers_of(field(array), shape(array), mpiComm, indxRange), &
        s, comm_of(mpiComm))
  end function

  function sums_i4(array, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i4) :: s(size(array, rank(array)))
    integer(i8) :: all(size(s))
    integer :: k
    call global_sums(layers_of(field(array), shape(array), mpiComm, indxRange), &
        all, comm_of(mpiComm))
    do k = 1, size(s)
      s(k) = narrow(all(k), mpiComm)
    end do
  end function

  function products_r8(array, array2, mpiComm, indxRange) result(s)
    real(r8), intent(in), target :: array(..), array2(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r8) :: s(size(array, rank(array)))
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        s, comm_of(mpiComm))
  end function

  function products_r4(array, array2, mpiComm, indxRange) result(s)
    real(r4), intent(in), target :: array(..), array2(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    real(r4) :: s(size(array, rank(array)))
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        s, comm_of(mpiComm))
  end function

  function products_i8(array, array2, mpiComm, indxRange) result(s)
    integer(i8), intent(in), target :: array(..), array2(..)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i8) :: s(size(array, rank(array)))
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        s, comm_of(mpiComm))
  end function

  function products_i4_1(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i4) :: s(size(array, rank(array)))
    integer(i8) :: all(size(s))
    integer :: k
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        all, comm_of(mpiComm))
    do k = 1, size(s)
      s(k) = narrow(all(k), mpiComm)
    end do
  end function

  function products_i4_2(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i4) :: s(size(array, rank(array)))
    integer(i8) :: all(size(s))
    integer :: k
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        all, comm_of(mpiComm))
    do k = 1, size(s)
      s(k) = narrow(all(k), mpiComm)
    end do
  end function

  function products_i4_3(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i4) :: s(size(array, rank(array)))
    integer(i8) :: all(size(s))
    integer :: k
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        all, comm_of(mpiComm))
    do k = 1, size(s)
      s(k) = narrow(all(k), mpiComm)
    end do
  end function

  function products_i4_4(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i4) :: s(size(array, rank(array)))
    integer(i8) :: all(size(s))
    integer :: k
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        all, comm_of(mpiComm))
    do k = 1, size(s)
      s(k) = narrow(all(k), mpiComm)
    end do
  end function

  function products_i4_5(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i4) :: s(size(array, rank(array)))
    integer(i8) :: all(size(s))
    integer :: k
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        all, comm_of(mpiComm))
    do k = 1, size(s)
      s(k) = narrow(all(k), mpiComm)
    end do
  end function

  function products_i4_6(array, array2, mpiComm, indxRange) result(s)
    integer(i4), intent(in), target :: array(..), array2(:,:,:,:,:,:)
    integer, intent(in) :: mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer(i4) :: s(size(array, rank(array)))
    integer(i8) :: all(size(s))
    integer :: k
    call global_sums(layers_of(field(array, weights=array2), shape(array), mpiComm, indxRange), &
        all, comm_of(mpiComm))
    do k = 1, size(s)
      s(k) = narrow(all(k), mpiComm)
    end do
  end function

  !> The elements of a field of this shape whose indices are in the range.
  type(field) function part_of(f, extent, mpiComm, indxRange) result(part)
    type(field), intent(in) :: f
    integer, intent(in) :: extent(:), mpiComm
    integer, intent(in), optional :: indxRange(:)
    integer :: k
    part = f
    if (.not. present(indxRange)) return
    if (size(indxRange) < 2 * size(extent)) call stop_all('indxRange needs', 2 * size(extent), &
        'elements, but it has', size(indxRange), mpiComm)
    do k = 1, size(extent)
      if (indxRange(2 * k) < indxRange(2 * k - 1)) cycle  ! no elements
      if (indxRange(2 * k - 1) < 1) call stop_all('indxRange begins at', indxRange(2 * k - 1), &
          'in dimension', k, mpiComm)
      if (indxRange(2 * k) > extent(k)) call stop_all('indxRange ends at', indxRange(2 * k), &
          'where the array has', extent(k), mpiComm)
    end do
    part = section_of(f, indxRange(:2 * size(extent)))
  end function

  !> The fields of an array whose last index is the number of the field.
  function layers_of(f, extent, mpiComm, indxRange) result(layers)
    type(field), intent(in) :: f
    integer, intent(in) :: extent(:), mpiComm
    integer, intent(in), optional :: indxRange(:)
    type(field) :: layers(extent(size(extent)))
    integer :: k
    do k = 1, size(layers)
      layers(k) = part_of(layer_of(f, k), extent(:size(extent) - 1), mpiComm, indxRange)
    end do
  end function

  function comm_of(mpiComm) result(comm)
    integer, intent(in) :: mpiComm
    COMMUNICATOR :: comm
#ifdef UPSWEEP_MPI_F90
    comm = mpiComm
#else
    comm%mpi_val = mpiComm
#endif
  end function

  !> A sum of 32-bit integers, which has to be one.
  integer(i4) function narrow(s, mpiComm)
    integer(i8), intent(in) :: s
    integer, intent(in) :: mpiComm
    if (abs(s) > huge(narrow) .and. s /= -huge(narrow) - 1_i8) call end_program( &
        'mpas_global_sum: the sum does not fit into 32 bits; pass integers of 64 bits', &
        comm_of(mpiComm))
    narrow = int(s, i4)
  end function

  subroutine stop_all(what, value, where, limit, mpiComm)
    character(*), intent(in) :: what, where
    integer, intent(in) :: value, limit, mpiComm
    character(200) :: text
    write (text, '(3a,i0,3a,i0)') 'mpas_global_sum: ', what, ' ', value, ' ', where, ' ', limit
    call end_program(trim(text), comm_of(mpiComm))
  end subroutine
end module
