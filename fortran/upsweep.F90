!> Exact global sums for programs that use MPI: the same bits on any number of ranks and threads.
!!
!!   use mpi_f08
!!   use upsweep
!!   total = global_sum(heat(2:nx-1, 2:ny-1), MPI_COMM_WORLD, mask=ocean)
!!
!! Every sum is exact and rounded once, to nearest even. Therefore it does not depend on ranks,
!! threads, the order of the elements and the decomposition. docs/fortran.md describes the calls.
!! This module describes the arrays and calls c_api/ranks.h, which is in the library.
!! Compile it with -DUPSWEEP_MPI_F90 for programs with `use mpi`, where communicators are integers.
!! Compile it with -DUPSWEEP_CUDA, and link upsweep_cuda, to sum arrays in the memory of a GPU too.
!! Needs assumed-rank arrays and `select rank` (Fortran 2018, gfortran 10 or later).
#ifdef UPSWEEP_MPI_F90
#define COMMUNICATOR integer
#else
#define COMMUNICATOR type(MPI_Comm)
#endif
module upsweep
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  implicit none
  private
  public :: field, element_counts, global_sum, global_sums, global_dot, global_mean, global_var, &
      global_min, global_max, running_sum, section_of, layer_of, set_threads, end_program
  public :: upsweep_ok, upsweep_wrong_shape, upsweep_ranks_differ, upsweep_overflow, &
      upsweep_no_elements, upsweep_failed, upsweep_mpi_failed

  !> What `status` says; 0 is success.
  integer, parameter :: upsweep_ok = 0, upsweep_wrong_shape = 1, upsweep_failed = 2, &
      upsweep_ranks_differ = 3, upsweep_overflow = 4, upsweep_no_elements = 5, &
      upsweep_mpi_failed = 6

  !> How many elements were used on all ranks, and how many of them were not finite.
  type, bind(c) :: element_counts
    integer(c_int64_t) :: elements = 0, nan = 0, plus_infinity = 0, minus_infinity = 0
  end type

  !> Where the elements of an array are, as upsweep_array of C: strides are in bytes, and the last
  !! dimension comes first.
  type, bind(c) :: view
    type(c_ptr) :: base = c_null_ptr
    integer(c_int) :: kind = 0, dims = 0
    integer(c_int64_t) :: shape(7) = 0, stride(7) = 0
  end type

  !> An array to be summed, with its mask and its weights. It refers to them and copies nothing.
  type, bind(c) :: field
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
  interface global_sums
    module procedure global_sums_r8, global_sums_r4, global_sums_i8
  end interface
  interface global_dot
    module procedure global_dot_r8, global_dot_r4, global_dot_i8, global_dot_i4
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
  interface running_sum
    module procedure running_sum_r8, running_sum_r4, running_sum_i8, running_sum_i4
  end interface

  !> The types of upsweep.h. A mask of logicals is one of integers.
  integer, parameter :: is_r8 = 12, is_r4 = 11, is_i8 = 4, is_i4 = 3

  !> upsweep_ranks of C.
  type, bind(c) :: c_ranks
    integer(c_size_t) :: size = 0
    type(c_ptr) :: context = c_null_ptr
    type(c_funptr) :: add = c_null_funptr, add_before = c_null_funptr, least = c_null_funptr
    integer(c_int) :: threads = -1, tag = 0
    type(c_ptr) :: device = c_null_ptr
  end type
  integer, save :: threads = -1  ! OMP_NUM_THREADS, or 1

  interface
    integer(c_int) function c_sum(ranks, f, counts, out) bind(c, name='upsweep_global_sum')
      import :: c_int, c_ptr, c_ranks, field, element_counts
      type(c_ranks), intent(in) :: ranks
      type(field), intent(in) :: f
      type(element_counts), intent(inout) :: counts
      type(c_ptr), value :: out
    end function
    integer(c_int) function c_sums(ranks, fields, n, type, counts, sums) &
        bind(c, name='upsweep_global_sums')
      import :: c_int, c_ptr, c_ranks, c_size_t, field, element_counts
      type(c_ranks), intent(in) :: ranks
      type(field), intent(in) :: fields(*)
      integer(c_size_t), value :: n
      integer(c_int), value :: type
      type(element_counts), intent(inout) :: counts(*)
      type(c_ptr), value :: sums
    end function
    integer(c_int) function c_mean(ranks, f, counts, out) bind(c, name='upsweep_global_mean')
      import :: c_int, c_ptr, c_ranks, field, element_counts
      type(c_ranks), intent(in) :: ranks
      type(field), intent(in) :: f
      type(element_counts), intent(inout) :: counts
      type(c_ptr), value :: out
    end function
    integer(c_int) function c_variance(ranks, f, less, counts, out) &
        bind(c, name='upsweep_global_variance')
      import :: c_int, c_ptr, c_ranks, field, element_counts
      type(c_ranks), intent(in) :: ranks
      type(field), intent(in) :: f
      integer(c_int), value :: less
      type(element_counts), intent(inout) :: counts
      type(c_ptr), value :: out
    end function
    integer(c_int) function c_min(ranks, f, index, position, counts, out) &
        bind(c, name='upsweep_global_min')
      import :: c_int, c_ptr, c_ranks, field, element_counts
      type(c_ranks), intent(in) :: ranks
      type(field), intent(in) :: f
      type(c_ptr), value :: index, position, out
      type(element_counts), intent(inout) :: counts
    end function
    integer(c_int) function c_max(ranks, f, index, position, counts, out) &
        bind(c, name='upsweep_global_max')
      import :: c_int, c_ptr, c_ranks, field, element_counts
      type(c_ranks), intent(in) :: ranks
      type(field), intent(in) :: f
      type(c_ptr), value :: index, position, out
      type(element_counts), intent(inout) :: counts
    end function
    integer(c_int) function c_running_sum(ranks, a, axis, exclusive, sums) &
        bind(c, name='upsweep_global_running_sum')
      import :: c_int, c_ranks, view
      type(c_ranks), intent(in) :: ranks
      type(view), intent(in) :: a, sums
      integer(c_int), value :: axis, exclusive
    end function
