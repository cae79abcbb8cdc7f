!> Running sums along a dimension that is distributed: `running FILE STEP` compares those of each
!! STEP-th case with cases.py's, which are exact, for several ways to distribute the elements, along
!! each dimension of an array.
program running
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use upsweep
  implicit none
  integer, parameter :: ways = 4
  integer :: rank, ranks, ierror, unit, n, way, io, status, step, cases = 0, checks = 0, wrong = 0
  character(200) :: line, title, message
  character(2) :: kind
  integer(int64), allocatable :: elements(:), after(:), before(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, line)
  call get_command_argument(2, title)
  read (title, *) step
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
      if (kind == 'i8') call check_i8()
      if (kind == 'i4') call check_i4()
    end do
  end do
  call check_many_lines()
  call check_errors()
  call MPI_Allreduce(wrong, n, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0,a,i0,a,i0,a)', checks, ' running sums on ', ranks, ' ranks, ', n, ' wrong'
  call MPI_Finalize(ierror)
  if (n > 0) error stop 1

contains

  subroutine read_case()
    integer :: i
    character(16) :: text(2)
    if (allocated(elements)) deallocate(elements, after, before)
    allocate(elements(n), after(n), before(n))
    do i = 1, n
      read (unit, '(z16,2(1x,a16))') elements(i), text
      after(i) = number(text(1))
      before(i) = number(text(2))
    end do
  end subroutine

  integer(int64) function number(text)
    character(16), intent(in) :: text
    number = -1  ! NaN
    if (index(text, 'N') == 0) read (text, '(z16)') number
  end function

  !> This rank's elements are first + 1 to last: equal parts, all on the first or the last rank, or
  !! one each and the others on the last rank.
  subroutine my_part(first, last)
    integer, intent(out) :: first, last
    select case (way)
      case (1)
        first = int(int(n, int64) * rank / ranks)
        last = int(int(n, int64) * (rank + 1) / ranks)
      case (2)
        first = merge(0, n, rank == 0)
        last = n
      case (3)
        first = 0
        last = merge(n, 0, rank == ranks - 1)
      case (4)
        first = min(rank, n)
        last = merge(n, min(rank + 1, n), rank == ranks - 1)
    end select
  end subroutine

  subroutine check(what, i, got, wanted)
    character(*), intent(in) :: what
    integer, intent(in) :: i
    integer(int64), intent(in) :: got, wanted
    checks = checks + 1
    if (got == wanted) return
    wrong = wrong + 1
    if (wrong < 20) print '(i0,5a,i0,a,z16.16,a,z16.16,a,i0)', rank, ': ', trim(title), ': ', what, &
        ' ', i, ' is ', got, ', not ', wanted, ', way ', way
  end subroutine

  !> More lines than one message has, beside sums of a plain loop.
  subroutine check_many_lines()
    integer(int32) :: x(1025, 3)
    integer(int64) :: s(1025, 3), sum
    integer :: i, j, r
    way = 0
    title = 'many lines'
    do j = 1, 3
      x(:, j) = [(i * (j + 10 * rank), i = 1, size(x, 1))]
    end do
    call running_sum(x, s, MPI_COMM_WORLD)
    do i = 1, size(x, 1)
      sum = 0
      do r = 0, rank - 1
        sum = sum + i * (1 + 2 + 3 + 30 * r)
      end do
      do j = 1, 3
        sum = sum + x(i, j)
        call check('of many', i, s(i, j), sum)
      end do
    end do
  end subroutine

  subroutine check_errors()
    real(real64) :: x(3, 2), s(3, 2), other(2, 3)
    integer(int64) :: big(2), sums(2)
    x = 1
    s = 7
    call running_sum(x, other, MPI_COMM_WORLD, status=status, message=message)
    call expect('other shape', upsweep_wrong_shape, 'differ in shape')
    if (rank == ranks - 1) then
      call running_sum(x, s(:, :1), MPI_COMM_WORLD, status=status, message=message)
    else
      call running_sum(x, s, MPI_COMM_WORLD, status=status, message=message)
    end if
    call expect('other shape on one rank', upsweep_wrong_shape, 'on 1 of')
    if (any(nint(s) /= 7)) wrong = wrong + 1
    big = huge(big)
    if (rank > 0) big = 0
    call running_sum(big, sums, MPI_COMM_WORLD, status=status, message=message)
    call expect('too large', upsweep_overflow, 'running_sum: a sum does not fit')
    call running_sum(big(:1), sums(:1), MPI_COMM_WORLD, status=status, message=message)
    call expect('the largest', upsweep_ok, '')
    if (sums(1) /= huge(sums)) wrong = wrong + 1
    if (ranks == 1) return
    call running_sum(x(:merge(2, 3, rank == 0), :), s(:merge(2, 3, rank == 0), :), MPI_COMM_WORLD, &
        status=status, message=message)
    call expect('other lines on one rank', upsweep_ranks_differ, 'different')
    call running_sum(x, s, MPI_COMM_WORLD, exclusive=rank == 0, status=status, message=message)
    call expect('exclusive on one rank', upsweep_ranks_differ, 'different')
  end subroutine

  subroutine expect(what, wanted, sentence)
    character(*), intent(in) :: what, sentence
    integer, intent(in) :: wanted
    checks = checks + 1
    if (status == wanted .and. index(message, sentence) > 0) return
    wrong = wrong + 1
    print '(i0,3a,i0,2a)', rank, ': ', what, ' has status ', status, ': ', trim(message)
  end subroutine

#define CHECK check_r8
#define KIND_IN real(real64)
#define KIND_OUT real(real64)
#define NUMBER_OF(bits) transfer(bits, 0.0_real64)
#define BITS_OF(x) merge(-1_int64, transfer(x, 0_int64), ieee_is_nan(x))
#include "running_of_kind.inc"
#undef CHECK
#undef KIND_IN
#undef KIND_OUT
#undef NUMBER_OF
#undef BITS_OF
#define CHECK check_r4
#define KIND_IN real(real32)
#define KIND_OUT real(real32)
#define NUMBER_OF(bits) transfer(bits, 0.0)
#define BITS_OF(x) merge(-1_int64, ibits(int(transfer(x, 0), int64), 0, 32), ieee_is_nan(x))
#include "running_of_kind.inc"
#undef CHECK
#undef KIND_IN
#undef KIND_OUT
#undef NUMBER_OF
#undef BITS_OF
#define CHECK check_i8
#define KIND_IN integer(int64)
#define KIND_OUT integer(int64)
#define NUMBER_OF(bits) int(bits, int64)
#define BITS_OF(x) x
#include "running_of_kind.inc"
#undef CHECK
#undef KIND_IN
#undef KIND_OUT
#undef NUMBER_OF
#define CHECK check_i4
#define KIND_IN integer(int32)
#define KIND_OUT integer(int64)
#define NUMBER_OF(bits) int(bits, int32)
#include "running_of_kind.inc"
end program
