!> What happens when ranks do something wrong: every rank gets the same status and a sentence, and
!! nobody waits for ever. `errors stop` makes a mistake without `status`, which ends the program.
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
  real(real64), target :: y(6)
  logical :: mask(6)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, mode)
  x = 1
  y = 2
  single = 3
  mask = .true.
  select case (mode)
    case ('stop')
      print *, global_sum(x, MPI_COMM_WORLD, mask(rank + 1:))
    case ('eight-dimensions')
      print *, global_sum(reshape(x, [1, 1, 1, 2, 1, 1, 1, 3]), MPI_COMM_WORLD)
    case ('some-stop')
      if (rank == 0) print *, global_sum(x, MPI_COMM_WORLD)
      if (rank /= 0) print *, global_sum(x, MPI_COMM_WORLD, status=status)
    case default
      call check_shapes()
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
    if (status == wanted .and. index(message, sentence) > 0) return
    wrong = wrong + 1
    print '(i0,3a,i0,2a)', rank, ': ', what, ' has status ', status, ': ', trim(message)
  end subroutine

  subroutine check_shapes()
    integer(int64) :: position
    integer(int64), parameter :: numbers(5) = [1, 2, 3, 4, 5]
    character(20) :: one
    write (one, '(a,i0,a)') 'on 1 of ', ranks, ' ranks'
    ! Only the last rank is wrong.
    if (rank == ranks - 1) then
      other = global_sum(x, MPI_COMM_WORLD, mask(2:), status=status, message=message)
    else
      other = global_sum(x, MPI_COMM_WORLD, mask, status=status, message=message)
    end if
    call expect('another mask', upsweep_wrong_shape, trim(one))
    call expect('another mask', upsweep_wrong_shape, 'global_sum: ')
    if (.not. ieee_is_nan(other)) wrong = wrong + 1
    other = global_sum(x, MPI_COMM_WORLD, reshape(mask, [2, 3]), status=status, message=message)
    call expect('a mask of two dimensions', upsweep_wrong_shape, 'differ in shape')
    other = global_dot(x, x(:merge(6, 5, rank > 0)), MPI_COMM_WORLD, status=status, message=message)
    call expect('a shorter vector', upsweep_wrong_shape, trim(one))
    other = global_min(x, MPI_COMM_WORLD, index=numbers, position=position, status=status, &
        message=message)
    call expect('numbers of other elements', upsweep_wrong_shape, 'global_min: ')
    other = global_max(x, MPI_COMM_WORLD, mask(3:), status=status, message=message)
    call expect('mask of max', upsweep_wrong_shape, 'global_max: ')
    other = global_var(x, MPI_COMM_WORLD, mask(3:), status=status, message=message)
    call expect('mask of var', upsweep_wrong_shape, 'global_var: ')
    call global_sums([field(y), field(y, mask)], s, MPI_COMM_WORLD, status=status, message=message)
    call expect('room for other sums', upsweep_wrong_shape, 'global_sums: ')
    other = global_sum(x, MPI_COMM_WORLD, status=status, message=message)
    call expect('nothing wrong', upsweep_ok, '')
    if (message /= '' .or. nint(other) /= 6 * ranks) wrong = wrong + 1
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
