!> A global sum of an array that OpenACC has on a GPU: the one of the host, bit for bit. Without
!! -fopenacc (gfortran) or -acc (nvfortran), or without a GPU, both are on the host.
program global_total
  use mpi_f08
  use upsweep
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: nx = 500, ny = 300
  real(real64) :: heat(0:nx+1, 0:ny+1), host, device
  logical :: ocean(nx, ny)
  integer :: i, j, rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do j = 0, ny + 1
    do i = 0, nx + 1
      heat(i, j) = 1e3_real64 * i / (1 + j) - 7 * rank
    end do
  end do
  ocean = heat(1:nx, 1:ny) > 200
  host = global_sum(heat(1:nx, 1:ny), MPI_COMM_WORLD, mask=ocean)
  !$acc data copyin(heat, ocean)
  !$acc host_data use_device(heat, ocean)
  device = global_sum(heat(1:nx, 1:ny), MPI_COMM_WORLD, mask=ocean)
  !$acc end host_data
  !$acc end data
  if (rank == 0) print '(a, es24.16, a, l1)', 'heat', device, ', as on the host: ', &
      transfer(device, 0_int64) == transfer(host, 0_int64)
  call MPI_Finalize()
end program
