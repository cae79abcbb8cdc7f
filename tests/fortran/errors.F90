!> What happens when ranks do something wrong: every rank gets the same status and a sentence, and
!! nobody waits for ever. Sentences have the names of Fortran. `errors stop` and the like make a
!! mistake without `status`, which ends the program.
program errors
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use, intrinsic :: iso_fortran_env
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use upsweep
  implicit none
  integer :: rank, ranks, ierror, status, wrong = 0
  character(200) :: message, mode
  real(real64) :: x(6), s(3), other
  real(real32) :: single(6)
  real(real64), target :: y(6), table(2, 3)
  logical, target :: mask(6)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, mode)
  x = 1
  y = 2
  single = 3
  table = 4
  mask = .true.
  select case (mode)
    case ('stop')
      print *, global_sum(x, MPI_COMM_WORLD, mask(rank + 1:))
    case ('eight-dimensions')
      print *, global_sum(reshape(x, [1, 1, 1, 2, 1, 1, 1, 3]), MPI_COMM_WORLD)
    case ('section')
      call global_sums([section_of(field(table), [2, 1, 1, 4])], s(:1), MPI_COMM_WORLD)
    case ('long-section')
      call global_sums([section_of(field(table), [1, 2, 1, 3, 1, 1])], s(:1), MPI_COMM_WORLD)
    case ('masked-section')
      call global_sums([section_of(field(y, mask(2:)), [1, 6])], s(:1), MPI_COMM_WORLD)
    case ('layer')
      call global_sums([layer_of(field(table), 0)], s(:1), MPI_COMM_WORLD)
    case ('some-stop')
      if (rank == 0) print *, global_sum(x, MPI_COMM_WORLD)
      if (rank /= 0) print *, global_sum(x, MPI_COMM_WORLD, status=status)
    case default
      call check_shapes()
      call check_fields()
      call check_running_sums()
      call check_no_elements()
      if (ranks > 1) call check_ranks_that_differ()
  end select
  call MPI_Finalize(ierror)
  if (wrong > 0) error stop 1
  if (rank == 0) print '(a)', 'all errors are reported'

