!> The heat in the ocean, on any number of ranks: the cells inside of a halo, weighted with their
!! area, without land. The printed total has the same bits on 1 and on 1,000 ranks.
program global_total
  use mpi_f08
  use upsweep
  implicit none
  integer, parameter :: columns = 60, rows = 40
  real(8), allocatable :: heat(:, :), area(:, :)
  logical, allocatable :: ocean(:, :)
  type(element_counts) :: counts
  integer :: rank, ranks, first, last, i, j
  real(8) :: total

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  first = rows * rank / ranks + 1  ! this rank's rows
  last = rows * (rank + 1) / ranks
  allocate(heat(0:columns + 1, first - 1:last + 1), area(columns, first:last))
  allocate(ocean(columns, first:last))
  do j = first - 1, last + 1
    do i = 0, columns + 1
      heat(i, j) = 4.0d6 * (15 + sin(0.1d0 * i) * j)
    end do
  end do
  do j = first, last
    area(:, j) = 1.0d10 * cos(0.03d0 * j)
    ocean(:, j) = [(mod(i * j, 7) /= 3, i = 1, columns)]
  end do

  total = global_sum(heat(1:columns, first:last), MPI_COMM_WORLD, mask=ocean, weights=area, &
      counts=counts)
  if (rank == 0) print '(a,es23.16,a,i0,a)', 'heat ', total, ' J in ', counts%elements, ' cells'
  call MPI_Finalize()
end program
