!> The calls of CESM's and E3SM's shr_reprosum_mod, by exact sums: compile this file in place of
!! theirs. docs/fortran.md says what is the same, what is better and what is refused.
module shr_reprosum_mod
  use, intrinsic :: iso_fortran_env, only: output_unit, r8 => real64
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use upsweep
  implicit none
  private
  public :: shr_reprosum_setopts, shr_reprosum_calc, shr_reprosum_tolExceeded
  !> Kept for programs that read them. Sums are exact, so that no tolerance is exceeded.
  logical, public :: shr_reprosum_recompute = .false.
  real(r8), public :: shr_reprosum_reldiffmax = -1.0_r8
  logical, save :: allow_infnan_by_default = .false.

contains

  subroutine shr_reprosum_setopts(repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in, &
      repro_sum_rel_diff_max_in, repro_sum_recompute_in, repro_sum_master, repro_sum_logunit)
    logical, intent(in), optional :: repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in
    real(r8), intent(in), optional :: repro_sum_rel_diff_max_in
    logical, intent(in), optional :: repro_sum_recompute_in, repro_sum_master
    integer, intent(in), optional :: repro_sum_logunit
    logical :: unused
    if (present(repro_sum_allow_infnan_in)) allow_infnan_by_default = repro_sum_allow_infnan_in
    if (present(repro_sum_rel_diff_max_in)) shr_reprosum_reldiffmax = repro_sum_rel_diff_max_in
    if (present(repro_sum_recompute_in)) shr_reprosum_recompute = repro_sum_recompute_in
    unused = present(repro_sum_use_ddpdd_in)
    if (.not. present(repro_sum_master)) return
    if (repro_sum_master) write (unit_of(repro_sum_logunit), '(a)') &
        'SHR_REPROSUM_SETOPTS: global sums are exact (upsweep); other methods are not used.'
  end subroutine

  !> arr_gsum(k) is the exact sum of arr(1:nsummands, k) of all ranks, rounded once.
  subroutine shr_reprosum_calc(arr, arr_gsum, nsummands, dsummands, nflds, allow_infnan, &
      ddpdd_sum, arr_gbl_max, arr_gbl_max_out, arr_max_levels, arr_max_levels_out, &
      gbl_max_nsummands, gbl_max_nsummands_out, gbl_count, repro_sum_validate, repro_sum_stats, &
      rel_diff, commid)
    integer, intent(in) :: nsummands, dsummands, nflds
    real(r8), intent(in), target :: arr(dsummands, nflds)
    real(r8), intent(out) :: arr_gsum(nflds)
    logical, intent(in), optional :: allow_infnan, ddpdd_sum, repro_sum_validate
    real(r8), intent(in), optional :: arr_gbl_max(nflds)
    real(r8), intent(out), optional :: arr_gbl_max_out(nflds), rel_diff(2, nflds)
    integer, intent(in), optional :: arr_max_levels(nflds), gbl_max_nsummands, gbl_count, commid
    integer, intent(out), optional :: arr_max_levels_out(nflds), gbl_max_nsummands_out
    integer, intent(inout), optional :: repro_sum_stats(*)  ! 6, in earlier versions 5
#ifdef UPSWEEP_MPI_F90
    integer :: comm
#else
    type(MPI_Comm) :: comm
#endif
    type(field) :: fields(nflds)
    type(element_counts) :: counts(nflds)
    real(r8) :: largest(nflds)
    integer :: k
    logical :: allowed, unused
    comm = MPI_COMM_WORLD
#ifdef UPSWEEP_MPI_F90
    if (present(commid)) comm = commid
#else
    if (present(commid)) comm%mpi_val = commid
#endif
    if (nsummands < 0 .or. nsummands > dsummands) call stop_all(comm, 'nsummands', nsummands, &
        'must be between 0 and dsummands', dsummands)
    do k = 1, nflds
      fields(k) = field(arr(:nsummands, k))
    end do
    call global_sums(fields, arr_gsum, comm, counts)

    allowed = allow_infnan_by_default
    if (present(allow_infnan)) allowed = allow_infnan
    if (.not. allowed) then
      do k = 1, nflds
        if (counts(k)%nan + counts(k)%plus_infinity + counts(k)%minus_infinity > 0) &
            call stop_all(comm, 'field', k, 'contains NaN or infinity; their number is', &
            int(counts(k)%nan + counts(k)%plus_infinity + counts(k)%minus_infinity))
      end do
    end if
    ! One or two messages, in their words. Nothing is recomputed.
    if (present(repro_sum_stats)) then
      k = merge(1, 2, nflds <= 1)
      repro_sum_stats(k) = repro_sum_stats(k) + 1
    end if
    if (present(rel_diff)) rel_diff = 0
    if (present(arr_max_levels_out)) arr_max_levels_out = 1
    if (present(arr_gbl_max_out)) then
      largest = max(0.0_r8, maxval(abs(arr(:nsummands, :)), dim=1, &
          mask=abs(arr(:nsummands, :)) <= huge(arr)))
      call MPI_Allreduce(largest, arr_gbl_max_out, nflds, MPI_DOUBLE_PRECISION, MPI_MAX, comm, k)
    end if
    if (present(gbl_max_nsummands_out)) gbl_max_nsummands_out = int(global_max([nsummands], comm))
    ! What the sums do not need.
    unused = present(ddpdd_sum) .or. present(repro_sum_validate) .or. present(arr_gbl_max) .or. &
        present(arr_max_levels) .or. present(gbl_max_nsummands) .or. present(gbl_count)
  end subroutine

  !> Whether the differences exceed the tolerance, with a warning: never, as rel_diff is 0.
  logical function shr_reprosum_tolExceeded(name, nflds, master, logunit, rel_diff) &
      result(exceeded)
    character(*), intent(in) :: name
    integer, intent(in) :: nflds
    logical, intent(in) :: master
    integer, intent(in), optional :: logunit
    real(r8), intent(in) :: rel_diff(2, nflds)
    exceeded = .false.
    if (shr_reprosum_reldiffmax < 0) return
    exceeded = any(rel_diff(1, :) > shr_reprosum_reldiffmax)
    if (exceeded .and. master) write (unit_of(logunit), '(3a)') &
        'SHR_REPROSUM: the difference of ', name, ' from a floating-point sum exceeds the tolerance.'
  end function

  integer function unit_of(logunit)
    integer, intent(in), optional :: logunit
    unit_of = output_unit
    if (present(logunit)) unit_of = logunit
  end function

  subroutine stop_all(comm, what, value, must, limit)
#ifdef UPSWEEP_MPI_F90
    integer, intent(in) :: comm
#else
    type(MPI_Comm), intent(in) :: comm
#endif
    character(*), intent(in) :: what, must
    integer, intent(in) :: value, limit
    character(200) :: text
    write (text, '(3a,i0,3a,i0)') 'shr_reprosum_calc: ', what, ' ', value, ' ', must, ' ', limit
    call end_program(trim(text), comm)
  end subroutine
end module