#ifdef UPSWEEP_CUDA
    type(c_ptr) function c_device() bind(c, name='upsweep_cuda_device')
      import :: c_ptr
    end function
#endif
    type(c_ptr) function c_message() bind(c, name='upsweep_last_error_message')
      import :: c_ptr
    end function
    pure integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
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

  function global_sum_r8(a, comm, mask, weights, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    real(real64), intent(in), target, optional :: weights(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), target :: s
    s = not_a_number()
    call sum_of(field(a, mask, weights), c_loc(s), 'global_sum', comm, counts, status, message)
  end function

  function global_sum_r4(a, comm, mask, weights, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    real(real32), intent(in), target, optional :: weights(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), target :: s
    s = real(not_a_number(), real32)
    call sum_of(field(a, mask, weights), c_loc(s), 'global_sum', comm, counts, status, message)
  end function

  function global_sum_i8(a, comm, mask, weights, counts, status, message) result(s)
    integer(int64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: weights(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64), target :: s
    s = 0
    call sum_of(field(a, mask, weights), c_loc(s), 'global_sum', comm, counts, status, message)
  end function

  function global_sum_i4(a, comm, mask, weights, counts, status, message) result(s)
    integer(int32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int32), intent(in), target, optional :: weights(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64), target :: s
    s = 0
    call sum_of(field(a, mask, weights), c_loc(s), 'global_sum', comm, counts, status, message)
  end function

  function global_dot_r8(a, b, comm, mask, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..), b(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), target :: s
    s = not_a_number()
    call sum_of(field(a, mask, b), c_loc(s), 'global_dot', comm, counts, status, message)
  end function

  function global_dot_r4(a, b, comm, mask, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..), b(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), target :: s
    s = real(not_a_number(), real32)
    call sum_of(field(a, mask, b), c_loc(s), 'global_dot', comm, counts, status, message)
  end function

  function global_dot_i8(a, b, comm, mask, counts, status, message) result(s)
    integer(int64), intent(in), target :: a(..), b(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64), target :: s
    s = 0
    call sum_of(field(a, mask, b), c_loc(s), 'global_dot', comm, counts, status, message)
  end function

  function global_dot_i4(a, b, comm, mask, counts, status, message) result(s)
    integer(int32), intent(in), target :: a(..), b(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64), target :: s
    s = 0
    call sum_of(field(a, mask, b), c_loc(s), 'global_dot', comm, counts, status, message)
  end function

  function global_mean_r8(a, comm, mask, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), target :: s
    s = not_a_number()
    call mean_of(field(a, mask), c_loc(s), comm, counts, status, message)
  end function

  function global_mean_r4(a, comm, mask, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), target :: s
    s = real(not_a_number(), real32)
    call mean_of(field(a, mask), c_loc(s), comm, counts, status, message)
  end function

  ! The variance of the n elements, or that of a sample: divided by n - 1.

  function global_var_r8(a, comm, mask, sample, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    logical, intent(in), optional :: sample
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), target :: s
    s = not_a_number()
    call variance_of(field(a, mask), c_loc(s), comm, sample, counts, status, message)
  end function

  function global_var_r4(a, comm, mask, sample, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    logical, intent(in), optional :: sample
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), target :: s
    s = real(not_a_number(), real32)
    call variance_of(field(a, mask), c_loc(s), comm, sample, counts, status, message)
  end function

  ! The smallest and the largest element, of every kind of array.

  function global_min_r8(a, comm, mask, index, position, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), target :: s
    s = not_a_number()
    call extremum_of(field(a, mask), index, c_loc(s), .false., comm, position, counts, status, &
        message)
  end function

  function global_min_r4(a, comm, mask, index, position, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), target :: s
    s = real(not_a_number(), real32)
    call extremum_of(field(a, mask), index, c_loc(s), .false., comm, position, counts, status, &
        message)
  end function

  function global_min_i8(a, comm, mask, index, position, counts, status, message) result(s)
    integer(int64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64), target :: s
    s = 0
    call extremum_of(field(a, mask), index, c_loc(s), .false., comm, position, counts, status, &
        message)
  end function

  function global_min_i4(a, comm, mask, index, position, counts, status, message) result(s)
    integer(int32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int32), target :: s
    s = 0
    call extremum_of(field(a, mask), index, c_loc(s), .false., comm, position, counts, status, &
        message)
  end function

  function global_max_r8(a, comm, mask, index, position, counts, status, message) result(s)
    real(real64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), target :: s
    s = not_a_number()
    call extremum_of(field(a, mask), index, c_loc(s), .true., comm, position, counts, status, &
        message)
  end function

  function global_max_r4(a, comm, mask, index, position, counts, status, message) result(s)
    real(real32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), target :: s
    s = real(not_a_number(), real32)
    call extremum_of(field(a, mask), index, c_loc(s), .true., comm, position, counts, status, &
        message)
  end function

  function global_max_i8(a, comm, mask, index, position, counts, status, message) result(s)
    integer(int64), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64), target :: s
    s = 0
    call extremum_of(field(a, mask), index, c_loc(s), .true., comm, position, counts, status, &
        message)
  end function

  function global_max_i4(a, comm, mask, index, position, counts, status, message) result(s)
    integer(int32), intent(in), target :: a(..)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: index(..)
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int32), target :: s
    s = 0
    call extremum_of(field(a, mask), index, c_loc(s), .true., comm, position, counts, status, &
        message)
  end function

  ! Running sums along a dimension that is distributed over the ranks in their order.

  subroutine running_sum_r8(a, sums, comm, dim, exclusive, status, message)
    real(real64), intent(in), target :: a(..)
    real(real64), intent(inout), target :: sums(..)
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in), optional :: dim
    logical, intent(in), optional :: exclusive
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call running_sum_of(view(a), view(sums), comm, dim, exclusive, status, message)
  end subroutine

  subroutine running_sum_r4(a, sums, comm, dim, exclusive, status, message)
    real(real32), intent(in), target :: a(..)
    real(real32), intent(inout), target :: sums(..)
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in), optional :: dim
    logical, intent(in), optional :: exclusive
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call running_sum_of(view(a), view(sums), comm, dim, exclusive, status, message)
  end subroutine

  subroutine running_sum_i8(a, sums, comm, dim, exclusive, status, message)
    integer(int64), intent(in), target :: a(..)
    integer(int64), intent(inout), target :: sums(..)
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in), optional :: dim
    logical, intent(in), optional :: exclusive
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call running_sum_of(view(a), view(sums), comm, dim, exclusive, status, message)
  end subroutine

  subroutine running_sum_i4(a, sums, comm, dim, exclusive, status, message)
    integer(int32), intent(in), target :: a(..)
    integer(int64), intent(inout), target :: sums(..)
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in), optional :: dim
    logical, intent(in), optional :: exclusive
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    call running_sum_of(view(a), view(sums), comm, dim, exclusive, status, message)
  end subroutine

  ! sums(k) is the sum of fields(k), rounded once to the kind of sums.

  subroutine global_sums_r8(fields, sums, comm, counts, status, message)
    type(field), intent(in) :: fields(:)
    real(real64), intent(out) :: sums(:)
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real64), target :: results(size(fields))
    sums = not_a_number()
    results = not_a_number()
    call sums_of(fields, is_r8, c_loc(results), size(sums), comm, counts, status, message)
    if (size(sums) == size(results)) sums = results
  end subroutine

  subroutine global_sums_r4(fields, sums, comm, counts, status, message)
    type(field), intent(in) :: fields(:)
    real(real32), intent(out) :: sums(:)
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    real(real32), target :: results(size(fields))
    sums = real(not_a_number(), real32)
    results = real(not_a_number(), real32)
    call sums_of(fields, is_r4, c_loc(results), size(sums), comm, counts, status, message)
    if (size(sums) == size(results)) sums = results
  end subroutine

  subroutine global_sums_i8(fields, sums, comm, counts, status, message)
    type(field), intent(in) :: fields(:)
    integer(int64), intent(out) :: sums(:)
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer(int64), target :: results(size(fields))
    sums = 0
    results = 0
    call sums_of(fields, is_i8, c_loc(results), size(sums), comm, counts, status, message)
    if (size(sums) == size(results)) sums = results
  end subroutine

  ! One verb for all kinds of arrays.

  subroutine sums_of(fields, type, out, room, comm, counts, status, message)
    type(field), intent(in) :: fields(:)
    integer, intent(in) :: type, room
    type(c_ptr), intent(in) :: out
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts(:)
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(element_counts) :: found(size(fields))
    type(field) :: f(size(fields))
    character(200) :: fault
    integer :: code, k
    f = fields
    fault = ''
    do k = 1, size(f)
      if (f(k)%a%kind == 0) then
        fault = 'fields('//text_of(k)//') has no array; assign field(array) to it'
      else if (type == is_i8 .and. any(f(k)%a%kind == [is_r4, is_r8])) then
        fault = 'fields('//text_of(k)//') is real, but `sums` is of integers'
      else
        fault = fault_of(f(k), '`weights`')
        if (fault /= '') fault = 'in fields('//text_of(k)//') '//fault
      end if
      if (fault /= '') exit
    end do
    call require_room('`sums`', room)
    if (present(counts)) call require_room('`counts`', size(counts))
    code = c_sums(ranks_of(comm, present(status)), f, size(f, kind=c_size_t), type, found, out)
    call report('global_sums', code, comm, fault, status, message)
    if (code == 0 .and. present(counts)) counts = found
  contains
    subroutine require_room(name, n)
      character(*), intent(in) :: name
      integer, intent(in) :: n
      if (n == size(f) .or. size(f) == 0) return
      call spoil(f(1))
      fault = name//' has '//text_of(n)//' elements for '//text_of(size(f))//' fields'
    end subroutine
  end subroutine

  subroutine sum_of(f, out, name, comm, counts, status, message)
    type(field), intent(in) :: f
    type(c_ptr), intent(in) :: out
    character(*), intent(in) :: name
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(element_counts) :: found
    integer :: code
    code = c_sum(ranks_of(comm, present(status)), f, found, out)
    if (present(counts)) counts = found
    call report(name, code, comm, &
        fault_of(f, merge('`weights`', '`b`      ', name == 'global_sum')), status, message)
  end subroutine

  subroutine mean_of(f, out, comm, counts, status, message)
    type(field), intent(in) :: f
    type(c_ptr), intent(in) :: out
    COMMUNICATOR, intent(in) :: comm
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(element_counts) :: found
    integer :: code
    code = c_mean(ranks_of(comm, present(status)), f, found, out)
    if (present(counts)) counts = found
    call report('global_mean', code, comm, fault_of(f), status, message)
  end subroutine

  subroutine variance_of(f, out, comm, sample, counts, status, message)
    type(field), intent(in) :: f
    type(c_ptr), intent(in) :: out
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in), optional :: sample
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(element_counts) :: found
    integer :: code, less
    less = 0
    if (present(sample)) less = merge(1, 0, sample)
    code = c_variance(ranks_of(comm, present(status)), f, less, found, out)
    if (present(counts)) counts = found
    call report('global_var', code, comm, fault_of(f), status, message)
  end subroutine

  subroutine extremum_of(f, index, out, largest, comm, position, counts, status, message)
    type(field), intent(in) :: f
    integer(int64), intent(in), target, optional :: index(..)
    type(c_ptr), intent(in) :: out
    logical, intent(in) :: largest
    COMMUNICATOR, intent(in) :: comm
    integer(int64), intent(out), optional :: position
    type(element_counts), intent(out), optional :: counts
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    type(element_counts) :: found
    type(view), target :: numbers
    integer(int64), target :: at
    type(c_ptr) :: numbers_or_null, at_or_null
    character(200) :: fault
    integer :: code
    at = -1
    numbers_or_null = c_null_ptr
    at_or_null = c_null_ptr
    fault = fault_of(f)
    if (present(index)) then
      numbers = view(index)
      numbers_or_null = c_loc(numbers)
      if (fault == '') fault = shape_fault('`index`', numbers, f%a)
    end if
    if (present(position)) at_or_null = c_loc(at)
    if (largest) then
      code = c_max(ranks_of(comm, present(status)), f, numbers_or_null, at_or_null, found, out)
    else
      code = c_min(ranks_of(comm, present(status)), f, numbers_or_null, at_or_null, found, out)
    end if
    if (present(counts)) counts = found
    if (present(position)) position = merge(at, at + 1, present(index) .and. code == 0)
    call report(merge('global_max', 'global_min', largest), code, comm, fault, status, message)
  end subroutine

  subroutine running_sum_of(a, sums, comm, dim, exclusive, status, message)
    type(view), intent(in) :: a, sums
    COMMUNICATOR, intent(in) :: comm
    integer, intent(in), optional :: dim
    logical, intent(in), optional :: exclusive
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    character(200) :: fault
    integer :: code, axis, without
    axis = 0  ! the last dimension
    if (present(dim)) axis = a%dims - dim
    without = 0
    if (present(exclusive)) without = merge(1, 0, exclusive)
    fault = shape_fault('`sums`', sums, a)
    if (sums%dims /= a%dims) fault = '`sums` is '//shape_text(sums)//' and `a` '//shape_text(a)
    if (present(dim)) then
      if (dim < 1 .or. dim > a%dims) fault = '`dim` is '//text_of(dim)//', but `a` has '// &
          text_of(a%dims)//' dimensions'
    else if (a%dims == 0) then
      fault = '`a` is a scalar; a running sum needs a dimension'
    end if
    code = c_running_sum(ranks_of(comm, present(status)), a, axis, without, sums)
    call report('running_sum', code, comm, fault, status, message)
  end subroutine

  ! What is wrong with the arguments of this rank. The library refuses the same, in terms of C.

  function fault_of(f, weights) result(fault)
    type(field), intent(in) :: f
    character(*), intent(in), optional :: weights  ! their name
    character(200) :: fault
    fault = ''
    if (f%a%dims > 7) fault = '`a` has '//text_of(f%a%dims)//' dimensions; it may have 7 at most'
    if (fault == '') fault = shape_fault('`mask`', f%mask, f%a)
    if (fault == '' .and. present(weights)) fault = shape_fault(trim(weights), f%weights, f%a)
  end function

  function shape_fault(name, v, a) result(fault)
    character(*), intent(in) :: name
    type(view), intent(in) :: v, a
    character(:), allocatable :: fault
    fault = ''
    if (v%kind == 0 .or. v%dims == 0) return
    if (v%dims /= a%dims .or. any(v%shape /= a%shape)) &
        fault = name//' has the shape '//shape_text(v)//' and `a` '//shape_text(a)
  end function

  function shape_text(v) result(text)
    type(view), intent(in) :: v
    character(:), allocatable :: text
    character(150) :: extents
    write (extents, '(*(i0, :, ", "))') v%shape(min(v%dims, 7):1:-1)
    text = '['//trim(extents)//']'
  end function

  function text_of(n) result(text)
    integer, intent(in) :: n
    character(:), allocatable :: text
    character(20) :: digits
    write (digits, '(i0)') n
    text = trim(digits)
  end function

  ! What the library calls, to reach the other ranks.

  function ranks_of(comm, has_status) result(ranks)
    COMMUNICATOR, intent(in) :: comm
    logical, intent(in) :: has_status
    type(c_ranks) :: ranks
    ! Of a communicator the handle is passed in place of an address.