contains

  subroutine expect(what, wanted, sentence)
    character(*), intent(in) :: what, sentence
    integer, intent(in) :: wanted
    character(9), parameter :: of_c(6) = [character(9) :: 'UPSWEEP_', 'upsweep_', 'axis', 'values', &
        '`out`', 'ranks->']
    integer :: k
    if (status == wanted .and. index(message, sentence) > 0 .and. &
        all([(index(message, trim(of_c(k))) == 0, k = 1, size(of_c))])) return
    wrong = wrong + 1
    print '(i0,3a,i0,2a)', rank, ': ', what, ' has status ', status, ': ', trim(message)
  end subroutine

  subroutine check_shapes()
    integer(int64) :: position
    integer(int64), parameter :: numbers(5) = [1, 2, 3, 4, 5]
    character(20) :: one
    character(70) :: its_own
    write (one, '(a,i0,a)') 'on 1 of ', ranks, ' ranks'
    its_own = ' ranks'
    if (rank == ranks - 1) its_own = ' ranks; on this one `mask` has the shape [5] and `a` [6]'
    ! Only the last rank is wrong.
    if (rank == ranks - 1) then
      other = global_sum(x, MPI_COMM_WORLD, mask(2:), status=status, message=message)
    else
      other = global_sum(x, MPI_COMM_WORLD, mask, status=status, message=message)
    end if
    call expect('another mask', upsweep_wrong_shape, trim(one))
    call expect('another mask', upsweep_wrong_shape, trim(its_own))
    call expect('another mask', upsweep_wrong_shape, 'global_sum: ')
    if (.not. ieee_is_nan(other)) wrong = wrong + 1
    other = global_sum(x, MPI_COMM_WORLD, reshape(mask, [2, 3]), status=status, message=message)
    call expect('a mask of two dimensions', upsweep_wrong_shape, '`mask` has the shape [2, 3]')
    other = global_dot(x, x(:merge(6, 5, rank > 0)), MPI_COMM_WORLD, status=status, message=message)
    call expect('a shorter vector', upsweep_wrong_shape, trim(one))
    if (rank == 0) call expect('a shorter vector', upsweep_wrong_shape, '`b` has the shape [5]')
    other = global_sum(x, MPI_COMM_WORLD, weights=x(2:), status=status, message=message)
    call expect('fewer weights', upsweep_wrong_shape, '`weights` has the shape [5] and `a` [6]')
    other = global_sum(reshape(x, [1, 1, 1, 2, 1, 1, 1, 3]), MPI_COMM_WORLD, status=status, &
        message=message)
    call expect('eight dimensions', upsweep_wrong_shape, '`a` has 8 dimensions; it may have 7')
    other = global_min(x, MPI_COMM_WORLD, index=numbers, position=position, status=status, &
        message=message)
    call expect('numbers of other elements', upsweep_wrong_shape, 'global_min: ')
    call expect('numbers of other elements', upsweep_wrong_shape, '`index` has the shape [5]')
    other = global_max(x, MPI_COMM_WORLD, mask(3:), status=status, message=message)
    call expect('mask of max', upsweep_wrong_shape, 'global_max: ')
    other = global_var(x, MPI_COMM_WORLD, mask(3:), status=status, message=message)
    call expect('mask of var', upsweep_wrong_shape, 'global_var: ')
    other = global_sum(x, MPI_COMM_WORLD, status=status, message=message)
    call expect('nothing wrong', upsweep_ok, '')
    if (message /= '' .or. nint(other) /= 6 * ranks) wrong = wrong + 1
  end subroutine

  subroutine check_fields()
    type(element_counts) :: counts(1)
    type(field) :: fields(2)
    integer(int64) :: whole(2)
    call global_sums([field(y), field(y, mask)], s, MPI_COMM_WORLD, status=status, message=message)
    call expect('room for other sums', upsweep_wrong_shape, '`sums` has 3 elements for 2 fields')
    fields = field(y)
    call global_sums(fields, s(:2), MPI_COMM_WORLD, counts, status=status, message=message)
    call expect('room for other counts', upsweep_wrong_shape, '`counts` has 1 elements for 2')
    call global_sums(fields, whole, MPI_COMM_WORLD, status=status, message=message)
    call expect('integers of reals', upsweep_wrong_shape, 'fields(1) is real, but `sums` is of ')
    fields(2) = field(y, mask(2:))
    call global_sums(fields, s(:2), MPI_COMM_WORLD, status=status, message=message)
    call expect('another mask', upsweep_wrong_shape, 'in fields(2) `mask` has the shape [5]')
  end subroutine

  subroutine check_running_sums()
    type(field) :: fields(2)
    real(real64) :: sums(2, 3)
    call running_sum(table, sums, MPI_COMM_WORLD, dim=merge(3, 2, rank == 0), status=status, &
        message=message)
    call expect('dimension 3', upsweep_wrong_shape, 'running_sum: ')
    if (rank == 0) call expect('dimension 3', upsweep_wrong_shape, &
        'on this one `dim` is 3, but `a` has 2 dimensions')
    call running_sum(table, sums, MPI_COMM_WORLD, dim=0, status=status, message=message)
    call expect('dimension 0', upsweep_wrong_shape, '`dim` is 0, but `a` has 2 dimensions')
    call running_sum(x(1), other, MPI_COMM_WORLD, status=status, message=message)
    call expect('a scalar', upsweep_wrong_shape, '`a` is a scalar')
    call running_sum(table, sums(:, 2:), MPI_COMM_WORLD, status=status, message=message)
    call expect('sums', upsweep_wrong_shape, '`sums` has the shape [2, 2] and `a` [2, 3]')
    call running_sum(table, other, MPI_COMM_WORLD, status=status, message=message)
    call expect('scalar sums', upsweep_wrong_shape, '`sums` is [] and `a` [2, 3]')
    fields(1) = field(y)
    call global_sums(fields, s(:2), MPI_COMM_WORLD, status=status, message=message)
    call expect('no array', upsweep_wrong_shape, 'fields(2) has no array')
  end subroutine

  subroutine check_no_elements()
    integer(int64) :: position
    other = global_mean(x(:0), MPI_COMM_WORLD, status=status, message=message)
    call expect('mean of nothing', upsweep_no_elements, 'global_mean: there are too few elements')
    other = global_var(x, MPI_COMM_WORLD, .false., status=status, message=message)
    call expect('var of nothing', upsweep_no_elements, 'global_var: ')
    mask = .false.
    mask(1) = rank == 0
    other = global_var(x, MPI_COMM_WORLD, mask, .true., status=status, message=message)
    call expect('sample of one', upsweep_no_elements, 'global_var: ')
    mask = .true.
    other = global_max(x(:0), MPI_COMM_WORLD, position=position, status=status, message=message)
    call expect('max of nothing', upsweep_no_elements, 'global_max: ')
  end subroutine

  subroutine check_ranks_that_differ()
    type(element_counts) :: counts
    if (rank == 0) then
      other = global_sum(single, MPI_COMM_WORLD, status=status, message=message)
    else
      other = global_sum(x, MPI_COMM_WORLD, status=status, message=message)
    end if
    call expect('another kind', upsweep_ranks_differ, 'different kinds')
    if (rank == 1) then
      other = global_max(x, MPI_COMM_WORLD, counts=counts, status=status, message=message)
    else
      other = global_sum(x, MPI_COMM_WORLD, counts=counts, status=status, message=message)
    end if
    call expect('another function', upsweep_ranks_differ, 'different functions')
    other = global_var(x, MPI_COMM_WORLD, sample=rank == 0, status=status, message=message)
    call expect('another divisor', upsweep_ranks_differ, 'or with other optional arguments')
    s = 0
    call global_sums([field(y), field(y, mask)], s(:2), MPI_COMM_WORLD, status=status, &
        message=message)
    call expect('the same number', upsweep_ok, '')
    if (rank == 0) then
      call global_sums([field(y), field(y), field(y)], s, MPI_COMM_WORLD, status=status, &
          message=message)
    else
      call global_sums([field(y), field(y)], s(:2), MPI_COMM_WORLD, status=status, message=message)
    end if
    call expect('another number of fields', upsweep_ranks_differ, 'numbers of arrays')
  end subroutine
end program
