!> The function reproducing_sum of FMS and MOM6, by exact sums: replace `use MOM_coms, only:
!! reproducing_sum` with `use mom_reproducing_sum`. docs/fortran.md says what is the same, what is
!! better and what is refused.
module mom_reproducing_sum
  use, intrinsic :: iso_fortran_env, only: r8 => real64
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use upsweep
  implicit none
  private
  public :: reproducing_sum, set_reproducing_sum_communicator

  interface reproducing_sum
    module procedure reproducing_sum_2d, reproducing_sum_3d
  end interface

#ifdef UPSWEEP_MPI_F90
  integer, save :: communicator
#else
  type(MPI_Comm), save :: communicator
#endif
  logical, save :: has_communicator = .false.

contains

  !> Which ranks are summed over, as an integer (of mpi_f08: comm%mpi_val). Otherwise it is
  !! MPI_COMM_WORLD.
  subroutine set_reproducing_sum_communicator(comm)
    integer, intent(in) :: comm
#ifdef UPSWEEP_MPI_F90
    communicator = comm
#else
    communicator%mpi_val = comm
#endif
    has_communicator = .true.
  end subroutine

  function ranks_of(only_on_PE) result(comm)
    logical, intent(in), optional :: only_on_PE
#ifdef UPSWEEP_MPI_F90
    integer :: comm
#else
    type(MPI_Comm) :: comm
#endif
    comm = MPI_COMM_WORLD
    if (has_communicator) comm = communicator
    if (present(only_on_PE)) then
      if (only_on_PE) comm = MPI_COMM_SELF
    end if
  end function

  real(r8) function reproducing_sum_2d(array, isr, ier, jsr, jer, reproducing, overflow_check, &
      err, only_on_PE, unscale) result(sum)
    real(r8), intent(in), target :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    logical, intent(in), optional :: reproducing, overflow_check, only_on_PE
    integer, intent(out), optional :: err
    real(r8), intent(in), target, optional :: unscale
    type(element_counts) :: counts
    integer :: bounds(4)
    logical :: unused
    unused = present(reproducing) .or. present(overflow_check)
    bounds = range_of(shape(array), isr, ier, jsr, jer)
    sum = global_sum(array(bounds(1):bounds(2), bounds(3):bounds(4)), ranks_of(only_on_PE), &
        weights=unscale, counts=counts)
    call check([sum], [counts], 4, err)
    sum = sum * reciprocal(unscale)
  end function

  real(r8) function reproducing_sum_3d(array, isr, ier, jsr, jer, sums, err, only_on_PE, unscale) &
      result(sum)
    real(r8), intent(in), target :: array(:, :, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    real(r8), intent(out), optional :: sums(:)
    integer, intent(out), optional :: err
    logical, intent(in), optional :: only_on_PE
    real(r8), intent(in), target, optional :: unscale
    type(field) :: fields(size(array, 3) + 1)
    type(element_counts) :: counts(size(array, 3) + 1)
    real(r8) :: each(size(array, 3) + 1)
    integer :: b(4), k, layers
    b = range_of(shape(array), isr, ier, jsr, jer)
    layers = 0
    if (present(sums)) then
      layers = size(array, 3)
      if (size(sums) < layers) call stop_all('sums is smaller than the number of layers')
    end if
    fields(1) = field(array(b(1):b(2), b(3):b(4), :), weights=unscale)
    do k = 1, layers
      fields(k + 1) = field(array(b(1):b(2), b(3):b(4), k), weights=unscale)
    end do
    call global_sums(fields(:layers + 1), each(:layers + 1), ranks_of(only_on_PE), &
        counts(:layers + 1))
    call check(each(:layers + 1), counts(:layers + 1), 2, err)
    sum = each(1) * reciprocal(unscale)
    if (present(sums)) sums(:layers) = each(2:layers + 1) * reciprocal(unscale)
  end function

  !> The first and the last index of two dimensions.
  function range_of(extent, isr, ier, jsr, jer) result(b)
    integer, intent(in) :: extent(:)
    integer, intent(in), optional :: isr, ier, jsr, jer
    integer :: b(4)
    b = [1, extent(1), 1, extent(2)]
    if (present(isr)) b(1) = isr
    if (present(ier)) b(2) = ier
    if (present(jsr)) b(3) = jsr
    if (present(jer)) b(4) = jer
    if (b(1) < 1) call stop_all('isr is less than 1')
    if (b(2) > extent(1)) call stop_all('ier is larger than the first dimension')
    if (b(3) < 1) call stop_all('jsr is less than 1')
    if (b(4) > extent(2)) call stop_all('jer is larger than the second dimension')
  end function

  !> 1 / unscale, or 0 if it is 0.
  real(r8) function reciprocal(unscale)
    real(r8), intent(in), optional :: unscale
    reciprocal = 1
    if (.not. present(unscale)) return
    reciprocal = 0
    if (abs(unscale) > 0) reciprocal = 1 / unscale
  end function

  !> err is 2 if a sum is beyond all numbers, and of_nan more if there is a NaN. In 3-D, where of_nan
  !! is 2, it is 1 more if an element is infinite. Without err these end the program.
  subroutine check(sums, counts, of_nan, err)
    real(r8), intent(in) :: sums(:)
    type(element_counts), intent(in) :: counts(:)
    integer, intent(in) :: of_nan
    integer, intent(out), optional :: err
    logical :: has_nan, has_infinity, overflows
    has_nan = any(counts%nan > 0)
    has_infinity = any(counts%plus_infinity + counts%minus_infinity > 0)
    overflows = has_infinity .or. any(abs(sums) > huge(sums))
    if (present(err)) then
      err = merge(2, 0, overflows) + merge(of_nan, 0, has_nan) + &
          merge(1, 0, has_infinity .and. of_nan == 2)
      return
    end if
    if (has_nan) call stop_all('the array contains NaN')
    if (has_infinity) call stop_all('the array contains infinity')
    if (overflows) call stop_all('the sum is beyond the largest number')
  end subroutine

  subroutine stop_all(sentence)
    character(*), intent(in) :: sentence
    call end_program('reproducing_sum: '//sentence, MPI_COMM_WORLD)
  end subroutine
end module
