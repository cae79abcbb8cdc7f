!> Exact global sums for programs that use MPI: the same bits on any number of ranks and threads.
!!
!!   use mpi_f08
!!   use upsweep
!!   total = global_sum(heat(2:nx-1, 2:ny-1), MPI_COMM_WORLD, mask=ocean)
!!
!! Every sum is exact and rounded once, to nearest even. Therefore it does not depend on ranks,
!! threads, the order of the elements and the decomposition. docs/fortran.md describes the calls.
!! Compile it with -DUPSWEEP_MPI_F90 for programs with `use mpi`, where communicators are integers.
!! Needs assumed-rank arrays and `select rank` (Fortran 2018, gfortran 10 or later).
#ifdef UPSWEEP_MPI_F90
#define COMMUNICATOR integer
#else
#define COMMUNICATOR type(MPI_Comm)
#endif
module upsweep
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int32, int64, real32, real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan, ieee_quiet_nan, &
      ieee_positive_inf, ieee_negative_inf, ieee_value
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  implicit none
  private
  public :: field, element_counts, global_sum, global_sums, global_dot, global_mean, global_var, &
      global_min, global_max, set_threads, end_program
  public :: upsweep_ok, upsweep_wrong_shape, upsweep_ranks_differ, upsweep_overflow, &
      upsweep_no_elements, upsweep_failed

  !> What `status` says; 0 is success.
  integer, parameter :: upsweep_ok = 0, upsweep_wrong_shape = 1, upsweep_failed = 2, &
      upsweep_ranks_differ = 3, upsweep_overflow = 4, upsweep_no_elements = 5

  !> How many elements were used on all ranks, and how many of them were not finite.
  type :: element_counts
    integer(int64) :: elements = 0, nan = 0, plus_infinity = 0, minus_infinity = 0
  end type

  !> Where the elements of an array are: strides are in bytes.
  type :: view
    type(c_ptr) :: base = c_null_ptr
    integer :: kind = 0, dims = 0
    integer(int64) :: elements = 0, shape(7) = 1
    ! Dimensions that are contiguous in memory are one here.
    integer :: runs = 0
    integer(int64) :: extent(7) = 1, stride(7) = 0
  end type

  !> An array to be summed, with its mask and its weights. It refers to them and copies nothing.
  type :: field
    private
    type(view) :: a, mask, weights
  end type

  interface field
    module procedure field_r8, field_r4, field_i8, field_i4
  end interface
  interface view
    module procedure view_r8, view_r4, view_i8, view_i4, view_mask
  end interface
  interface global_sum
    module procedure global_sum_r8, global_sum_r4, global_sum_i8, global_sum_i4
  end interface
  interface global_dot
    module procedure global_dot_r8, global_dot_r4
  end interface
  interface global_mean
    module procedure global_mean_r8, global_mean_r4
  end interface
  interface global_var
    module procedure global_var_r8, global_var_r4
  end interface
  interface global_min
    module procedure global_min_r8, global_min_r4, global_min_i8, global_min_i4
  end interface
  interface global_max
    module procedure global_max_r8, global_max_r4, global_max_i8, global_max_i4
  end interface

  integer, parameter :: is_r8 = 1, is_r4 = 2, is_i8 = 3, is_i4 = 4, is_mask = 5

  ! An exact sum is an integer that counts 2^unit in limbs of 32 bits, each in 64 bits, so that
  ! MPI_SUM of 2^31 ranks cannot overflow. Limbs first_limb to last_limb hold every sum of numbers;
  ! the others are for products that are too small or too large for a number.
  integer, parameter :: limbs = 136, first_limb = 34, last_limb = 101, middle = 68
  integer, parameter :: real_unit = -1074 - 32 * first_limb, integer_unit = -32 * first_limb
  integer, parameter :: far = 32 * first_limb
  type :: tally
    integer(int64) :: n = 0, nan = 0, plus = 0, minus = 0
    integer(int64) :: other = 0   ! not 0 if an element is not -0
    integer(int64) :: wide = 0    ! not 0 if a limb outside of the middle is not 0
    integer(int64) :: limb(0:limbs) = 0
    integer :: kind = is_r8
  end type
  integer, parameter :: counters = 6, block = counters + middle
  !> What the first message of every call has before the first sum.
  integer, parameter :: header = 8

  !> The key of NaN, before all others; and the position of no element.
  integer(int64), parameter :: nan_key = -huge(0_int64) - 1, no_position = huge(0_int64)
  integer, parameter :: chunk = 2048
  integer(int64), parameter :: long_run = 16384, low_half = int(z'FFFFFFFF', int64)

  type, bind(c) :: c_options
    integer(c_size_t) :: size = 32
    integer(c_int) :: threads = 1, mode = 0, flags = 0
    type(c_ptr) :: initial = c_null_ptr
  end type
  integer(c_int), parameter :: c_f64 = 12, c_exact_sum = 18
  integer, save :: threads = -1  ! until the first call: OMP_NUM_THREADS, or 1

  interface
    integer(c_int) function c_create(type, op, begin, partial) bind(c, name='upsweep_partial_create')
      import :: c_int, c_int64_t, c_ptr
      integer(c_int), value :: type, op
      integer(c_int64_t), value :: begin
      type(c_ptr), intent(out) :: partial
    end function
    integer(c_int) function c_push(partial, in, n, options) bind(c, name='upsweep_partial_push')
      import :: c_int, c_size_t, c_ptr, c_options
      type(c_ptr), value :: partial, in
      integer(c_size_t), value :: n
      type(c_options), intent(in) :: options
    end function
    integer(c_int) function c_to_bytes(partial, bytes, capacity, size) &
        bind(c, name='upsweep_partial_to_bytes')
      import :: c_int, c_int8_t, c_size_t, c_ptr
      type(c_ptr), value :: partial
      integer(c_int8_t), intent(out) :: bytes(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: size
    end function
    subroutine c_destroy(partial) bind(c, name='upsweep_partial_destroy')
      import :: c_ptr
      type(c_ptr), value :: partial
    end subroutine
    pure real(c_double) function c_fma(x, y, z) bind(c, name='fma')
      import :: c_double
      real(c_double), value :: x, y, z
    end function
  end interface

contains

  !> How many threads the local part of a call uses; 0: as many as the process may use. Until then
  !! it is OMP_NUM_THREADS, or 1.
  subroutine set_threads(n)
    integer, intent(in) :: n
    threads = max(n, 0)
  end subroutine

  ! The public sums. A call without `status` ends the program if it fails.

  real(real64) function global_sum_r8(a, comm, mask, weights, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    real(real64), intent(in), target, optional :: weights(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    s = sum_of(field(a, mask, weights), 'global_sum', comm, counts, status, message)
  end function

  real(real32) function global_sum_r4(a, comm, mask, weights, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    real(real32), intent(in), target, optional :: weights(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    s = real(sum_of(field(a, mask, weights), 'global_sum', comm, counts, status, message), real32)
  end function

  integer(int64) function global_sum_i8(a, comm, mask, status, message) result(s)
    integer(int64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    s = integer_sum_of(field(a, mask), comm, status, message)
  end function

  integer(int64) function global_sum_i4(a, comm, mask, status, message) result(s)
    integer(int32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    s = integer_sum_of(field(a, mask), comm, status, message)
  end function

  !> sums(k) is the sum of fields(k), rounded to real64.
  subroutine global_sums(fields, sums, comm, counts, status, message)
    type(field), intent(in) :: fields(:)
    real(real64), intent(out) :: sums(:)
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(tally), allocatable :: t(:)
    integer :: code, k
    allocate(t(size(fields)))
    code = merge(upsweep_ok, upsweep_wrong_shape, size(sums) == size(fields))
    if (present(counts)) then
      if (size(counts) /= size(fields)) code = upsweep_wrong_shape
    end if
    call add_all(fields, t, code)
    call exchange(t, 1, comm, 'global_sums', code, status, message)
    sums = ieee_value(1.0_real64, ieee_quiet_nan)
    if (code /= upsweep_ok) return
    do k = 1, size(fields)
      sums(k) = rounded_sum(t(k), 53)
      if (present(counts)) counts(k) = counts_of(t(k))
    end do
  end subroutine

  real(real64) function global_dot_r8(a, b, comm, mask, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..), b(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    s = sum_of(field(a, mask, b), 'global_dot', comm, counts, status, message)
  end function

  real(real32) function global_dot_r4(a, b, comm, mask, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..), b(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    s = real(sum_of(field(a, mask, b), 'global_dot', comm, counts, status, message), real32)
  end function

  real(real64) function global_mean_r8(a, comm, mask, counts, status, message) result(mean)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    mean = mean_of(field(a, mask), comm, counts, status, message)
  end function

  real(real32) function global_mean_r4(a, comm, mask, counts, status, message) result(mean)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    mean = real(mean_of(field(a, mask), comm, counts, status, message), real32)
  end function

  !> The variance of the n elements, or that of a sample: divided by n - 1.
  real(real64) function global_var_r8(a, comm, mask, sample, counts, status, message) result(var)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    logical, intent(in), optional :: sample
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    var = variance_of(field(a, mask), field(a, mask, a), comm, sample, counts, status, message)
  end function

  real(real32) function global_var_r4(a, comm, mask, sample, counts, status, message) result(var)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    logical, intent(in), optional :: sample
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    var = real(variance_of(field(a, mask), field(a, mask, a), comm, sample, counts, status, &
        message), real32)
  end function

  ! The smallest and the largest element, of every kind of array.

  real(real64) function global_min_r8(a, comm, mask, index, position, counts, status, message) result(m)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .false., 'global_min', comm, position, status, &
        message, counts)
    m = real_of_key(key)
  end function

  real(real32) function global_min_r4(a, comm, mask, index, position, counts, status, message) result(m)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .false., 'global_min', comm, position, status, &
        message, counts)
    m = real(real_of_key(key), real32)
  end function

  integer(int64) function global_min_i8(a, comm, mask, index, position, status, message) result(m)
    integer(int64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .false., 'global_min', comm, position, status, &
        message)
    m = key
  end function

  integer(int32) function global_min_i4(a, comm, mask, index, position, status, message) result(m)
    integer(int32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .false., 'global_min', comm, position, status, &
        message)
    m = int(key, int32)
  end function

  real(real64) function global_max_r8(a, comm, mask, index, position, counts, status, message) result(m)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .true., 'global_max', comm, position, status, &
        message, counts)
    m = real_of_key(key)
  end function

  real(real32) function global_max_r4(a, comm, mask, index, position, counts, status, message) result(m)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .true., 'global_max', comm, position, status, &
        message, counts)
    m = real(real_of_key(key), real32)
  end function

  integer(int64) function global_max_i8(a, comm, mask, index, position, status, message) result(m)
    integer(int64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .true., 'global_max', comm, position, status, &
        message)
    m = key
  end function

  integer(int32) function global_max_i4(a, comm, mask, index, position, status, message) result(m)
    integer(int32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: key
    key = extremum_of(field(a, mask), index, .true., 'global_max', comm, position, status, &
        message)
    m = int(key, int32)
  end function

  ! One verb for all kinds of arrays.

  real(real64) function sum_of(f, name, comm, counts, status, message) result(s)
    type(field), intent(in) :: f
    character(*), intent(in) :: name
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(tally) :: t(1)
    integer :: code
    code = upsweep_ok
    call add_all([f], t, code)
    call exchange(t, 1, comm, name, code, status, message)
    s = ieee_value(s, ieee_quiet_nan)
    if (code /= upsweep_ok) return
    s = rounded_sum(t(1), digits_of(f%a%kind))
    if (present(counts)) counts = counts_of(t(1))
  end function

  integer(int64) function integer_sum_of(f, comm, status, message) result(s)
    type(field), intent(in) :: f
    COMMUNICATOR, intent(in) :: comm
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(tally) :: t(1)
    integer :: code, k
    logical :: negative
    s = 0
    code = upsweep_ok
    call add_all([f], t, code)
    call exchange(t, 1, comm, 'global_sum', code, status, message)
    if (code /= upsweep_ok) return
    call make_canonical(t(1)%limb, negative)
    k = first_limb
    s = ior(ishft(t(1)%limb(k + 1), 32), t(1)%limb(k))
    if (negative) s = -s
    if (any(t(1)%limb(k + 2:) /= 0) .or. (s < 0 .neqv. negative)) then
      s = 0
      call report('global_sum', upsweep_overflow, [1_int64, 0_int64, 0_int64], comm, .true., &
          status, message)
    end if
  end function

  real(real64) function mean_of(f, comm, counts, status, message) result(mean)
    type(field), intent(in) :: f
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(tally) :: t(1)
    integer :: code
    logical :: negative
    code = upsweep_ok
    call add_all([f], t, code)
    call exchange(t, 2, comm, 'global_mean', code, status, message)
    mean = ieee_value(mean, ieee_quiet_nan)
    if (code /= upsweep_ok) return
    if (present(counts)) counts = counts_of(t(1))
    if (t(1)%n == 0) then
      call report('global_mean', upsweep_no_elements, [1_int64, 0_int64, 0_int64], comm, .true., &
          status, message)
    else if (is_special(t(1))) then
      mean = special_sum(t(1))
    else
      call make_canonical(t(1)%limb, negative)
      call divide(t(1)%limb, t(1)%n)
      mean = rounded(t(1)%limb, negative, real_unit, digits_of(f%a%kind))
    end if
  end function

  !> (n q - s^2) / n^2, where s is the sum and q that of the squares, all of it exact until the end.
  real(real64) function variance_of(f, squares, comm, sample, counts, status, message) result(var)
    type(field), intent(in) :: f, squares
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), optional :: sample
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(tally) :: t(2)
    integer(int64) :: n, divisor, s(0:limbs), x(0:2 * limbs + 1), y(0:2 * limbs + 1)
    integer :: code
    logical :: negative
    code = upsweep_ok
    call add_all([f, squares], t, code)
    call exchange(t, 3, comm, 'global_var', code, status, message)
    var = ieee_value(var, ieee_quiet_nan)
    if (code /= upsweep_ok) return
    if (present(counts)) counts = counts_of(t(1))
    n = t(1)%n
    divisor = n
    if (present(sample)) divisor = n - merge(1, 0, sample)
    if (divisor <= 0) then
      call report('global_var', upsweep_no_elements, [1_int64, 0_int64, 0_int64], comm, .true., &
          status, message)
      return
    end if
    if (is_special(t(1))) return
    call make_canonical(t(1)%limb, negative)
    s = 0
    s(0:last_limb - first_limb + 1) = t(1)%limb(first_limb:last_limb + 1) * 128
    call make_canonical(s, negative)  ! in units of 2^-1081, whose square is 2^real_unit
    call multiply(s, s, x)
    call make_canonical(t(2)%limb, negative)
    s = 0
    s(0:1) = [iand(n, low_half), ishft(n, -32)]
    call multiply(t(2)%limb, s, y)
    x = y - x
    call make_canonical(x, negative)
    call divide(x, n)
    call divide(x, divisor)
    var = rounded(x, .false., real_unit, digits_of(f%a%kind))
  end function

  !> The key of the smallest element, or with `largest` of the largest, on all ranks.
  integer(int64) function extremum_of(f, index, largest, name, comm, position, status, message, &
      counts) result(best)
    type(field), intent(in) :: f
    integer(int64), intent(in), target, optional :: index(..)
    logical, intent(in) :: largest
    character(*), intent(in) :: name
    COMMUNICATOR, intent(in) :: comm
    integer(int64), intent(out), optional :: position
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(element_counts), intent(out), optional :: counts
    type(tally) :: t(1)
    type(view) :: numbers
    integer(int64) :: mine, at, before
    integer :: code, verb
    code = upsweep_ok
    best = merge(nan_key, 0_int64, f%a%kind == is_r8 .or. f%a%kind == is_r4)
    if (present(position)) position = 0
    if (present(index)) numbers = view(index)
    if (present(index)) call conform(numbers, f%a, code)
    verb = merge(6, 4, largest) + merge(1, 0, present(position)) + merge(8, 0, present(index))
    call find_extremum(f, numbers, largest, t(1), mine, at, code)
    call exchange(t, verb, comm, name, code, status, message)
    if (code /= upsweep_ok) return
    if (present(counts)) counts = counts_of(t(1))
    if (t(1)%n == 0) then
      call report(name, upsweep_no_elements, [1_int64, 0_int64, 0_int64], comm, .true., status, &
          message)
      return
    end if
    best = least_of(mine, comm)
    if (present(position)) then
      before = 0
      if (.not. present(index)) before = elements_before(f%a%elements, comm)
      if (at /= no_position .and. mine == best) at = before + at
      if (mine /= best) at = no_position
      position = least_of(at, comm)
    end if
    if (largest .and. (best /= nan_key .or. f%a%kind >= is_i8)) best = not(best)
  end function

  ! The local part.

  subroutine add_all(fields, t, code)
    type(field), intent(in) :: fields(:)
    type(tally), intent(inout) :: t(:)
    integer, intent(inout) :: code
    type(field) :: f
    integer :: k
    if (threads < 0) call read_threads()
    do k = 1, size(fields)
      f = fields(k)
      t(k)%kind = f%a%kind
      call conform(f%mask, f%a, code)
      call conform(f%weights, f%a, code)
      if (code /= upsweep_ok) return
      if (f%a%kind == is_i8 .or. f%a%kind == is_i4) then
        call add_integers(f, t(k))
      else if (f%weights%kind /= 0) then
        call add_products(f, t(k), code)
      else
        call add_reals(f, t(k), code)
      end if
    end do
  end subroutine

  subroutine read_threads()
    character(32) :: text
    integer :: n, error
    n = 1
    call get_environment_variable('OMP_NUM_THREADS', text, status=error)
    if (error == 0) read (text, *, iostat=error) n  ! the first of a list
    threads = merge(max(n, 1), 1, error == 0)
  end subroutine

  !> The n elements from number `first` on, at most a chunk of them. Those that the mask leaves out
  !! are -0, which changes no sum; `kept` is the number of the others.
  subroutine next_chunk(f, first, x, kept, n)
    type(field), intent(in) :: f
    integer(int64), intent(in) :: first
    real(real64), intent(out) :: x(chunk)
    integer, intent(out) :: kept, n
    integer(int64), parameter :: negative_zero = -huge(0_int64) - 1
    logical :: keep(chunk)
    integer(int64) :: one
    integer :: i
    n = int(min(int(chunk, int64), f%a%elements - first))
    call gather_reals(f%a, first, n, x)
    kept = n
    if (f%mask%kind == 0) return
    call gather_mask(f%mask, first, n, keep)
    ! By bits, because masks of land are hard to predict.
    kept = 0
    do i = 1, n
      one = merge(1_int64, 0_int64, keep(i))
      kept = kept + int(one)
      x(i) = transfer(ior(iand(transfer(x(i), one), -one), iand(negative_zero, one - 1)), x(i))
    end do
  end subroutine

  subroutine add_reals(f, t, code)
    type(field), intent(in) :: f
    type(tally), intent(inout) :: t
    integer, intent(inout) :: code
    real(real64), target :: x(chunk)
    type(c_ptr) :: partial
    integer(int64) :: at, left
    integer :: n, kept
    logical :: special
    partial = new_partial(code)
    at = 0
    do while (at < f%a%elements .and. code == upsweep_ok)
      left = merge(run_at(f%a, at), 0_int64, f%a%kind == is_r8 .and. f%mask%kind == 0)
      if (left >= min(f%a%elements - at, long_run)) then
        call push(partial, address_of(f%a, at), left, code)
        t%n = t%n + left
        at = at + left
      else
        call next_chunk(f, at, x, kept, n)
        call push(partial, c_loc(x), int(n, int64), code)
        t%n = t%n + kept
        at = at + n
      end if
    end do
    call finish(partial, t, first_limb, special, code)
    if (special) call count_special(f, t)
  end subroutine

  !> Counts what is not finite. Only called if there is some.
  subroutine count_special(f, t)
    type(field), intent(in) :: f
    type(tally), intent(inout) :: t
    real(real64) :: x(chunk)
    integer(int64) :: at
    integer :: n, kept, i
    at = 0
    do while (at < f%a%elements)
      call next_chunk(f, at, x, kept, n)
      do i = 1, n
        call note_special(x(i), t)
      end do
      at = at + n
    end do
  end subroutine

  subroutine note_special(x, t)
    real(real64), intent(in) :: x
    type(tally), intent(inout) :: t
    if (ieee_is_nan(x)) then
      t%nan = t%nan + 1
    else if (x > huge(x)) then
      t%plus = t%plus + 1
    else if (x < -huge(x)) then
      t%minus = t%minus + 1
    end if
  end subroutine

  !> The exact products of the elements and the weights: each is a number and its rounding error.
  subroutine add_products(f, t, code)
    type(field), intent(in) :: f
    type(tally), intent(inout) :: t
    integer, intent(inout) :: code
    real(real64), parameter :: least = 2.0_real64**(-960), most = 2.0_real64**1000
    real(real64), target :: x(chunk), y(chunk), p(chunk), e(chunk)
    type(c_ptr) :: products, errors
    integer(int64) :: at
    integer :: n, kept, i, m
    logical :: special
    products = new_partial(code)
    errors = new_partial(code)
    at = 0
    do while (at < f%a%elements .and. code == upsweep_ok)
      call next_chunk(f, at, x, kept, n)
      call gather_reals(f%weights, at, n, y)
      if (kept < n) call set_masked(f%mask, at, n, y)
      p(1:n) = x(1:n) * y(1:n)
      m = count(abs(p(1:n)) >= least .and. abs(p(1:n)) <= most)
      if (m == n) then
        do i = 1, n
          e(i) = c_fma(x(i), y(i), -p(i))
        end do
      else
        m = 0
        do i = 1, n
          p(m + 1) = p(i)
          if (abs(p(i)) >= least .and. abs(p(i)) <= most) then
            e(m + 1) = c_fma(x(i), y(i), -p(i))
            m = m + 1
          else if (.not. ieee_is_finite(x(i)) .or. .not. ieee_is_finite(y(i))) then
            call note_special(p(i), t)
          else if (is_zero(x(i)) .or. is_zero(y(i))) then
            e(m + 1) = 0
            m = m + 1
          else
            call add_rare(x(i), y(i), t, code)
          end if
        end do
      end if
      call push(products, c_loc(p), int(m, int64), code)
      if (any(abs(e(1:m)) > 0)) call push(errors, c_loc(e), int(m, int64), code)
      t%n = t%n + kept
      at = at + n
    end do
    call finish(products, t, first_limb, special, code)
    call finish(errors, t, first_limb, special, code)
  end subroutine

  !> The weights of masked elements become 1, so that their products are -0.
  subroutine set_masked(mask, first, n, y)
    type(view), intent(in) :: mask
    integer(int64), intent(in) :: first
    integer, intent(in) :: n
    real(real64), intent(inout) :: y(chunk)
    logical :: keep(chunk)
    call gather_mask(mask, first, n, keep)
    y(1:n) = merge(y(1:n), 1.0_real64, keep(1:n))
  end subroutine

  !> A product that is too small or too large for a number: scaled by 2^far, so that it is one.
  subroutine add_rare(x, y, t, code)
    real(real64), intent(in) :: x, y
    type(tally), intent(inout) :: t
    integer, intent(inout) :: code
    real(real64), target :: both(2)
    type(c_ptr) :: partial
    integer :: power
    logical :: special, small
    power = exponent(x) + exponent(y)
    small = power < 0
    both(1) = fraction(x) * fraction(y)
    both(2) = c_fma(fraction(x), fraction(y), -both(1))
    both = scale(both, power + merge(far, -far, small))
    partial = new_partial(code)
    call push(partial, c_loc(both), 2_int64, code)
    call finish(partial, t, merge(0, 2 * first_limb, small), special, code)
    t%other = t%other + 1
    t%wide = 1
  end subroutine

  subroutine add_integers(f, t)
    type(field), intent(in) :: f
    type(tally), intent(inout) :: t
    integer(int64) :: x(chunk), at
    logical :: keep(chunk)
    integer :: n, k
    k = first_limb
    at = 0
    do while (at < f%a%elements)
      n = int(min(int(chunk, int64), f%a%elements - at))
      call gather_integers(f%a, at, n, x)
      if (f%mask%kind /= 0) then
        call gather_mask(f%mask, at, n, keep)
        where (.not. keep(1:n)) x(1:n) = 0
        t%n = t%n + count(keep(1:n))
      else
        t%n = t%n + n
      end if
      t%limb(k) = t%limb(k) + sum(iand(x(1:n), low_half))
      t%limb(k + 1) = t%limb(k + 1) + sum(shifta(x(1:n), 32)) + shifta(t%limb(k), 32)
      t%limb(k + 2) = t%limb(k + 2) + shifta(t%limb(k + 1), 32)
      t%limb(k:k + 1) = iand(t%limb(k:k + 1), low_half)
      at = at + n
    end do
    t%other = 1
  end subroutine

  !> The first smallest key of this rank, and the number of its element or no_position.
  subroutine find_extremum(f, numbers, largest, t, best, at, code)
    type(field), intent(in) :: f
    type(view), intent(in) :: numbers
    logical, intent(in) :: largest
    type(tally), intent(inout) :: t
    integer(int64), intent(out) :: best, at
    integer, intent(inout) :: code
    type(field) :: g
    integer(int64) :: first, key(chunk), number(chunk)
    real(real64) :: x(chunk)
    logical :: keep(chunk)
    integer :: n, i
    g = f
    t%kind = f%a%kind
    best = huge(best)
    at = no_position
    call conform(g%mask, g%a, code)
    if (code /= upsweep_ok) return
    first = 0
    do while (first < f%a%elements)
      n = int(min(int(chunk, int64), f%a%elements - first))
      if (f%a%kind == is_i8 .or. f%a%kind == is_i4) then
        call gather_integers(f%a, first, n, key)
        if (largest) key(1:n) = not(key(1:n))
      else
        call gather_reals(f%a, first, n, x)
        key(1:n) = key_of_real(x(1:n), largest)
      end if
      keep = .true.
      if (g%mask%kind /= 0) call gather_mask(g%mask, first, n, keep)
      number(1:n) = [(first + i, i = 1, n)]
      if (numbers%kind /= 0) call gather_integers(numbers, first, n, number)
      do i = 1, n
        if (.not. keep(i)) cycle
        t%n = t%n + 1
        if (f%a%kind == is_r8 .or. f%a%kind == is_r4) call note_special(x(i), t)
        if (key(i) > best .or. (key(i) == best .and. number(i) >= at)) cycle
        best = key(i)
        at = number(i)
      end do
      first = first + n
    end do
  end subroutine

  !> An integer for each number, in the order of the numbers, where -0 < +0. NaN comes first.
  elemental integer(int64) function key_of_real(x, largest) result(key)
    real(real64), intent(in) :: x
    logical, intent(in) :: largest
    key = transfer(x, key)
    if (key < 0) key = ieor(key, huge(key))
    if (largest) key = not(key)
    if (ieee_is_nan(x)) key = nan_key
  end function

  real(real64) function real_of_key(key) result(x)
    integer(int64), intent(in) :: key
    if (key == nan_key) then
      x = ieee_value(x, ieee_quiet_nan)
    else
      x = transfer(merge(key, ieor(key, huge(key)), key >= 0), x)
    end if
  end function

  ! Partials of the library.

  type(c_ptr) function new_partial(code) result(partial)
    integer, intent(inout) :: code
    partial = c_null_ptr
    if (c_create(c_f64, c_exact_sum, 0_int64, partial) /= 0) code = upsweep_failed
  end function

  subroutine push(partial, first, n, code)
    type(c_ptr), intent(in) :: partial, first
    integer(int64), intent(in) :: n
    integer, intent(inout) :: code
    if (code /= upsweep_ok .or. n == 0) return
    if (c_push(partial, first, n, c_options(threads=threads)) /= 0) code = upsweep_failed
  end subroutine

  !> Adds the partial to t, where its unit is that of limb `lowest`, and frees it. The bytes are
  !! those of docs/spec/partial_bytes.md.
  subroutine finish(partial, t, lowest, special, code)
    type(c_ptr), intent(in) :: partial
    type(tally), intent(inout) :: t
    integer, intent(in) :: lowest
    logical, intent(out) :: special
    integer, intent(inout) :: code
    integer(c_int8_t) :: bytes(512)
    integer(c_size_t) :: bytes_size
    integer(int64) :: word
    integer :: p, i, at
    special = .false.
    if (code == upsweep_ok) then
      if (c_to_bytes(partial, bytes, int(size(bytes), c_size_t), bytes_size) /= 0) &
          code = upsweep_failed
    end if
    call c_destroy(partial)
    if (code /= upsweep_ok) return
    p = 21  ! after the magic word and two versions
    do i = 1, 3
      p = p + 4 + int(number_at(bytes, p, 4))
    end do
    p = p + 16
    if (number_at(bytes, p, 8) == 0) return
    p = p + 8
    special = bytes(p) == 1 .or. bytes(p) == 2 .or. bytes(p) == 4
    if (bytes(p) /= 8) t%other = t%other + 1
    if (bytes(p) /= 16) return
    at = lowest + 2 * bytes(p + 1)
    do i = 1, bytes(p + 2)
      word = number_at(bytes, p + 3 + 8 * (i - 1), 8)
      t%limb(at) = t%limb(at) + iand(word, low_half)
      ! The last word has the sign.
      word = merge(shifta(word, 32), ishft(word, -32), i == bytes(p + 2))
      t%limb(at + 1) = t%limb(at + 1) + word
      at = at + 2
    end do
  end subroutine

  pure integer(int64) function number_at(bytes, first, n) result(number)
    integer(c_int8_t), intent(in) :: bytes(:)
    integer, intent(in) :: first, n
    integer :: i
    number = 0
    do i = n - 1, 0, -1
      number = ior(ishft(number, 8), iand(int(bytes(first + i), int64), 255_int64))
    end do
  end function

  ! What the ranks tell each other.

  !> t becomes the sum of all ranks' t, and `code` the same on all ranks. The first message has the
  !! same size in every call, so that ranks which do not agree on what is summed find out.
  subroutine exchange(t, verb, comm, name, code, status, message)
    type(tally), intent(inout) :: t(:)
    integer, intent(in) :: verb
    COMMUNICATOR, intent(in) :: comm
    character(*), intent(in) :: name
    integer, intent(inout) :: code
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64) :: mine(header + block), all(header + block), what, ranks
    integer(int64), allocatable :: more(:, :), sums(:, :)
    integer :: k
    logical :: agreed
    if (present(status)) status = upsweep_ok
    if (present(message)) message = ''
    what = verb + merge(16, 0, present(status))
    do k = 1, size(t)
      what = mod(31 * what + t(k)%kind, 1000003_int64)
    end do
    mine = 0
    mine(1:header) = [1_int64, merge(1_int64, 0_int64, code == upsweep_wrong_shape), &
        merge(1_int64, 0_int64, code == upsweep_failed), what, what**2, size(t, kind=int64), &
        size(t, kind=int64)**2, sum(t%wide)]
    if (size(t) > 0) mine(header + 1:) = packed(t(1))
    call add_ranks(header + block, mine, all, comm)
    ranks = all(1)
    agreed = ranks * all(5) == all(4)**2 .and. ranks * all(7) == all(6)**2
    if (.not. agreed) then
      code = upsweep_ranks_differ
    else if (all(2) > 0) then
      code = upsweep_wrong_shape
    else if (all(3) > 0) then
      code = upsweep_failed
    end if
    if (code /= upsweep_ok) then
      call report(name, code, all(1:3), comm, agreed, status, message)
      return
    end if
    if (size(t) > 0) call unpack_tally(all(header + 1:), t(1))
    if (size(t) > 1) then
      allocate(more(block, 2:size(t)), sums(block, 2:size(t)))
      do k = 2, size(t)
        more(:, k) = packed(t(k))
      end do
      call add_ranks(size(more), more, sums, comm)
      do k = 2, size(t)
        call unpack_tally(sums(:, k), t(k))
      end do
    end if
    if (all(header) > 0) call exchange_wide(t, comm)
  end subroutine

  subroutine add_ranks(n, mine, all, comm)
    integer, intent(in) :: n
    integer(int64), intent(in) :: mine(n)
    integer(int64), intent(out) :: all(n)
    COMMUNICATOR, intent(in) :: comm
    integer :: ierror
    call MPI_Allreduce(mine, all, n, MPI_INTEGER8, MPI_SUM, comm, ierror)
  end subroutine

  integer(int64) function least_of(mine, comm) result(least)
    integer(int64), intent(in) :: mine
    COMMUNICATOR, intent(in) :: comm
    integer(int64) :: all(1)
    integer :: ierror
    call MPI_Allreduce([mine], all, 1, MPI_INTEGER8, MPI_MIN, comm, ierror)
    least = all(1)
  end function

  !> How many elements the ranks before this one have.
  integer(int64) function elements_before(mine, comm) result(before)
    integer(int64), intent(in) :: mine
    COMMUNICATOR, intent(in) :: comm
    integer(int64) :: all(1)
    integer :: ierror
    all = 0
    call MPI_Exscan([mine], all, 1, MPI_INTEGER8, MPI_SUM, comm, ierror)
    before = merge(0_int64, all(1), is_first_rank(comm))
  end function

  function packed(t) result(numbers)
    type(tally), intent(in) :: t
    integer(int64) :: numbers(block)
    numbers = [t%n, t%nan, t%plus, t%minus, t%other, t%wide, t%limb(first_limb:last_limb)]
  end function

  subroutine unpack_tally(numbers, t)
    integer(int64), intent(in) :: numbers(block)
    type(tally), intent(inout) :: t
    t%n = numbers(1)
    t%nan = numbers(2)
    t%plus = numbers(3)
    t%minus = numbers(4)
    t%other = numbers(5)
    t%wide = numbers(6)
    t%limb(first_limb:last_limb) = numbers(counters + 1:)
  end subroutine

  subroutine exchange_wide(t, comm)
    type(tally), intent(inout) :: t(:)
    COMMUNICATOR, intent(in) :: comm
    integer(int64) :: mine(limbs - middle, size(t)), all(limbs - middle, size(t))
    integer :: k
    do k = 1, size(t)
      mine(:, k) = [t(k)%limb(:first_limb - 1), t(k)%limb(last_limb + 1:limbs - 1)]
    end do
    call add_ranks(size(mine), mine, all, comm)
    do k = 1, size(t)
      t(k)%limb(:first_limb - 1) = all(:first_limb, k)
      t(k)%limb(last_limb + 1:limbs - 1) = all(first_limb + 1:, k)
    end do
  end subroutine

  !> Stores status and message, or ends the program: all ranks are here with the same code.
  subroutine report(name, code, ranks, comm, agreed, status, message)
    character(*), intent(in) :: name
    integer, intent(in) :: code
    integer(int64), intent(in) :: ranks(3)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in) :: agreed
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(200) :: text
    integer :: ierror
    logical :: first
    select case (code)
      case (upsweep_wrong_shape)
        write (text, '(a,i0,a,i0,a)') 'the mask, the weights or another array differ in shape '// &
            'from the array, on ', ranks(2), ' of ', ranks(1), ' ranks'
      case (upsweep_failed)
        write (text, '(a,i0,a,i0,a)') 'the library failed, which has no memory, on ', ranks(3), &
            ' of ', ranks(1), ' ranks'
      case (upsweep_ranks_differ)
        text = 'the ranks call different functions, or with different kinds or numbers of '// &
            'arrays, or only some with status'
      case (upsweep_overflow)
        text = 'the sum does not fit into 64 bits'
      case (upsweep_no_elements)
        text = 'there are too few elements on all ranks together'
    end select
    if (present(message)) message = name//': '//text
    if (present(status)) then
      status = code
      return
    end if
    ! One sentence is enough: the others wait for the end.
    first = is_first_rank(comm)
    if (agreed .and. .not. first) call MPI_Barrier(comm, ierror)
    call end_program('upsweep: '//name//': '//trim(text), comm)
  end subroutine

  !> Prints a sentence and ends all ranks, a moment later, so that mpirun passes the sentence on.
  subroutine end_program(sentence, comm)
    character(*), intent(in) :: sentence
    COMMUNICATOR, intent(in) :: comm
    integer :: ierror
    real(real64) :: start
    write (error_unit, '(a)') sentence
    flush (error_unit)
    start = MPI_Wtime()
    do while (MPI_Wtime() < start + 0.2_real64)
    end do
    call MPI_Abort(comm, 1, ierror)
  end subroutine

  logical function is_first_rank(comm)
    COMMUNICATOR, intent(in) :: comm
    integer :: rank, ierror
    call MPI_Comm_rank(comm, rank, ierror)
    is_first_rank = rank == 0
  end function

  ! Integers of many limbs, and their rounding.

  type(element_counts) function counts_of(t)
    type(tally), intent(in) :: t
    counts_of = element_counts(t%n, t%nan, t%plus, t%minus)
  end function

  pure integer function digits_of(kind)
    integer, intent(in) :: kind
    digits_of = merge(24, 53, kind == is_r4)
  end function

  pure logical function is_special(t)
    type(tally), intent(in) :: t
    is_special = t%nan > 0 .or. t%plus > 0 .or. t%minus > 0
  end function

  real(real64) function special_sum(t) result(s)
    type(tally), intent(in) :: t
    s = ieee_value(s, ieee_quiet_nan)
    if (t%nan > 0 .or. (t%plus > 0 .and. t%minus > 0)) return
    s = ieee_value(s, ieee_positive_inf)
    if (t%minus > 0) s = ieee_value(s, ieee_negative_inf)
  end function

  real(real64) function rounded_sum(t, digits) result(s)
    type(tally), intent(in) :: t
    integer, intent(in) :: digits
    integer(int64) :: x(0:limbs)
    logical :: negative
    if (is_special(t)) then
      s = special_sum(t)
    else if (t%n > 0 .and. t%other == 0) then
      s = -0.0_real64
    else
      x = t%limb
      call make_canonical(x, negative)
      s = rounded(x, negative, merge(real_unit, integer_unit, t%kind < is_i8), digits)
    end if
  end function

  !> The magnitude in limbs of 32 bits, and the sign apart.
  pure subroutine make_canonical(x, negative)
    integer(int64), intent(inout) :: x(0:)
    logical, intent(out) :: negative
    call carry(x)
    negative = x(size(x) - 1) < 0
    if (.not. negative) return
    x = -x
    call carry(x)
  end subroutine

  !> All limbs but the last become 0 to 2^32 - 1.
  pure subroutine carry(x)
    integer(int64), intent(inout) :: x(0:)
    integer :: i
    do i = 0, size(x) - 2
      x(i + 1) = x(i + 1) + shifta(x(i), 32)
      x(i) = iand(x(i), low_half)
    end do
  end subroutine

  !> z = x y, of magnitudes: in digits of 16 bits, whose products fit.
  pure subroutine multiply(x, y, z)
    integer(int64), intent(in) :: x(0:limbs), y(0:limbs)
    integer(int64), intent(out) :: z(0:2 * limbs + 1)
    integer(int64) :: a(0:2 * limbs + 1), b(0:2 * limbs + 1), c(0:4 * limbs + 3)
    integer :: i
    a(0::2) = iand(x, 65535_int64)
    a(1::2) = ishft(x, -16)
    b(0::2) = iand(y, 65535_int64)
    b(1::2) = ishft(y, -16)
    c = 0
    do i = 0, 2 * limbs + 1
      if (a(i) /= 0) c(i:i + 2 * limbs + 1) = c(i:i + 2 * limbs + 1) + a(i) * b
    end do
    z = c(0::2) + shiftl(iand(c(1::2), 65535_int64), 16)
    z(1:) = z(1:) + ishft(c(1:4 * limbs + 1:2), -16)
    call carry(z)
  end subroutine

  !> x = x / n, rounded down. What that drops decides no rounding: the quotient has a bit among the
  !! 1,000 below the last one of any number.
  pure subroutine divide(x, n)
    integer(int64), intent(inout) :: x(0:)
    integer(int64), intent(in) :: n
    integer(int64) :: remainder, quotient
    integer :: i, bit
    remainder = 0
    do i = size(x) - 1, 0, -1
      if (x(i) == 0 .and. remainder == 0) cycle
      quotient = 0
      do bit = 31, 0, -1
        remainder = 2 * remainder + ibits(x(i), bit, 1)
        quotient = 2 * quotient
        if (remainder < n) cycle
        remainder = remainder - n
        quotient = quotient + 1
      end do
      x(i) = quotient
    end do
  end subroutine

  !> +-x 2^unit as the nearest number of 53 or 24 digits, ties to even.
  pure real(real64) function rounded(x, negative, unit, digits) result(r)
    integer(int64), intent(in) :: x(0:)
    logical, intent(in) :: negative
    integer, intent(in) :: unit, digits
    integer(int64) :: m
    integer :: top, last, i
    logical :: half, more
    r = 0
    top = size(x) - 1
    do while (top > 0 .and. x(top) == 0)
      top = top - 1
    end do
    top = 32 * top + 63 - leadz(x(top))  ! the highest bit that is set
    ! The last bit of the result, which is no smaller than the smallest subnormal.
    last = max(top - digits + 1, merge(-1074, -149, digits == 53) - unit)
    m = 0
    do i = top, last, -1
      m = 2 * m + bit_of(x, i)
    end do
    half = bit_of(x, last - 1) == 1
    more = any_below(x, last - 1)
    if (half .and. (more .or. btest(m, 0))) m = m + 1
    r = scale(real(m, real64), last + unit)
    if (negative) r = -r
  end function

  pure integer(int64) function bit_of(x, i)
    integer(int64), intent(in) :: x(0:)
    integer, intent(in) :: i
    bit_of = 0
    if (i >= 0 .and. i < 32 * size(x)) bit_of = ibits(x(i / 32), mod(i, 32), 1)
  end function

  !> Whether a bit below number `end` is set.
  pure logical function any_below(x, end)
    integer(int64), intent(in) :: x(0:)
    integer, intent(in) :: end
    any_below = .false.
    if (end <= 0) return
    any_below = any(x(:end / 32 - 1) /= 0) .or. ibits(x(end / 32), 0, mod(end, 32)) /= 0
  end function

  pure logical function is_zero(x)
    real(real64), intent(in) :: x
    is_zero = .not. abs(x) > 0 .and. x <= 0
  end function

  ! Views: where the elements of an array are.

  type(field) function field_r8(a, mask, weights) result(f)
    real(real64), intent(in), target :: a(..)
    logical, intent(in), target, optional :: mask(..)
    real(real64), intent(in), target, optional :: weights(..)
    f%a = view(a)
    if (present(mask)) f%mask = view(mask)
    if (present(weights)) f%weights = view(weights)
  end function

  type(field) function field_r4(a, mask, weights) result(f)
    real(real32), intent(in), target :: a(..)
    logical, intent(in), target, optional :: mask(..)
    real(real32), intent(in), target, optional :: weights(..)
    f%a = view(a)
    if (present(mask)) f%mask = view(mask)
    if (present(weights)) f%weights = view(weights)
  end function

  type(field) function field_i8(a, mask) result(f)
    integer(int64), intent(in), target :: a(..)
    logical, intent(in), target, optional :: mask(..)
    f%a = view(a)
    if (present(mask)) f%mask = view(mask)
  end function

  type(field) function field_i4(a, mask) result(f)
    integer(int32), intent(in), target :: a(..)
    logical, intent(in), target, optional :: mask(..)
    f%a = view(a)
    if (present(mask)) f%mask = view(mask)
  end function

  type(view) function view_r8(a) result(v)
    real(real64), intent(in), target :: a(..)
    type(c_ptr) :: p(0:7)
    integer :: b(7), e(7), step(7)
    call start_view(v, is_r8, shape(a, int64), b, step)
    if (v%elements == 0) return
    select rank (a)
      rank (0)
        p(0) = c_loc(a)
      rank (1)
        b(1:1) = lbound(a)
        e = b + step
        p(0:1) = [c_loc(a(b(1))), c_loc(a(e(1)))]
      rank (2)
        b(1:2) = lbound(a)
        e = b + step
        p(0:2) = [c_loc(a(b(1),b(2))), c_loc(a(e(1),b(2))), c_loc(a(b(1),e(2)))]
      rank (3)
        b(1:3) = lbound(a)
        e = b + step
        p(0:3) = [c_loc(a(b(1),b(2),b(3))), c_loc(a(e(1),b(2),b(3))), c_loc(a(b(1),e(2),b(3))), &
            c_loc(a(b(1),b(2),e(3)))]
      rank (4)
        b(1:4) = lbound(a)
        e = b + step
        p(0:4) = [c_loc(a(b(1),b(2),b(3),b(4))), c_loc(a(e(1),b(2),b(3),b(4))), &
            c_loc(a(b(1),e(2),b(3),b(4))), c_loc(a(b(1),b(2),e(3),b(4))), &
            c_loc(a(b(1),b(2),b(3),e(4)))]
      rank (5)
        b(1:5) = lbound(a)
        e = b + step
        p(0:5) = [c_loc(a(b(1),b(2),b(3),b(4),b(5))), c_loc(a(e(1),b(2),b(3),b(4),b(5))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5))), c_loc(a(b(1),b(2),e(3),b(4),b(5))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5))), c_loc(a(b(1),b(2),b(3),b(4),e(5)))]
      rank (6)
        b(1:6) = lbound(a)
        e = b + step
        p(0:6) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6))), c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6))), c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6))), c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6)))]
      rank (7)
        b(1:7) = lbound(a)
        e = b + step
        p(0:7) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),e(7)))]
      rank default
        return
    end select
    call end_view(v, p)
  end function

  type(view) function view_r4(a) result(v)
    real(real32), intent(in), target :: a(..)
    type(c_ptr) :: p(0:7)
    integer :: b(7), e(7), step(7)
    call start_view(v, is_r4, shape(a, int64), b, step)
    if (v%elements == 0) return
    select rank (a)
      rank (0)
        p(0) = c_loc(a)
      rank (1)
        b(1:1) = lbound(a)
        e = b + step
        p(0:1) = [c_loc(a(b(1))), c_loc(a(e(1)))]
      rank (2)
        b(1:2) = lbound(a)
        e = b + step
        p(0:2) = [c_loc(a(b(1),b(2))), c_loc(a(e(1),b(2))), c_loc(a(b(1),e(2)))]
      rank (3)
        b(1:3) = lbound(a)
        e = b + step
        p(0:3) = [c_loc(a(b(1),b(2),b(3))), c_loc(a(e(1),b(2),b(3))), c_loc(a(b(1),e(2),b(3))), &
            c_loc(a(b(1),b(2),e(3)))]
      rank (4)
        b(1:4) = lbound(a)
        e = b + step
        p(0:4) = [c_loc(a(b(1),b(2),b(3),b(4))), c_loc(a(e(1),b(2),b(3),b(4))), &
            c_loc(a(b(1),e(2),b(3),b(4))), c_loc(a(b(1),b(2),e(3),b(4))), &
            c_loc(a(b(1),b(2),b(3),e(4)))]
      rank (5)
        b(1:5) = lbound(a)
        e = b + step
        p(0:5) = [c_loc(a(b(1),b(2),b(3),b(4),b(5))), c_loc(a(e(1),b(2),b(3),b(4),b(5))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5))), c_loc(a(b(1),b(2),e(3),b(4),b(5))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5))), c_loc(a(b(1),b(2),b(3),b(4),e(5)))]
      rank (6)
        b(1:6) = lbound(a)
        e = b + step
        p(0:6) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6))), c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6))), c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6))), c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6)))]
      rank (7)
        b(1:7) = lbound(a)
        e = b + step
        p(0:7) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),e(7)))]
      rank default
        return
    end select
    call end_view(v, p)
  end function

  type(view) function view_i8(a) result(v)
    integer(int64), intent(in), target :: a(..)
    type(c_ptr) :: p(0:7)
    integer :: b(7), e(7), step(7)
    call start_view(v, is_i8, shape(a, int64), b, step)
    if (v%elements == 0) return
    select rank (a)
      rank (0)
        p(0) = c_loc(a)
      rank (1)
        b(1:1) = lbound(a)
        e = b + step
        p(0:1) = [c_loc(a(b(1))), c_loc(a(e(1)))]
      rank (2)
        b(1:2) = lbound(a)
        e = b + step
        p(0:2) = [c_loc(a(b(1),b(2))), c_loc(a(e(1),b(2))), c_loc(a(b(1),e(2)))]
      rank (3)
        b(1:3) = lbound(a)
        e = b + step
        p(0:3) = [c_loc(a(b(1),b(2),b(3))), c_loc(a(e(1),b(2),b(3))), c_loc(a(b(1),e(2),b(3))), &
            c_loc(a(b(1),b(2),e(3)))]
      rank (4)
        b(1:4) = lbound(a)
        e = b + step
        p(0:4) = [c_loc(a(b(1),b(2),b(3),b(4))), c_loc(a(e(1),b(2),b(3),b(4))), &
            c_loc(a(b(1),e(2),b(3),b(4))), c_loc(a(b(1),b(2),e(3),b(4))), &
            c_loc(a(b(1),b(2),b(3),e(4)))]
      rank (5)
        b(1:5) = lbound(a)
        e = b + step
        p(0:5) = [c_loc(a(b(1),b(2),b(3),b(4),b(5))), c_loc(a(e(1),b(2),b(3),b(4),b(5))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5))), c_loc(a(b(1),b(2),e(3),b(4),b(5))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5))), c_loc(a(b(1),b(2),b(3),b(4),e(5)))]
      rank (6)
        b(1:6) = lbound(a)
        e = b + step
        p(0:6) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6))), c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6))), c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6))), c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6)))]
      rank (7)
        b(1:7) = lbound(a)
        e = b + step
        p(0:7) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),e(7)))]
      rank default
        return
    end select
    call end_view(v, p)
  end function

  type(view) function view_i4(a) result(v)
    integer(int32), intent(in), target :: a(..)
    type(c_ptr) :: p(0:7)
    integer :: b(7), e(7), step(7)
    call start_view(v, is_i4, shape(a, int64), b, step)
    if (v%elements == 0) return
    select rank (a)
      rank (0)
        p(0) = c_loc(a)
      rank (1)
        b(1:1) = lbound(a)
        e = b + step
        p(0:1) = [c_loc(a(b(1))), c_loc(a(e(1)))]
      rank (2)
        b(1:2) = lbound(a)
        e = b + step
        p(0:2) = [c_loc(a(b(1),b(2))), c_loc(a(e(1),b(2))), c_loc(a(b(1),e(2)))]
      rank (3)
        b(1:3) = lbound(a)
        e = b + step
        p(0:3) = [c_loc(a(b(1),b(2),b(3))), c_loc(a(e(1),b(2),b(3))), c_loc(a(b(1),e(2),b(3))), &
            c_loc(a(b(1),b(2),e(3)))]
      rank (4)
        b(1:4) = lbound(a)
        e = b + step
        p(0:4) = [c_loc(a(b(1),b(2),b(3),b(4))), c_loc(a(e(1),b(2),b(3),b(4))), &
            c_loc(a(b(1),e(2),b(3),b(4))), c_loc(a(b(1),b(2),e(3),b(4))), &
            c_loc(a(b(1),b(2),b(3),e(4)))]
      rank (5)
        b(1:5) = lbound(a)
        e = b + step
        p(0:5) = [c_loc(a(b(1),b(2),b(3),b(4),b(5))), c_loc(a(e(1),b(2),b(3),b(4),b(5))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5))), c_loc(a(b(1),b(2),e(3),b(4),b(5))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5))), c_loc(a(b(1),b(2),b(3),b(4),e(5)))]
      rank (6)
        b(1:6) = lbound(a)
        e = b + step
        p(0:6) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6))), c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6))), c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6))), c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6)))]
      rank (7)
        b(1:7) = lbound(a)
        e = b + step
        p(0:7) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),e(7)))]
      rank default
        return
    end select
    call end_view(v, p)
  end function

  type(view) function view_mask(a) result(v)
    logical, intent(in), target :: a(..)
    type(c_ptr) :: p(0:7)
    integer :: b(7), e(7), step(7)
    call start_view(v, is_mask, shape(a, int64), b, step)
    if (v%elements == 0) return
    select rank (a)
      rank (0)
        p(0) = c_loc(a)
      rank (1)
        b(1:1) = lbound(a)
        e = b + step
        p(0:1) = [c_loc(a(b(1))), c_loc(a(e(1)))]
      rank (2)
        b(1:2) = lbound(a)
        e = b + step
        p(0:2) = [c_loc(a(b(1),b(2))), c_loc(a(e(1),b(2))), c_loc(a(b(1),e(2)))]
      rank (3)
        b(1:3) = lbound(a)
        e = b + step
        p(0:3) = [c_loc(a(b(1),b(2),b(3))), c_loc(a(e(1),b(2),b(3))), c_loc(a(b(1),e(2),b(3))), &
            c_loc(a(b(1),b(2),e(3)))]
      rank (4)
        b(1:4) = lbound(a)
        e = b + step
        p(0:4) = [c_loc(a(b(1),b(2),b(3),b(4))), c_loc(a(e(1),b(2),b(3),b(4))), &
            c_loc(a(b(1),e(2),b(3),b(4))), c_loc(a(b(1),b(2),e(3),b(4))), &
            c_loc(a(b(1),b(2),b(3),e(4)))]
      rank (5)
        b(1:5) = lbound(a)
        e = b + step
        p(0:5) = [c_loc(a(b(1),b(2),b(3),b(4),b(5))), c_loc(a(e(1),b(2),b(3),b(4),b(5))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5))), c_loc(a(b(1),b(2),e(3),b(4),b(5))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5))), c_loc(a(b(1),b(2),b(3),b(4),e(5)))]
      rank (6)
        b(1:6) = lbound(a)
        e = b + step
        p(0:6) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6))), c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6))), c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6))), c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6)))]
      rank (7)
        b(1:7) = lbound(a)
        e = b + step
        p(0:7) = [c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(e(1),b(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),e(2),b(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),e(3),b(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),e(4),b(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),e(5),b(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),e(6),b(7))), &
            c_loc(a(b(1),b(2),b(3),b(4),b(5),b(6),e(7)))]
      rank default
        return
    end select
    call end_view(v, p)
  end function

  !> Shape and size; step(k) is 1 if there is a second element along dimension k, otherwise 0. The
  !! callers ask for lower bounds, which should be 1: gfortran 12 gives an expression those of 0, and
  !! an empty one extents of -1.
  subroutine start_view(v, kind, extent, b, step)
    type(view), intent(out) :: v
    integer, intent(in) :: kind
    integer(int64), intent(in) :: extent(:)
    integer, intent(out) :: b(7), step(7)
    if (size(extent) > 7) error stop 'upsweep: an array may have 7 dimensions at most'
    v%kind = kind
    v%dims = size(extent)
    v%shape(1:v%dims) = max(extent, 0_int64)
    v%elements = product(v%shape)
    b = 1
    step = int(min(v%shape - 1, 1_int64))
  end subroutine

  !> Strides from the addresses of the first element, and of the second along each dimension. Joins
  !! dimensions that are contiguous in memory.
  subroutine end_view(v, p)
    type(view), intent(inout) :: v
    type(c_ptr), intent(in) :: p(0:7)
    integer(int64) :: stride
    integer :: k
    v%base = p(0)
    v%runs = 0
    do k = 1, v%dims
      if (v%shape(k) == 1) cycle
      stride = address(p(k)) - address(p(0))
      if (v%runs > 0) then
        if (stride == v%stride(v%runs) * v%extent(v%runs)) then
          v%extent(v%runs) = v%extent(v%runs) * v%shape(k)
          cycle
        end if
      end if
      v%runs = v%runs + 1
      v%extent(v%runs) = v%shape(k)
      v%stride(v%runs) = stride
    end do
  end subroutine

  !> A single mask or weight is for all elements; any other must have the array's shape.
  subroutine conform(v, a, code)
    type(view), intent(inout) :: v
    type(view), intent(in) :: a
    integer, intent(inout) :: code
    if (v%kind == 0) return
    if (v%dims == 0 .and. a%dims > 0) then
      v%runs = 1
      v%extent(1) = max(a%elements, 1_int64)
    else if (v%dims /= a%dims .or. any(v%shape /= a%shape)) then
      code = upsweep_wrong_shape
    end if
  end subroutine

  pure integer(int64) function address(p)
    type(c_ptr), intent(in) :: p
    address = transfer(p, address)
  end function

  !> Address of element `i`, counted from 0 in array element order, and how many follow it, itself
  !! included, at the first stride.
  pure subroutine locate(v, i, at, left)
    type(view), intent(in) :: v
    integer(int64), intent(in) :: i
    integer(int64), intent(out) :: at, left
    integer(int64) :: rest
    integer :: k
    at = address(v%base)
    rest = i
    do k = 1, v%runs
      at = at + mod(rest, v%extent(k)) * v%stride(k)
      rest = rest / v%extent(k)
    end do
    left = v%extent(1) - mod(i, v%extent(1))
  end subroutine

  pure type(c_ptr) function address_of(v, i)
    type(view), intent(in) :: v
    integer(int64), intent(in) :: i
    integer(int64) :: at, left
    call locate(v, i, at, left)
    address_of = transfer(at, address_of)
  end function

  !> How many numbers of 64 bits from element i on are contiguous.
  pure integer(int64) function run_at(v, i)
    type(view), intent(in) :: v
    integer(int64), intent(in) :: i
    integer(int64) :: at
    call locate(v, i, at, run_at)
    if (v%stride(1) /= 8) run_at = merge(1, 0, v%elements == 1)
  end function

  subroutine gather_reals(v, first, n, x)
    type(view), intent(in) :: v
    integer(int64), intent(in) :: first
    integer, intent(in) :: n
    real(real64), intent(out) :: x(chunk)
    real(real64), pointer :: r8, row(:)
    real(real32), pointer :: r4
    integer(int64) :: at, left
    integer :: done, m, i
    done = 0
    do while (done < n)
      call locate(v, first + done, at, left)
      m = int(min(left, int(n - done, int64)))
      if (v%kind == is_r8 .and. v%stride(1) == 8) then
        call c_f_pointer(transfer(at, c_null_ptr), row, [m])
        x(done + 1:done + m) = row
      else if (v%kind == is_r8) then
        do i = 1, m
          call c_f_pointer(transfer(at + (i - 1) * v%stride(1), c_null_ptr), r8)
          x(done + i) = r8
        end do
      else
        do i = 1, m
          call c_f_pointer(transfer(at + (i - 1) * v%stride(1), c_null_ptr), r4)
          x(done + i) = real(r4, real64)
        end do
      end if
      done = done + m
    end do
  end subroutine

  subroutine gather_integers(v, first, n, x)
    type(view), intent(in) :: v
    integer(int64), intent(in) :: first
    integer, intent(in) :: n
    integer(int64), intent(out) :: x(chunk)
    integer(int64), pointer :: i8
    integer(int32), pointer :: i4
    integer(int64) :: at, left
    integer :: done, m, i
    done = 0
    do while (done < n)
      call locate(v, first + done, at, left)
      m = int(min(left, int(n - done, int64)))
      do i = 1, m
        if (v%kind == is_i8) then
          call c_f_pointer(transfer(at + (i - 1) * v%stride(1), c_null_ptr), i8)
          x(done + i) = i8
        else
          call c_f_pointer(transfer(at + (i - 1) * v%stride(1), c_null_ptr), i4)
          x(done + i) = i4
        end if
      end do
      done = done + m
    end do
  end subroutine

  subroutine gather_mask(v, first, n, keep)
    type(view), intent(in) :: v
    integer(int64), intent(in) :: first
    integer, intent(in) :: n
    logical, intent(inout) :: keep(chunk)
    logical, pointer :: one, row(:)
    integer(int64) :: at, left
    integer :: done, m, i
    done = 0
    do while (done < n)
      call locate(v, first + done, at, left)
      m = int(min(left, int(n - done, int64)))
      if (v%stride(1) == storage_size(one) / 8) then
        call c_f_pointer(transfer(at, c_null_ptr), row, [m])
        keep(done + 1:done + m) = row
      else
        do i = 1, m
          call c_f_pointer(transfer(at + (i - 1) * v%stride(1), c_null_ptr), one)
          keep(done + i) = one
        end do
      end if
      done = done + m
    end do
  end subroutine
end module
