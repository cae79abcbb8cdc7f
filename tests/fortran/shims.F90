!> The calls of climate models, in the ways in which models make them. Sums are of elements that
!! cancel, whose exact sum is a number: 1e16 + 1 - 1e16 + 2^-30 and the like. `shims nan`,
!! `shims bounds`, `shims range` and `shims narrow` end the program.
program shims
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: ieee_arithmetic
  use shr_reprosum_mod
  use mom_reproducing_sum
  use mpas_global_sum_mod
  implicit none
  integer, parameter :: r8 = real64
  real(r8), parameter :: small = 2.0_r8**(-30)
  real(r8), parameter :: four(4) = [1.0e16_r8, 1.0_r8, -1.0e16_r8, small]
  integer :: rank, ranks, ierror, world, wrong = 0
  character(20) :: mode
  real(r8) :: nan, infinity, x(2, 2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
#ifdef UPSWEEP_MPI_F90
  world = MPI_COMM_WORLD
#else
  world = MPI_COMM_WORLD%mpi_val
#endif
  nan = ieee_value(nan, ieee_quiet_nan)
  infinity = ieee_value(nan, ieee_positive_inf)
  call get_command_argument(1, mode)
  select case (mode)
    case ('nan')
      x = merge(nan, 1.0_r8, rank == ranks - 1)
      call shr_reprosum_calc(x, x(1, :), 2, 2, 2)
    case ('bounds')
      if (rank == ranks - 1) print *, reproducing_sum(x, ier=3)
      if (rank /= ranks - 1) print *, reproducing_sum(x, ier=2)
    case ('range')
      print *, mpas_global_sum(x, world, [1, 2, merge(1, 0, rank == 0), 2])
    case ('narrow')
      print *, mpas_global_sum(2**30, world), mpas_global_sum([2**30], world)
    case default
      call check_mpas()
      call check_mpas_integers()
      call check_mpas_fields()
      call check_reprosum()
      call check_reprosum_options()
      call check_infnan()
      call check_2d()
      call check_3d()
  end select
  call MPI_Finalize(ierror)
  if (wrong > 0) error stop 1
  if (rank == 0) print '(a)', 'all calls of models are right'

contains

  subroutine expect(what, right)
    character(*), intent(in) :: what
    logical, intent(in) :: right
    if (right) return
    wrong = wrong + 1
    print '(i0,3a)', rank, ': ', what, ' is wrong'
  end subroutine

  logical function same(x, y)
    real(r8), intent(in) :: x, y
    same = transfer(x, 0_int64) == transfer(y, 0_int64)
  end function

  !> All ranks have the four.
  subroutine check_mpas()
    real(r8) :: a(4), b(3, 4), c(2, 2, 2, 2, 2, 2)
    real(real32) :: single(4)
    integer :: range(12)
    range = [1, 2, 2, 2, 1, 1, 2, 2, 1, 2, 1, 1]
    a = four
    call expect('scalar', same(mpas_global_sum(0.5_r8, world), ranks * 0.5_r8))
    call expect('1-D', same(mpas_global_sum(a, world), ranks * (1 + small)))
    call expect('range', same(mpas_global_sum(a, world, [1, 3]), 1.0_r8 * ranks))
    call expect('no elements', same(mpas_global_sum(a, world, [3, 2]), 0.0_r8))
    call expect('product', same(mpas_global_sum(a, [1.0_r8, 0.0_r8, 1.0_r8, 2.0_r8], world), &
        ranks * 2 * small))
    call expect('product of a range', same(mpas_global_sum(a, 2 * four, world, [2, 2]), 2.0_r8 * ranks))
    b = 0
    b(1, :) = four
    b(2, :) = four
    call expect('2-D', same(mpas_global_sum(b, world), 2 * ranks * (1 + small)))
    ! A range may be longer than the array has dimensions.
    call expect('range in 2-D', same(mpas_global_sum(b, world, [1, 2, 1, 3, 9, 9]), 2.0_r8 * ranks))
    call expect('section', same(mpas_global_sum(b(2:1:-1, :), world, [2, 2, 1, 4]), &
        ranks * (1 + small)))
    call expect('product in 2-D', same(mpas_global_sum(b, b, world, [2, 3, 2, 2]), 1.0_r8 * ranks))
    c = 1
    c(:, 2, 1, 2, :, 1) = 16
    call expect('6-D', same(mpas_global_sum(c, world), ranks * (60.0_r8 + 64)))
    call expect('range in 6-D', same(mpas_global_sum(c, world, range), ranks * 64.0_r8))
    call expect('product in 6-D', same(mpas_global_sum(c, c, world, range), ranks * 1024.0_r8))
    single = [1.0e8, 1.0, -1.0e8, 2.0**(-20)]
    call expect('single', same(real(mpas_global_sum(single, world), r8), &
        real(real(ranks * (1 + 2.0_r8**(-20))), r8)))
    call expect('product of singles', same(real(mpas_global_sum(single, single, world, [2, 2]), r8), &
        1.0_r8 * ranks))
  end subroutine

  subroutine check_mpas_integers()
    integer(int64) :: big(3)
    integer :: a(2, 3), k
    big = [2_int64**62, -(2_int64**62), 5_int64]
    a = reshape([(k, k = 1, 6)], [2, 3])
    call expect('i8', mpas_global_sum(big, world) == 5 * ranks)
    call expect('products beyond i8 cancel', &
        mpas_global_sum(big, [4_int64, 4_int64, 2_int64], world) == 10 * ranks)
    call expect('i8 scalar', mpas_global_sum(big(3), world) == 5 * ranks)
    call expect('i4', mpas_global_sum(a, world) == 21 * ranks)
    call expect('i4 scalar', mpas_global_sum(rank, world) == ranks * (ranks - 1) / 2)
    call expect('i4 range', mpas_global_sum(a, world, [2, 2, 2, 3]) == 10 * ranks)
    call expect('i4 product', mpas_global_sum(a, a, world) == 91 * ranks)
    call expect('i4 product of a range', mpas_global_sum(a, a, world, [2, 2, 2, 3]) == 52 * ranks)
    call expect('i4 1-D', mpas_global_sum(a(1, :), a(2, :), world) == 44 * ranks)
    call expect('all of i4', mpas_global_sum(merge(huge(a), 0, rank == 0), world) == huge(a))
    call expect('i4 fields', all(mpas_global_sum_nfld(a, world) == [3, 7, 11] * ranks))
    call expect('i4 fields of a range', all(mpas_global_sum_nfld(a, world, [2, 2]) == &
        [2, 4, 6] * ranks))
    call expect('i4 fields of products', all(mpas_global_sum_nfld(a, a, world) == &
        [5, 25, 61] * ranks))
    call expect('i8 fields', all(mpas_global_sum_nfld(int(a, int64), world) == [3, 7, 11] * ranks))
    call expect('i8 scalars', all(mpas_global_sum_nfld(big(3:), world) == big(3:) * ranks))
  end subroutine

  subroutine check_mpas_fields()
    real(r8) :: a(2, 2, 3), sums(3)
    real(real32) :: single(3)
    integer :: k
    do k = 1, 3
      a(:, :, k) = reshape(four, [2, 2]) * k
    end do
    sums = mpas_global_sum_nfld(a, world)
    call expect('fields', all([(same(sums(k), k * ranks * (1 + small)), k = 1, 3)]))
    sums = mpas_global_sum_nfld(a, world, [2, 2, 1, 2])
    call expect('fields of a range', all([(same(sums(k), k * ranks * (1 + small)), k = 1, 3)]))
    sums = mpas_global_sum_nfld(a, a, world, [2, 2, 1, 1])
    call expect('fields of products', all([(same(sums(k), k * k * ranks * 1.0_r8), k = 1, 3)]))
    sums = mpas_global_sum_nfld(a(1, 1, :), world)
    call expect('scalars', all([(same(sums(k), k * ranks * 1.0e16_r8), k = 1, 3)]))
    single = mpas_global_sum_nfld(real(a), world, [2, 2, 1, 1])
    call expect('singles', all(single >= [1, 2, 3] * ranks) .and. all(single <= [1, 2, 3] * ranks))
  end subroutine

  !> Elements of the four, dealt to the ranks; 99 are no summands.
  subroutine check_reprosum()
    real(r8) :: arr(7, 3), sums(3), chunks(3, 2), one(1)
    integer :: n, i
    arr = 99
    n = 0
    do i = 1, 4
      if (mod(i, ranks) /= rank) cycle
      n = n + 1
      arr(n, :) = four(i) * [1.0_r8, -2.0_r8, 0.5_r8]
    end do
    call shr_reprosum_calc(arr, sums, n, 7, 3, commid=world)
    call expect('sum 1', same(sums(1), 1 + small))
    call expect('sum 2', same(sums(2), -2 - 2 * small))
    call expect('sum 3', same(sums(3), 0.5_r8 + small / 2))
    ! An array of chunks as one field, and another number of summands than the default.
    chunks = reshape([1, 2, 3, 4, 5, 6], [3, 2])
    call shr_reprosum_calc(chunks, one, 6, 6, 1, gbl_count=6)
    call expect('chunks', same(one(1), 21.0_r8 * ranks))
    call shr_reprosum_calc(arr, sums, 0, 7, 3)
    call expect('no summands', all(sums <= 0 .and. sums >= 0))
  end subroutine

  subroutine check_reprosum_options()
    real(r8) :: arr(4, 2), sums(2), largest(2), differences(2, 2)
    integer :: stats(6), levels(2), most
    stats = 10
    arr(:, 1) = four
    arr(:, 2) = [3, -rank, 1, 5]
    call shr_reprosum_calc(arr, sums, merge(3, 4, rank == 0), 4, 2, .false., .false., &
        arr_gbl_max=[1.0_r8, 1.0_r8], arr_gbl_max_out=largest, arr_max_levels=[2, 2], &
        arr_max_levels_out=levels, gbl_max_nsummands=4, gbl_max_nsummands_out=most, &
        repro_sum_validate=.true., repro_sum_stats=stats, rel_diff=differences, commid=world)
    call expect('sum', same(sums(1), ranks + (ranks - 1) * small))
    call expect('second sum', nint(sums(2)) == 9 * ranks - 5 - ranks * (ranks - 1) / 2)
    call expect('largest', same(largest(1), 1.0e16_r8) .and. &
        nint(largest(2)) == max(merge(3, 5, ranks == 1), ranks - 1))
    call expect('most', most == merge(3, 4, ranks == 1))
    call expect('levels', all(levels == 1))
    call expect('statistics', all(stats == [10, 11, 10, 10, 10, 10]))
    call expect('differences', all(abs(differences) <= 0))
    call shr_reprosum_calc(arr, sums(1:1), 4, 4, 1, repro_sum_stats=stats)
    call expect('statistics of one field', all(stats == [11, 11, 10, 10, 10, 10]))
    call shr_reprosum_calc(arr, sums(1:1), 4, 4, 1, repro_sum_stats=stats(:5))
    call expect('no tolerance', .not. shr_reprosum_tolExceeded('x', 2, .true., 6, differences))
    call shr_reprosum_setopts(repro_sum_rel_diff_max_in=1.0e-9_r8)
    call expect('tolerance', same(shr_reprosum_reldiffmax, 1.0e-9_r8))
    call expect('within', .not. shr_reprosum_tolExceeded('x', 2, .true., 6, differences))
    differences(1, 2) = 1.0e-8_r8
    call expect('exceeded', shr_reprosum_tolExceeded('x', 2, .false., 6, differences))
  end subroutine

  subroutine check_infnan()
    real(r8) :: arr(2, 3), sums(3), largest(3)
    arr = 1
    if (rank == ranks - 1) arr(1, 1) = nan
    if (rank == 0) arr(2, 2) = -infinity
    call shr_reprosum_calc(arr, sums, 2, 2, 3, allow_infnan=.true.)
    call expect('NaN', ieee_is_nan(sums(1)))
    call expect('infinity', same(sums(2), -infinity))
    call expect('the other', same(sums(3), 2.0_r8 * ranks))
    call shr_reprosum_calc(nan + arr, sums, 2, 2, 3, allow_infnan=.true., arr_gbl_max_out=largest)
    call expect('largest of no number', all(abs(largest) <= 0))
    call shr_reprosum_calc(arr, sums, 2, 2, 3, allow_infnan=.true., arr_gbl_max_out=largest)
    call expect('largest number', all(abs(largest - 1) <= 0))
    call shr_reprosum_setopts(repro_sum_allow_infnan_in=.true.)
    call shr_reprosum_calc(arr, sums, 2, 2, 3)
    call expect('NaN by default', ieee_is_nan(sums(1)))
    call shr_reprosum_setopts(repro_sum_allow_infnan_in=.false.)
  end subroutine

  subroutine check_2d()
    real(r8) :: a(0:5, -1:4)  ! with a halo of 99
    integer :: error
    a = 99
    a(1:4, 0:3) = 0
    a(1:2, 1:2) = reshape(four, [2, 2])
    call expect('2-D', same(reproducing_sum(a, 2, 5, 2, 5), ranks * (1 + small)))
    call expect('section', same(reproducing_sum(a(1:4, 0:3)), ranks * (1 + small)))
    call expect('own', same(reproducing_sum(a, 2, 5, 2, 5, only_on_PE=.true.), 1 + small))
    call expect('units', same(reproducing_sum(a, 2, 5, 2, 5, unscale=2.0_r8**20), &
        ranks * (1 + small)))
    call expect('no unit', same(reproducing_sum(a, unscale=0.0_r8), 0.0_r8))
    call set_reproducing_sum_communicator(world)
    call expect('communicator', same(reproducing_sum(a(1:4, 0:3), err=error), ranks * (1 + small)))
    call expect('no error', error == 0)
    if (rank == 0) a(1, 1) = nan
    call expect('NaN', ieee_is_nan(reproducing_sum(a, err=error)))
    call expect('error of NaN', error == 4)
    if (rank == 0) a(1, 2) = infinity
    call expect('NaN and infinity', ieee_is_nan(reproducing_sum(a, err=error)))
    call expect('error of both', error == 6)
    a = huge(a)
    call expect('too large', same(reproducing_sum(a, err=error), infinity))
    call expect('error of it', error == 2)
    call expect('no elements', same(reproducing_sum(a(1:0, :)), 0.0_r8))
    call expect('no elements of some', same(reproducing_sum(a(0:merge(0, -1, rank == 0), :-1)), huge(a)))
  end subroutine

  subroutine check_3d()
    real(r8) :: a(3, 3, 4), sums(5)
    integer :: k, error
    a = 99
    do k = 1, 4
      a(2:3, 1:2, k) = reshape(four, [2, 2]) * k
    end do
    sums = -1
    call expect('3-D', same(reproducing_sum(a, 2, jer=2, sums=sums, err=error), &
        10 * ranks * (1 + small)))
    do k = 1, 4
      call expect('layer', same(sums(k), k * ranks * (1 + small)))
    end do
    call expect('behind the layers', same(sums(5), -1.0_r8) .and. error == 0)
    call expect('3-D only', same(reproducing_sum(a, isr=2, jer=2, unscale=0.25_r8), &
        10 * ranks * (1 + small)))
    a = 1
    if (rank == 0) a(1, 1, 2) = -infinity
    call expect('infinite 3-D', same(reproducing_sum(a, err=error), -infinity) .and. error == 3)
    a = huge(a)
    call expect('large 3-D', same(reproducing_sum(a, err=error), infinity) .and. error == 2)
    a = merge(nan, 1.0_r8, rank == 0)
    call expect('NaN in 3-D', ieee_is_nan(reproducing_sum(a, err=error)) .and. error == 2)
  end subroutine
end program
