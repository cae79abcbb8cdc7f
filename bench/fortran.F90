!> Times calls of the Fortran module: each line is a name and the least of `repeats` times in
!! microseconds. bench/fortran.py compiles it with two versions of the module.
program fortran
  use mpi_f08
  use, intrinsic :: iso_fortran_env
  use upsweep
  implicit none
  integer, parameter :: repeats = 60, n = 1000
  real(real64), allocatable, target :: a(:, :), b(:, :), halo(:, :), tiny(:, :)
  real(real32), allocatable :: single(:, :)
  logical, allocatable :: mask(:, :)
  type(field) :: fields(100)
  real(real64) :: sums(100), sink
  integer :: i

  call MPI_Init()
  allocate(a(n, n), b(n, n), halo(n + 2, n + 2), mask(n, n), tiny(10, 100))
  call random_number(a)
  call random_number(b)
  call random_number(halo)
  call random_number(tiny)
  single = real(a, real32)
  mask = b < 0.7_real64
  fields = [(field(tiny(:, i)), i = 1, 100)]
  sink = 0
  do i = 1, 15
    call measure(i)
  end do
  if (sink > 1e300_real64) print *, sink
  call MPI_Finalize()

contains

  subroutine measure(which)
    integer, intent(in) :: which
    character(24), parameter :: names(15) = [character(24) :: 'plain sum', 'contiguous', 'real(4)', &
        'inside of a halo', 'with a mask', 'with weights', 'weights and a mask', 'dot product', &
        'mean', 'variance', 'largest and its position', 'sum of 10', 'dot product of 10', &
        'variance of 10', '100 fields of 10']
    real(real64) :: start, least
    integer :: k
    least = huge(least)
    do k = 1, repeats
      a(1, 1) = 1.0_real64 / k  ! so that no result is kept
      start = MPI_Wtime()
      sink = sink + result_of(which)
      least = min(least, MPI_Wtime() - start)
    end do
    print '(2a,f12.2)', names(which), ' ', least * 1e6_real64
  end subroutine

  real(real64) function result_of(which) result(x)
    integer, intent(in) :: which
    integer(int64) :: position
    associate (world => MPI_COMM_WORLD, few => tiny(:, 1))
      select case (which)
        case (1)
          x = sum(a)
        case (2)
          x = global_sum(a, world)
        case (3)
          x = global_sum(single, world)
        case (4)
          x = global_sum(halo(2:n + 1, 2:n + 1), world)
        case (5)
          x = global_sum(a, world, mask)
        case (6)
          x = global_sum(a, world, weights=b)
        case (7)
          x = global_sum(a, world, mask, b)
        case (8)
          x = global_dot(a, b, world)
        case (9)
          x = global_mean(a, world)
        case (10)
          x = global_var(a, world)
        case (11)
          x = global_max(a, world, position=position)
        case (12)
          x = global_sum(few, world)
        case (13)
          x = global_dot(few, few, world)
        case (14)
          x = global_var(few, world)
        case default
          call global_sums(fields, sums, world)
          x = sums(100)
      end select
    end associate
  end function
end program
