!> Exact sums on any number of ranks: `sums CASES [STEP]` compares every function with the results of
!! cases.py, of each STEP-th case, for several ways to distribute the elements and to lay them out in
!! memory.
program sums
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use upsweep
  implicit none
#ifdef UPSWEEP_MPI_F90
  integer :: world
#else
  type(MPI_Comm) :: world
#endif
  integer, parameter :: ways = 6
  character(16), parameter :: names(8) = [character(16) :: 'sum', 'dot', 'mean', 'var', &
      'sample var', 'min', 'max', 'weighted']
  integer :: rank, ranks, ierror, unit, n, way, io, checks = 0, wrong = 0, step = 1, cases = 0
  integer(int64) :: expected_counts(4), expected_at(2)
  character(16) :: text(7)
  character(200) :: line, title
  character(2) :: kind
  real(real64), allocatable :: a(:), b(:)
  logical, allocatable :: mask(:)

  call MPI_Init(ierror)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, ierror)
  call MPI_Comm_size(world, ranks, ierror)
  call get_command_argument(1, line)
  if (command_argument_count() > 1) then
    call get_command_argument(2, title)
    read (title, *) step
  end if
  open (newunit=unit, file=line, status='old', action='read')
  do
    read (unit, '(a)', iostat=io) line
    if (io /= 0) exit
    read (line(4:), *) n
    kind = line(1:2)
    title = line
    if (kind == 'en') exit
    call read_case()
    cases = cases + 1
    if (mod(cases, step) /= 0) cycle
    do way = 1, ways
      if (kind == 'r8') call check_r8()
      if (kind == 'r4') call check_r4()
    end do
  end do
  call MPI_Allreduce(wrong, n, 1, MPI_INTEGER, MPI_SUM, world, ierror)
  if (rank == 0) print '(i0,a,i0,a,i0,a)', checks, ' results on ', ranks, ' ranks, ', n, ' wrong'
  call MPI_Finalize(ierror)
  if (n > 0) error stop 1

contains

  subroutine read_case()
    integer :: i
    integer(int64) :: x, y
    if (allocated(a)) deallocate(a, b, mask)
    allocate(a(n), b(n), mask(n))
    read (unit, '(7(a16,1x))') text
    read (unit, *) expected_counts, expected_at
    do i = 1, n
      read (unit, '(z16,1x,z16,1x,l1)') x, y, mask(i)
      a(i) = number(x)
      b(i) = number(y)
    end do
  end subroutine

  real(real64) function number(bits)
    integer(int64), intent(in) :: bits
    if (kind == 'r8') number = transfer(bits, number)
    if (kind == 'r4') number = real(transfer(int(ibits(bits, 0, 31), int32), 0.0_real32), real64)
    if (kind == 'r4' .and. btest(bits, 31)) number = -number
  end function

  !> The numbers of this rank's elements: in blocks, dealt like cards, reversed, all on the last
  !! rank, nothing on the first one, or most on the first one.
  function mine() result(indices)
    integer, allocatable :: indices(:)
    integer :: i
    logical :: is_mine(n)
    do i = 1, n
      select case (way)
        case (1, 3)
          is_mine(i) = int((i - 1_int64) * ranks / n) == rank
        case (2)
          is_mine(i) = mod(i, ranks) == rank
        case (4)
          is_mine(i) = rank == ranks - 1
        case (5)
          is_mine(i) = rank == merge(0, 1 + mod(i, max(ranks - 1, 1)), ranks == 1)
        case (6)
          is_mine(i) = rank == merge(0, mod(i, ranks), 3 * i < 2 * n)
      end select
    end do
    indices = pack([(i, i = 1, n)], is_mine)
    if (way == 3) indices = indices(size(indices):1:-1)
  end function

  subroutine check(which, bits)
    integer, intent(in) :: which
    integer(int64), intent(in) :: bits  ! -1 for NaN
    character(16) :: got
    character(16) :: wanted
    checks = checks + 1
    wanted = text(min(which, 7))
    if (which == 8) wanted = text(2)
    write (got, '(z16.16)') bits
    call lower(got)
    if (bits == -1) got = '             NaN'
    if (bits == -2) got = '               -'
    if (got == wanted) return
    wrong = wrong + 1
    if (wrong < 20) print '(i0,9a,i0)', rank, ': ', trim(title), ': ', trim(names(which)), ' is ', &
        got, ', not ', wanted, ', way ', way
  end subroutine

  subroutine check_number(what, got, wanted)
    character(*), intent(in) :: what
    integer(int64), intent(in) :: got, wanted
    checks = checks + 1
    if (got == wanted) return
    wrong = wrong + 1
    if (wrong < 20) print '(i0,5a,i0,a,i0,a,i0)', rank, ': ', trim(title), ': ', what, ' is ', got, &
        ', not ', wanted, ', way ', way
  end subroutine

  subroutine lower(hex)
    character(*), intent(inout) :: hex
    integer :: i
    do i = 1, len(hex)
      if (hex(i:i) >= 'A' .and. hex(i:i) <= 'F') hex(i:i) = achar(iachar(hex(i:i)) + 32)
    end do
  end subroutine

  subroutine check_counts(counts)
    type(element_counts), intent(in) :: counts
    call check_number('count', counts%elements, expected_counts(1))
    call check_number('count of NaN', counts%nan, expected_counts(2))
    call check_number('count of +infinity', counts%plus_infinity, expected_counts(3))
    call check_number('count of -infinity', counts%minus_infinity, expected_counts(4))
  end subroutine

#define REAL_KIND real64
#define CHECK check_r8
#define RESULTS results_r8
#define BITS bits_r8
#define INT_KIND int64
#include "sums_of_kind.inc"
#undef REAL_KIND
#undef CHECK
#undef RESULTS
#undef BITS
#undef INT_KIND
#define REAL_KIND real32
#define CHECK check_r4
#define RESULTS results_r4
#define BITS bits_r4
#define INT_KIND int32
#include "sums_of_kind.inc"
end program
