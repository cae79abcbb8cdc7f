!> What models reported of sums that depend on ranks, threads and decomposition, with the calls that
!! replace them: E3SM#8722, CICE#763, GFDL_atmos_cubed_sphere#158, ufs-weather-model#427 and
!! access-om3#40; and what others asked about sums, prefixes and extrema: lfortran#6382, mpich#1076,
!! mpich#7911, SUM_PREFIX of HPF. Most numbers are integers times a power of two, so that loops over
!! 64-bit integers have the right sums, of up to 63 bits.
program reports
#ifdef UPSWEEP_MPI_F90
  use mpi
#else
  use mpi_f08
#endif
  use, intrinsic :: iso_fortran_env, only: int64, r8 => real64, r4 => real32
  use upsweep
  use mom_reproducing_sum
  use mpas_global_sum_mod
  implicit none
  integer, parameter :: nx = 48, ny = 24, levels = 3, cells = nx * ny, basins = 16
  real(r8), parameter :: unit = 2.0_r8**(-20)
  integer :: rank, ranks, ierror, world, wrong = 0

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
#ifdef UPSWEEP_MPI_F90
  world = MPI_COMM_WORLD
#else
  world = MPI_COMM_WORLD%mpi_val
#endif
  call means_of_basins()
  call dot_products_of_a_solver()
  call energy_of_layouts()
  call threads()
  call interpolation()
  call prefixes()
  call extrema()
  call order_of_dimensions()
  call MPI_Finalize(ierror)
  if (wrong > 0) error stop 1
  if (rank == 0) print '(a)', 'all reports are right'

