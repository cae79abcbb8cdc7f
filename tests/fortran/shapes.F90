!> Arrays of 0 to 7 dimensions, of every kind, whole and in sections: values are integers, so that
!! plain sums of integers are right. Also many fields in one call, long rows, and threads.
program shapes
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use, intrinsic :: iso_fortran_env
  use upsweep
  implicit none
  integer :: rank, ranks, ierror, wrong = 0
  integer(int64) :: a(2, 3, 2, 3, 4, 3, 2)
  logical :: m(2, 3, 2, 3, 4, 3, 2)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call fill()
  call check_shapes()
  call check_integers()
  call check_long_rows()
  call check_many_fields()
  call check_wide_products()
  call MPI_Finalize(ierror)
  if (wrong > 0) error stop 1
  if (rank == 0) print '(a)', 'all shapes are right'

contains

  subroutine fill()
    integer(int64) :: flat(size(a)), i
    flat = [(mod(7919 * i * (rank + 2), 2003_int64) - 1000, i = 1, size(a))]
    a = reshape(flat, shape(a))
    m = reshape([(mod(i * i + rank, 5_int64) < 3, i = 1, size(a))], shape(a))
  end subroutine

  integer(int64) function all_ranks(mine)
    integer(int64), intent(in) :: mine
    integer(int64) :: one(1), all(1)
    one = mine
    call MPI_Allreduce(one, all, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
    all_ranks = all(1)
  end function

  subroutine expect(what, got, wanted)
    character(*), intent(in) :: what
    integer(int64), intent(in) :: got, wanted
    if (got == wanted) return
    wrong = wrong + 1
    print '(i0,3a,i0,a,i0)', rank, ': ', what, ' is ', got, ', not ', wanted
  end subroutine

  !> The four kinds of x: all have the sum of x, and with the mask that of what it lets pass.
  subroutine expect_kinds(what, x, r8, r4, i4, mask, total, masked)
    character(*), intent(in) :: what
    integer(int64), intent(in) :: x(..), total, masked
    real(real64), intent(in) :: r8(..)
    real(real32), intent(in) :: r4(..)
    integer(int32), intent(in) :: i4(..)
    logical, intent(in) :: mask(..)
    integer(int64) :: t, u
    t = all_ranks(total)
    u = all_ranks(masked)
    call expect(what//' i8', global_sum(x, MPI_COMM_WORLD), t)
    call expect(what//' r8', int(global_sum(r8, MPI_COMM_WORLD), int64), t)
    call expect(what//' r4', int(global_sum(r4, MPI_COMM_WORLD), int64), t)
    call expect(what//' i4', global_sum(i4, MPI_COMM_WORLD), t)
    call expect(what//' i8 masked', global_sum(x, MPI_COMM_WORLD, mask), u)
    call expect(what//' r8 masked', int(global_sum(r8, MPI_COMM_WORLD, mask), int64), u)
    call expect(what//' r4 masked', int(global_sum(r4, MPI_COMM_WORLD, mask), int64), u)
    call expect(what//' i4 masked', global_sum(i4, MPI_COMM_WORLD, mask), u)
    call expect(what//' weighted', int(global_sum(r8, MPI_COMM_WORLD, weights=2.0_real64, &
        mask=mask), int64), 2 * u)
    call expect(what//' dot', int(global_dot(r8, r8, MPI_COMM_WORLD), int64), &
        int(global_sum(r8, MPI_COMM_WORLD, weights=r8), int64))
    call expect(what//' none', global_sum(x, MPI_COMM_WORLD, .false.), 0_int64)
    call expect(what//' all', global_sum(x, MPI_COMM_WORLD, .true.), t)
  end subroutine

#define SECTION(name, s) \
  call expect_kinds(name, a s, r8 s, r4 s, i4 s, m s, sum([a s]), sum(pack([a s], [m s])))

  subroutine check_shapes()
    real(real64), allocatable :: r8(:, :, :, :, :, :, :)
    real(real32), allocatable :: r4(:, :, :, :, :, :, :)
    integer(int32), allocatable :: i4(:, :, :, :, :, :, :)
    integer :: i
    do i = 0, 6, 3
      ! Other lower bounds do not matter.
      allocate(r8(0:1, 3, 2, 3, 4, -1:1, 2), r4(2, 3, 2, 3, 4, 3, 2), i4(2, 3, 2, 3, 4, 3, 2))
      r8 = real(a, real64)
      r4 = real(a, real32)
      i4 = int(a, int32)
      call shape_checks(r8, r4, i4)
      deallocate(r8, r4, i4)
    end do
  end subroutine

  subroutine shape_checks(r8, r4, i4)
    real(real64), intent(in) :: r8(:, :, :, :, :, :, :)
    real(real32), intent(in) :: r4(:, :, :, :, :, :, :)
    integer(int32), intent(in) :: i4(:, :, :, :, :, :, :)
    SECTION('0 dimensions', (1,2,1,3,2,1,2))
    SECTION('1 dimension', (:,2,1,3,2,1,2))
    SECTION('1 strided', (2,2,1,3,4:1:-2,1,2))
    SECTION('2 dimensions', (:,:,1,3,2,1,2))
    SECTION('2 strided', (2,3:1:-1,1,3,1:4:2,1,2))
    SECTION('3 dimensions', (:,:,:,3,2,1,2))
    SECTION('3 strided', (:,2,2:1:-1,3,1:4:3,1,2))
    SECTION('4 dimensions', (:,:,:,:,2,1,2))
    SECTION('4 strided', (:,2,:,3:1:-2,1:4:2,1,2))
    SECTION('5 dimensions', (:,:,:,:,:,1,2))
    SECTION('5 strided', (:,2,:,3:1:-2,1:4:2,3:2:-1,2))
    SECTION('6 dimensions', (:,:,:,:,:,:,2))
    SECTION('6 strided', (2:1:-1,2:3,:,3:1:-2,1:4:2,3:2:-1,2))
    SECTION('7 dimensions', (:,:,:,:,:,:,:))
    SECTION('7 strided', (2:1:-1,2:3,:,3:1:-2,1:4:2,3:2:-1,2:1:-1))
    SECTION('no elements', (2:1,:,:,:,:,:,:))
    SECTION('no last dimension', (:,:,:,:,:,:,2:1))
  end subroutine

  subroutine check_integers()
    integer(int64), parameter :: big = huge(big)
    integer(int64) :: x(5000), at
    integer(int32) :: y(3)
    integer :: status
    call expect('positive and negative', global_sum([big, -big, 5_int64], MPI_COMM_WORLD), &
        5_int64 * ranks)
    x = 0
    x(4999:) = [big, -big - 1]
    call expect('both ends', global_sum(x, MPI_COMM_WORLD), -1_int64 * ranks)
    x = 0
    if (rank == ranks - 1) x(1) = big
    call expect('the largest', global_sum(x, MPI_COMM_WORLD, status=status), big)
    call expect('its status', int(status, int64), 0_int64)
    if (rank == ranks - 1) x(1) = -big - 1
    call expect('the smallest', global_sum(x, MPI_COMM_WORLD, status=status), -big - 1)
    call expect('status of the smallest', int(status, int64), 0_int64)
    if (rank == 0) x(2) = -1
    call expect('below it', global_sum(x, MPI_COMM_WORLD, status=status), 0_int64)
    call expect('status below', int(status, int64), int(upsweep_overflow, int64))
    x(1) = merge(big, 0_int64, rank == 0)
    x(2) = merge(1_int64, 0_int64, rank == ranks - 1)
    call expect('above it', global_sum(x, MPI_COMM_WORLD, status=status), 0_int64)
    call expect('status above', int(status, int64), int(upsweep_overflow, int64))
    x = [(at, at = 1, size(x))]
    x(7) = -big - 1
    x(4000) = big
    call expect('min', global_min(x, MPI_COMM_WORLD, position=at), -big - 1)
    call expect('position of min', at, 7_int64)
    call expect('max', global_max(x, MPI_COMM_WORLD, position=at), big)
    call expect('position of max', at, 4000_int64)
    call expect('max of some', global_max(x, MPI_COMM_WORLD, x < 3000, position=at), 2999_int64)
    call expect('position of max of some', at, 2999_int64)
    y = [3, -2, rank]
    call expect('min of int32', int(global_min(y, MPI_COMM_WORLD), int64), -2_int64)
    call expect('max of int32', int(global_max(y, MPI_COMM_WORLD, position=at), int64), &
        int(max(3, ranks - 1), int64))
    call expect('its position', at, merge(1_int64, 3_int64 * ranks, ranks <= 4))
    y = 2147483647
    call expect('int32 does not overflow', global_sum(y, MPI_COMM_WORLD), &
        3 * 2147483647_int64 * ranks)
  end subroutine

  !> Rows of 16383, 16384 and 16385 elements, alone and inside of a larger array.
  subroutine check_long_rows()
    real(real64), allocatable :: x(:, :)
    integer(int64), allocatable :: n(:, :)
    integer :: k, i, t
    allocate(n(16387, 4))
    n = reshape([(mod(int(i, int64) * 48271, 100003_int64), i = 1, size(n))], shape(n))
    x = real(n, real64)
    do t = 0, 3, 3
      call set_threads(t)
      do k = 16383, 16385
        call expect('long rows', int(global_sum(x(2:k + 1, 2:4), MPI_COMM_WORLD), int64), &
            ranks * sum(n(2:k + 1, 2:4)))
        call expect('a long row', int(global_sum(x(:k, 1), MPI_COMM_WORLD), int64), &
            ranks * sum(n(:k, 1)))
      end do
      call expect('a large array', int(global_sum(x, MPI_COMM_WORLD), int64), ranks * sum(n))
      call expect('a large dot', int(global_dot(x, x, MPI_COMM_WORLD), int64), ranks * sum(n * n))
    end do
  end subroutine

  subroutine check_many_fields()
    type(field) :: f(103)
    real(real64) :: sums(103)
    type(element_counts) :: counts(103)
    real(real64), target :: x(10, 103)
    integer(int32), target :: y(3)
    integer :: k
    logical, target :: keep(10)
    y = [1, 2, rank]
    keep = [(mod(k, 3) == 0, k = 1, 10)]
    x = reshape([(0.5_real64 * k * (rank + 1), k = 1, size(x))], shape(x))
    do k = 1, 103
      f(k) = field(x(:, k), keep)
    end do
    f(50) = field(y)
    f(51) = field(x(:3, 51), weights=x(4:6, 1))
    call global_sums(f, sums, MPI_COMM_WORLD, counts)
    do k = 1, 103
      call expect('a field of many', int(2 * sums(k), int64), expected(k, x, y))
    end do
    call expect('its count', counts(7)%elements, 3_int64 * ranks)
    call expect('count of the whole', counts(50)%elements, 3_int64 * ranks)
    call global_sums(f(1:0), sums(1:0), MPI_COMM_WORLD)
  end subroutine

  integer(int64) function expected(k, x, y)
    integer, intent(in) :: k, y(3)
    real(real64), intent(in) :: x(10, 103)
    if (k == 50) then
      expected = all_ranks(2 * sum(int(y, int64)))
    else if (k == 51) then
      expected = all_ranks(int(sum(4 * x(:3, 51) * x(4:6, 1)), int64)) / 2
    else
      expected = all_ranks(int(2 * (x(3, k) + x(6, k) + x(9, k)), int64))
    end if
  end function

  !> Products that no number can hold, on one rank only, in a field that is not the first.
  subroutine check_wide_products()
    real(real64), target :: x(4), y(4)
    real(real64) :: sums(2)
    type(field) :: f(2)
    x = merge([2.0_real64**1000, 2.0_real64**1000, 3.0_real64, 2.0_real64**(-1000)], &
        [0.0_real64, 0.0_real64, 3.0_real64, 0.0_real64], rank == 0)
    y = [2.0_real64**1000, -(2.0_real64**1000), 1.0_real64, 2.0_real64**(-1000)]
    f(1) = field([1.0_real64])
    f(1) = field(y(3:3))
    f(2) = field(x, weights=y)
    call global_sums(f, sums, MPI_COMM_WORLD)
    call expect('the first', int(sums(1), int64), int(ranks, int64))
    call expect('wide products cancel', int(sums(2) * 1024, int64), 3072_int64 * ranks)
    call expect('and alone', int(global_dot(x, y, MPI_COMM_WORLD) * 1024, int64), 3072_int64 * ranks)
  end subroutine
end program