#ifdef UPSWEEP_MPI_F90
    ranks%context = transfer(int(comm, c_intptr_t), c_null_ptr)
#else
    ranks%context = transfer(int(comm%mpi_val, c_intptr_t), c_null_ptr)
#endif
    ranks%size = c_sizeof(ranks)
    ranks%add = c_funloc(add)
    ranks%add_before = c_funloc(add_before)
    ranks%least = c_funloc(least)
    ranks%threads = threads
    ranks%tag = merge(1, 0, has_status)
#ifdef UPSWEEP_CUDA
    ranks%device = c_device()
#endif
  end function

  function comm_of(context) result(comm)
    type(c_ptr), intent(in) :: context
    COMMUNICATOR :: comm
#ifdef UPSWEEP_MPI_F90
    comm = int(transfer(context, 0_c_intptr_t))
#else
    comm%mpi_val = int(transfer(context, 0_c_intptr_t))
#endif
  end function

  integer(c_int) function add(context, in, out, n) bind(c, name='')
    type(c_ptr), value :: context
    integer(c_int), value :: n
    integer(c_int64_t), intent(in) :: in(n)
    integer(c_int64_t), intent(out) :: out(n)
    integer :: ierror
    call MPI_Allreduce(in, out, n, MPI_INTEGER8, MPI_SUM, comm_of(context), ierror)
    add = ierror
  end function

  integer(c_int) function add_before(context, in, out, n) bind(c, name='')
    type(c_ptr), value :: context
    integer(c_int), value :: n
    integer(c_int64_t), intent(in) :: in(n)
    integer(c_int64_t), intent(out) :: out(n)
    integer :: ierror
    out = 0
    call MPI_Exscan(in, out, n, MPI_INTEGER8, MPI_SUM, comm_of(context), ierror)
    if (is_first_rank(comm_of(context))) out = 0
    add_before = ierror
  end function

  integer(c_int) function least(context, in, out, n) bind(c, name='')
    type(c_ptr), value :: context
    integer(c_int), value :: n
    integer(c_int64_t), intent(in) :: in(n)
    integer(c_int64_t), intent(out) :: out(n)
    integer :: ierror
    call MPI_Allreduce(in, out, n, MPI_INTEGER8, MPI_MIN, comm_of(context), ierror)
    least = ierror
  end function

  !> Stores status and message, or ends the program: all ranks are here with the same code of C.
  !! `fault` is what is wrong on this rank.
  subroutine report(name, code, comm, fault, status, message)
    character(*), intent(in) :: name, fault
    integer, intent(in) :: code
    COMMUNICATOR, intent(in) :: comm
    integer, intent(out), optional :: status
    character(*), intent(out), optional :: message
    integer, parameter :: of_c(0:11) = [upsweep_ok, upsweep_wrong_shape, upsweep_wrong_shape, &
        upsweep_overflow, upsweep_failed, upsweep_failed, upsweep_failed, upsweep_failed, &
        upsweep_failed, upsweep_ranks_differ, upsweep_no_elements, upsweep_mpi_failed]
    character(500) :: text
    logical :: prints
    if (present(message)) message = ''
    if (present(status)) status = of_c(code)
    if (code == 0) return
    text = name//': '//sentence(fault)
    if (present(message)) message = text
    if (present(status)) return
    ! The first rank and those with a fault print it; the others give them the time to end the job.
    prints = is_first_rank(comm) .or. fault /= '' .or. of_c(code) == upsweep_ranks_differ
    if (.not. prints) call wait_for(2.0_real64)
    call end_program('upsweep: '//trim(text), comm)
  end subroutine

  !> The last error's sentence, with the names of Fortran instead of those of C.
  function sentence(fault) result(text)
    character(*), intent(in) :: fault
    character(500) :: text
    character(*), parameter :: own = '; on this one ', names(2, 6) = reshape([character(30) :: &
        '`values`', '`a`', '`out`', '`sums`', 'ranks->add_before', 'MPI_Exscan', &
        'ranks->add', 'MPI_Allreduce', 'ranks->least', 'MPI_Allreduce', &
        'with other tags', 'with other optional arguments'], [2, 6])
    character(kind=c_char), pointer :: letters(:)
    integer :: i, n
    n = int(c_strlen(c_message()))
    call c_f_pointer(c_message(), letters, [n])
    text = ''
    do i = 1, min(n, len(text))
      text(i:i) = letters(i)
    end do
    text = text(index(text, ': ') + 2:)
    if (fault /= '') text = text(:index(trim(text)//own, own) - 1)//own//fault
    do i = 1, size(names, 2)
      n = index(text, trim(names(1, i)))
      if (n > 0) text = text(:n - 1)//trim(names(2, i))//text(n + len_trim(names(1, i)):)
    end do
  end function

  subroutine wait_for(seconds)
    real(real64), intent(in) :: seconds
    real(real64) :: start
    start = MPI_Wtime()
    do while (MPI_Wtime() < start + seconds)
    end do
  end subroutine

  !> Prints a sentence and ends all ranks, a moment later, so that mpirun passes the sentence on.
  subroutine end_program(sentence, comm)
    character(*), intent(in) :: sentence
    COMMUNICATOR, intent(in) :: comm
    integer :: ierror
    write (error_unit, '(a)') sentence
    flush (error_unit)
    call wait_for(0.2_real64)
    call MPI_Abort(comm, 1, ierror)
  end subroutine

  logical function is_first_rank(comm)
    COMMUNICATOR, intent(in) :: comm
    integer :: rank, ierror
    call MPI_Comm_rank(comm, rank, ierror)
    is_first_rank = rank == 0
  end function

  real(real64) function not_a_number()
    not_a_number = ieee_value(not_a_number, ieee_quiet_nan)
  end function

  ! Parts of fields.

  !> The elements whose index along dimension k is bounds(2 k - 1) to bounds(2 k), counted from 1.
  type(field) function section_of(f, bounds) result(section)
    type(field), intent(in) :: f
    integer, intent(in) :: bounds(:)
    integer :: k
    call require_shapes('section_of', f)
    if (size(bounds) > 2 * f%a%dims) call stop_here('section_of: `bounds` has '// &
        text_of(size(bounds))//' elements for '//text_of(f%a%dims)//' dimensions')
    section = f
    do k = 1, size(bounds) / 2
      if (bounds(2 * k - 1) <= bounds(2 * k)) call require_within('section_of', f, k, &
          bounds(2 * k - 1:2 * k))
      call restrict(section%a, f%a%dims - k + 1, bounds(2 * k - 1), bounds(2 * k))
      call restrict(section%mask, f%a%dims - k + 1, bounds(2 * k - 1), bounds(2 * k))
      call restrict(section%weights, f%a%dims - k + 1, bounds(2 * k - 1), bounds(2 * k))
    end do
  end function

  !> The elements whose last index is k, which then have a dimension less.
  type(field) function layer_of(f, k) result(layer)
    type(field), intent(in) :: f
    integer, intent(in) :: k
    call require_shapes('layer_of', f)
    if (f%a%dims == 0) call stop_here('layer_of: the array of the field is a scalar')
    call require_within('layer_of', f, f%a%dims, [k, k])
    layer = f
    call take(layer%a)
    call take(layer%mask)
    call take(layer%weights)
  contains
    subroutine take(v)
      type(view), intent(inout) :: v
      if (v%dims == 0) return
      call restrict(v, 1, k, k)
      v%dims = v%dims - 1
      v%shape = eoshift(v%shape, 1)
      v%stride = eoshift(v%stride, 1)
    end subroutine
  end function

  !> Masks and weights of another shape have other sections than the array.
  subroutine require_shapes(name, f)
    character(*), intent(in) :: name
    type(field), intent(in) :: f
    if (fault_of(f, '`weights`') /= '') &
        call stop_here(name//': in the field '//trim(fault_of(f, '`weights`')))
  end subroutine

  subroutine require_within(name, f, k, range)
    character(*), intent(in) :: name
    type(field), intent(in) :: f
    integer, intent(in) :: k, range(2)
    if (range(1) >= 1 .and. range(2) <= f%a%shape(f%a%dims - k + 1)) return
    call stop_here(name//': elements '//text_of(range(1))//' to '//text_of(range(2))// &
        ' of dimension '//text_of(k)//' are outside of the shape '//shape_text(f%a))
  end subroutine

  subroutine stop_here(sentence)
    character(*), intent(in) :: sentence
    error stop 'upsweep: '//sentence
  end subroutine

  !> Dimension `dim` of C becomes elements first to last, counted from 1.
  subroutine restrict(v, dim, first, last)
    type(view), intent(inout) :: v
    integer, intent(in) :: dim, first, last
    if (v%dims == 0) return
    v%shape(dim) = max(last - first + 1, 0)
    if (v%shape(dim) > 0) v%base = transfer(address(v%base) + (first - 1) * v%stride(dim), v%base)
  end subroutine

  !> A mask of another shape, which is an error on all ranks.
  subroutine spoil(f)
    type(field), intent(inout) :: f
    f%mask = f%a
    f%mask%kind = is_i4
    f%mask%dims = 1
    f%mask%shape = 0
    if (f%a%dims == 1) f%mask%shape(1) = merge(1, 0, f%a%shape(1) == 0)
  end subroutine

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

  type(field) function field_i8(a, mask, weights) result(f)
    integer(int64), intent(in), target :: a(..)
    logical, intent(in), target, optional :: mask(..)
    integer(int64), intent(in), target, optional :: weights(..)
    f%a = view(a)
    if (present(mask)) f%mask = view(mask)
    if (present(weights)) f%weights = view(weights)
  end function

  type(field) function field_i4(a, mask, weights) result(f)
    integer(int32), intent(in), target :: a(..)
    logical, intent(in), target, optional :: mask(..)
    integer(int32), intent(in), target, optional :: weights(..)
    f%a = view(a)
    if (present(mask)) f%mask = view(mask)
    if (present(weights)) f%weights = view(weights)
  end function

  type(view) function view_r8(a) result(v)
    real(real64), intent(in), target :: a(..)
    integer, parameter :: kind = is_r8
    include 'upsweep_view.inc'
  end function

  type(view) function view_r4(a) result(v)
    real(real32), intent(in), target :: a(..)
    integer, parameter :: kind = is_r4
    include 'upsweep_view.inc'
  end function

  type(view) function view_i8(a) result(v)
    integer(int64), intent(in), target :: a(..)
    integer, parameter :: kind = is_i8
    include 'upsweep_view.inc'
  end function

  type(view) function view_i4(a) result(v)
    integer(int32), intent(in), target :: a(..)
    integer, parameter :: kind = is_i4
    include 'upsweep_view.inc'
  end function

  type(view) function view_mask(a) result(v)
    logical, intent(in), target :: a(..)
    integer, parameter :: kind = merge(is_i8, is_i4, storage_size(.true.) == 64)
    include 'upsweep_view.inc'
  end function

  !> Shape; step(k) is 1 if there is a second element along dimension k, otherwise 0. The callers
  !! ask for lower bounds, which should be 1: gfortran 12 gives an expression those of 0, and an
  !! empty one extents of -1.
  subroutine start_view(v, kind, extent, b, step)
    type(view), intent(out) :: v
    integer, intent(in) :: kind
    integer(int64), intent(in) :: extent(:)
    integer, intent(out) :: b(7), step(7)
    integer :: k
    v%kind = kind
    v%dims = size(extent)
    b = 1
    step = 0
    if (v%dims > 7) return  ! the library refuses it on all ranks
    do k = 1, v%dims
      v%shape(v%dims - k + 1) = max(extent(k), 0_int64)
      step(k) = merge(1, 0, extent(k) > 1)
    end do
  end subroutine

  pure logical function is_empty(v)
    type(view), intent(in) :: v
    is_empty = any(v%shape(:min(v%dims, 7)) == 0)
  end function

  !> Strides from the addresses of the first element, and of the second along each dimension.
  subroutine end_view(v, p)
    type(view), intent(inout) :: v
    type(c_ptr), intent(in) :: p(0:7)
    integer :: k
    v%base = p(0)
    do k = 1, v%dims
      v%stride(v%dims - k + 1) = address(p(k)) - address(p(0))
    end do
  end subroutine

  pure integer(int64) function address(p)
    type(c_ptr), intent(in) :: p
    address = transfer(p, address)
  end function
end module