contains

  subroutine expect(what, x, exact)
    character(*), intent(in) :: what
    real(r8), intent(in) :: x, exact
    if (transfer(x, 0_int64) == transfer(exact, 0_int64)) return
    wrong = wrong + 1
    print '(i0,3a,2es25.17)', rank, ': ', what, ' is wrong: ', x, exact
  end subroutine

  !> An integer of up to `bits` bits, of either sign, of which many are small.
  integer(int64) function number(i, bits)
    integer, intent(in) :: i, bits
    integer(int64) :: x
    x = ieor(i * 40503_int64, 912931_int64)
    x = mod(x * 2654435761_int64, 2_int64**61 - 1)
    x = shiftr(abs(x), 61 - bits + mod(i, 5) * bits / 6)
    number = merge(-x, x, mod(i, 3) == 1)
  end function

  !> The rank with a cell, when cells are dealt in blocks, like cards, or in tiles of px times py.
  integer function owner(i, j, px, py)
    integer, intent(in) :: i, j, px, py
    integer :: tile
    tile = (i - 1) * px / nx + px * ((j - 1) * py / ny)
    owner = mod(tile, ranks)
  end function

  !> E3SM#8722: the basins of an ice shelf, each with a sum of area and of melt times area, which
  !! were block-local sums and MPI_Allreduce. A rank may have no cell of a basin.
  subroutine means_of_basins()
    real(r8), allocatable :: area(:, :), melt(:, :)
    integer(int64) :: all_area(basins), all_melt(basins), a, m
    real(r8) :: areas(basins), melts(basins)
    integer :: i, basin, own, way
    do way = 1, 3
      allocate(area(cells, basins), melt(cells, basins))
      area = 0
      melt = 0
      all_area = 0
      all_melt = 0
      own = 0
      do i = 1, cells
        basin = 1 + i * basins / (cells + 1)
        a = abs(number(i, 28))
        m = number(i + 7, 27)
        all_area(basin) = all_area(basin) + a
        all_melt(basin) = all_melt(basin) + a * m
        if (way == 1 .and. (i - 1) * ranks / cells /= rank) cycle
        if (way == 2 .and. mod(i, ranks) /= rank) cycle
        if (way == 3 .and. rank /= ranks - 1) cycle
        own = own + 1
        area(own, basin) = a * unit
        melt(own, basin) = m * unit
      end do
      ! Halo cells, which do not count.
      area(own + 1:, :) = 1e30_r8
      melt(own + 1:, :) = 1e30_r8
      areas = mpas_global_sum_nfld(area, world, [1, own])
      melts = mpas_global_sum_nfld(area, melt, world, [1, own])
      do basin = 1, basins
        call expect('the area of a basin', areas(basin), all_area(basin) * unit)
        call expect('the melt of a basin', melts(basin), all_melt(basin) * unit**2)
        call expect('the area alone', mpas_global_sum(area(:, basin), world, [1, own]), &
            all_area(basin) * unit)
      end do
      deallocate(area, melt)
    end do
  end subroutine

  !> CICE#763: the Arnoldi vectors of FGMRES, two components with ghost cells, whose dot products go
  !! into one exchange. Products of equal magnitudes cancel.
  subroutine dot_products_of_a_solver()
    integer, parameter :: vectors = 12
    real(r8), allocatable, target :: u(:, :, :), v(:, :, :)
    logical, allocatable, target :: ice(:, :)
    type(field) :: fields(2 * vectors)
    real(r8) :: sums(2 * vectors)
    integer(int64) :: exact
    integer :: i, j, k, first, last
    first = ny * rank / ranks + 1
    last = ny * (rank + 1) / ranks
    allocate(u(0:nx + 1, first - 1:last + 1, vectors), v(0:nx + 1, first - 1:last + 1, vectors))
    allocate(ice(nx, first:last))
    do k = 1, vectors
      do j = first - 1, last + 1
        do i = 0, nx + 1
          u(i, j, k) = component(i, j, k)
          v(i, j, k) = component(i, j, -k)
        end do
      end do
    end do
    do j = first, last
      ice(:, j) = [(mod(i * j, 5) /= 2, i = 1, nx)]
    end do
    do k = 1, vectors
      fields(2 * k - 1) = field(u(1:nx, first:last, k), mask=ice, weights=u(1:nx, first:last, 1))
      fields(2 * k) = field(v(1:nx, first:last, k), mask=ice, weights=v(1:nx, first:last, 1))
    end do
    call global_sums(fields, sums, MPI_COMM_WORLD)
    do k = 1, vectors
      exact = sum_of_products(k)
      call expect('a dot product of u', sums(2 * k - 1), exact * unit**2)
      call expect('the same alone', global_dot(u(1:nx, first:last, k), u(1:nx, first:last, 1), &
          MPI_COMM_WORLD, mask=ice), exact * unit**2)
      call expect('a dot product of v', sums(2 * k), sum_of_products(-k) * unit**2)
    end do
  end subroutine

  real(r8) function component(i, j, k)
    integer, intent(in) :: i, j, k
    component = number(abs(k) * 131 + i + nx * j + merge(0, 9973, k > 0), 25) * unit
  end function

  integer(int64) function sum_of_products(k) result(s)
    integer, intent(in) :: k
    integer :: i, j
    s = 0
    do j = 1, ny
      do i = 1, nx
        if (mod(i * j, 5) == 2) cycle
        s = s + nint(component(i, j, k) / unit, int64) * &
            nint(component(i, j, sign(1, k)) / unit, int64)
      end do
    end do
  end function

  !> GFDL_atmos_cubed_sphere#158: layouts 3 x 8, 4 x 6 and 8 x 3 of one grid, whose total energy
  !! corrects the temperature. Tiles go to ranks in turn, with their halos.
  subroutine energy_of_layouts()
    integer, parameter :: layouts(2, 4) = reshape([3, 8, 4, 6, 8, 3, 1, 1], [2, 4])
    real(r8), allocatable :: tile(:, :, :)
    real(r8) :: layers(levels), total
    integer(int64) :: exact(levels), e
    integer :: i, j, k, own, way
    allocate(tile(cells + 2, 3, levels))
    do way = 1, size(layouts, 2)
      exact = 0
      tile = 7e29_r8
      do k = 1, levels
        own = 0
        do j = 1, ny
          do i = 1, nx
            e = number(i + nx * j + 3 * k, 50 + k)
            exact(k) = exact(k) + e
            if (owner(i, j, layouts(1, way), layouts(2, way)) /= rank) cycle
            own = own + 1
            tile(1 + own, 2, k) = e * unit
          end do
        end do
      end do
      total = reproducing_sum(tile, isr=2, ier=own + 1, jsr=2, jer=2, sums=layers)
      do k = 1, levels
        call expect('the energy of a layer', layers(k), exact(k) * unit)
        call expect('that of the layer alone', reproducing_sum(tile(:, :, k), isr=2, ier=own + 1, &
            jsr=2, jer=2), exact(k) * unit)
      end do
      call expect('the energy of a layout', total, sum(exact) * unit)
    end do
  end subroutine

  !> ufs-weather-model#427: other results with other numbers of threads, and with a field that is
  !! summed in other pieces after a restart.
  subroutine threads()
    integer, parameter :: n = 300000
    real(r8), allocatable :: x(:)
    integer(int64) :: exact, value
    integer :: i, own, count
    allocate(x(n))
    exact = 0
    own = 0
    do i = 1, n
      value = number(i, 43)
      exact = exact + value
      if (mod(i, ranks) /= rank) cycle
      own = own + 1
      x(own) = value * unit
    end do
    do count = 1, 4
      call set_threads(count)
      call expect('a sum by threads', global_sum(x(:own), MPI_COMM_WORLD), exact * unit)
      call expect('the same backwards', global_sum(x(own:1:-1), MPI_COMM_WORLD), exact * unit)
      call expect('the same in 2-D', global_sum(reshape(x(:own), [3, (own + 2) / 3], pad=[0.0_r8]), &
          MPI_COMM_WORLD), exact * unit)
    end do
    call set_threads(1)
  end subroutine

  !> access-om3#40: each destination cell is the sum of weights times sources, which are on several
  !! ranks. ESMF needs `srcseq` for one order of the terms; many small exact sums have none.
  subroutine interpolation()
    integer, parameter :: destinations = 200, terms = 9
    real(r8), target :: source(terms, destinations), weight(terms, destinations)
    integer(int64) :: exact(destinations), s, w
    type(field), allocatable :: fields(:)
    type(element_counts) :: counts(destinations)
    real(r8) :: sums(destinations)
    integer :: i, k, own
    allocate(fields(destinations))
    do i = 1, destinations
      own = 0
      exact(i) = 0
      do k = 1, merge(0, terms, mod(i, 10) == 0)
        s = number(i * terms + k, 30)
        w = abs(number(i + k * destinations, 20))
        exact(i) = exact(i) + s * w
        if (mod(i + k * k, ranks) /= rank) cycle
        own = own + 1
        source(own, i) = s * unit
        weight(own, i) = w * unit
      end do
      fields(i) = field(source(:own, i), weights=weight(:own, i))
    end do
    call global_sums(fields, sums, MPI_COMM_WORLD, counts=counts)
    do i = 1, destinations
      call expect('an interpolated cell', sums(i), exact(i) * unit**2)
      call expect('its number of terms', real(counts(i)%elements, r8), &
          merge(0.0_r8, real(terms, r8), mod(i, 10) == 0))
    end do
  end subroutine

  !> SUM_PREFIX of HPF, along a dimension, exclusive, and from the end of the ranks' parts; of arrays
  !! with any lower bounds, into themselves and into reversed ones.
  subroutine prefixes()
    integer :: a(10:15), b(0:1, -1:1)
    integer(int64) :: s(-3:2), t(0:1, -1:1)
    integer(int64), allocatable :: reversed(:)
    a = [1, 2, 3, 4, 5, 6]
    allocate(reversed(6))
    call running_sum(a, s, MPI_COMM_WORLD)
    call require('a prefix', all(s == [1, 3, 6, 10, 15, 21] + 21 * rank))
    call running_sum(a, s, MPI_COMM_WORLD, exclusive=.true.)
    call require('an exclusive prefix', all(s == [0, 1, 3, 6, 10, 15] + 21 * rank))
    call running_sum(a(15:10:-1), reversed, MPI_COMM_WORLD)
    call require('a prefix of a reversed array', &
        all(reversed == [6, 11, 15, 18, 20, 21] + 21 * rank))
    call running_sum(a, reversed(6:1:-1), MPI_COMM_WORLD)
    call require('a prefix into one', all(reversed == [21, 15, 10, 6, 3, 1] + 21 * rank))
    s = a
    call running_sum(s, s, MPI_COMM_WORLD)
    call require('a prefix in place', all(s == [1, 3, 6, 10, 15, 21] + 21 * rank))
    b = reshape(a, [2, 3])
    call running_sum(b, t, MPI_COMM_WORLD)
    call require('along rows', all(t == reshape([1, 2, 4, 6, 9, 12], [2, 3]) + &
        rank * spread([9, 12], 2, 3)))
    call running_sum(b, t, MPI_COMM_WORLD, dim=1)
    call require('along columns', all(t == reshape([1, 3, 3, 7, 5, 11], [2, 3]) + &
        rank * spread([3, 7, 11], 1, 2)))
  end subroutine

  !> maxloc and minloc: positions count from 1 for any lower bound, and there is none where the mask
  !! is false everywhere. mpich#1076: the smallest number is larger than 0.
  subroutine extrema()
    real(r8) :: x(-2:3), m
    real(r4) :: tiny(10), largest
    integer(int64) :: position
    integer :: status
    x = [3, 9, -1, 9, 2, 5]
    m = global_max(x, MPI_COMM_WORLD, x < 9, position=position)
    call require('maxloc below 9', nint(m) == 5 .and. position == 6)
    m = global_min(x, MPI_COMM_WORLD, rank == ranks - 1, position=position)
    call require('minloc of the last rank', nint(m) == -1 .and. position == 3 + 6 * (ranks - 1))
    m = global_min(x, MPI_COMM_WORLD, x > 100, position=position, status=status)
    call require('minloc of nothing', status == upsweep_no_elements .and. position == 0)
    tiny = 0
    if (rank == ranks - 1) tiny(7) = transfer(1, tiny(7))
    largest = global_max(tiny, MPI_COMM_WORLD)
    call require('the smallest number', transfer(largest, 0) == 1)
  end subroutine

  !> lfortran#6382: sum(y) of singles depends on the order of loops. mpich#7911: a sum of reals of
  !! the default kind, whichever it is.
  subroutine order_of_dimensions()
    real(r4) :: y(3, 10), sums(3)
    real :: own, all
    call random_number(y)
    sums(1) = global_sum(y, MPI_COMM_WORLD)
    sums(2) = global_sum(transpose(y), MPI_COMM_WORLD)
    sums(3) = global_sum(reshape(y(3:1:-1, 10:1:-1), [30]), MPI_COMM_WORLD)
    call require('a sum of singles', all_equal(transfer(sums, [0, 0, 0])))
    own = real(rank + 1)
    all = global_sum(own, MPI_COMM_WORLD)
    call require('default reals', nint(all) == ranks * (ranks + 1) / 2)
  end subroutine

  pure logical function all_equal(x)
    integer, intent(in) :: x(:)
    all_equal = all(x == x(1))
  end function

  subroutine require(what, right)
    character(*), intent(in) :: what
    logical, intent(in) :: right
    if (right) return
    wrong = wrong + 1
    print '(i0,3a)', rank, ': ', what, ' is wrong'
  end subroutine
end program
