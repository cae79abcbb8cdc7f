!> Which rank has which cells, and the exchange of halos. A rank keeps its cells in a list, so that
!! every decomposition runs the same code. Slot 0 stands for land; its values are always 0.
module decomposition
  use mpi_f08
  implicit none
  private
  public :: decompose, exchange, collect
  integer, parameter, public :: north = 1, east = 2, south = 3, west = 4, north_west = 5, &
      south_east = 6, directions = 8
  integer, public :: columns = 64, rows = 48  !< of the channel, which is periodic in x
  integer, public :: rank, ranks
  integer, public :: owned                    !< ocean cells of this rank: slots 1 to `owned`
  integer, public :: slots                    !< with the halo
  integer, allocatable, public :: cell(:)     !< number of each slot's cell: row by row, from 1
  integer, allocatable, public :: near(:, :)  !< slots of an owned cell's neighbors
  integer, allocatable :: owner(:)            ! of each cell; -1: land
  integer, allocatable :: sent(:), send_counts(:), send_starts(:), halo_counts(:), halo_starts(:)
  real(8), allocatable :: outgoing(:)
  type(MPI_Comm) :: graph                     ! of the ranks with a common border

contains

  !> Gives each rank its cells: bands of `rows`, `blocks`, or equally long pieces of a Hilbert
  !! `curve` through the ocean.
  subroutine decompose(way)
    character(*), intent(in) :: way
    integer, allocatable :: sequence(:), slot(:)
    integer :: blocks(2), k, i, j
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    blocks = 0
    call MPI_Dims_create(ranks, 2, blocks)
    sequence = [(k, k = 1, columns * rows)]
    if (way == 'curve') sequence = hilbert_curve()
    sequence = pack(sequence, [(is_ocean(sequence(k)), k = 1, size(sequence))])
    allocate(owner(0:columns * rows), slot(0:columns * rows), source=-1)
    do k = 1, size(sequence)
      i = mod(sequence(k) - 1, columns)
      j = (sequence(k) - 1) / columns
      if (way == 'rows') owner(sequence(k)) = j * ranks / rows
      if (way == 'blocks') owner(sequence(k)) = j * blocks(2) / rows * blocks(1) + &
          i * blocks(1) / columns
      if (way == 'curve') owner(sequence(k)) = (k - 1) * ranks / size(sequence)
    end do
    cell = pack(sequence, owner(sequence) == rank)
    owned = size(cell)
    slot = 0
    slot(cell) = [(k, k = 1, owned)]
    call find_halos(slot)
    allocate(near(directions, owned))
    do k = 1, owned
      near(:, k) = slot(neighbors(cell(k)))
    end do
  end subroutine

  !> Both sides list the cells of a halo by their numbers. A rank receives from those to which it
  !! sends, because being neighbors is mutual.
  subroutine find_halos(slot)
    integer, intent(inout) :: slot(0:)
    integer, allocatable :: partners(:), mine(:), theirs(:)
    integer :: other, k
    allocate(partners(0), sent(0), send_counts(0), halo_counts(0))
    do other = 0, ranks - 1
      mine = border(rank, other)
      if (other == rank .or. size(mine) == 0) cycle
      theirs = border(other, rank)
      partners = [partners, other]
      send_counts = [send_counts, size(mine)]
      halo_counts = [halo_counts, size(theirs)]
      sent = [sent, slot(mine)]
      slot(theirs) = [(size(cell) + k, k = 1, size(theirs))]
      cell = [cell, theirs]
    end do
    slots = size(cell)
    send_starts = [(sum(send_counts(:k - 1)), k = 1, size(partners))]
    halo_starts = [(sum(halo_counts(:k - 1)), k = 1, size(partners))]
    allocate(outgoing(size(sent)))
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size(partners), partners, MPI_UNWEIGHTED, &
        size(partners), partners, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
  end subroutine

  !> Cells of one rank beside those of another one.
  function border(one, other) result(found)
    integer, intent(in) :: one, other
    integer, allocatable :: found(:)
    integer :: k
    found = pack([(k, k = 1, columns * rows)], owner(1:) == one)
    found = pack(found, [(any(owner(neighbors(found(k))) == other), k = 1, size(found))])
  end function

  !> Numbers of the cells around one, in the order of the constants; 0 beyond the walls.
  pure function neighbors(number)
    integer, intent(in) :: number
    integer :: neighbors(directions), i(directions), j(directions)
    i = modulo(mod(number - 1, columns) + [0, 1, 0, -1, -1, 1, 1, -1], columns)
    j = (number - 1) / columns + [1, 0, -1, 0, 1, -1, 1, -1]
    neighbors = merge(j * columns + i + 1, 0, j >= 0 .and. j < rows)
  end function

  !> Fills the halo of a field that has slots 0 to `slots`.
  subroutine exchange(field)
    real(8), intent(inout), contiguous :: field(0:)
    outgoing = field(sent)
    call MPI_Neighbor_alltoallv(outgoing, send_counts, send_starts, MPI_DOUBLE_PRECISION, &
        field(owned + 1:), halo_counts, halo_starts, MPI_DOUBLE_PRECISION, graph)
  end subroutine

  !> The whole field on rank 0, row by row, with 0 on land.
  subroutine collect(field, whole)
    real(8), intent(in), contiguous :: field(0:)
    real(8), intent(out) :: whole(columns * rows)
    integer :: counts(ranks), starts(ranks), numbers(count(owner >= 0)), k
    real(8) :: values(size(numbers))
    counts = [(count(owner == k), k = 0, ranks - 1)]
    starts = [(sum(counts(:k - 1)), k = 1, ranks)]
    call MPI_Gatherv(cell, owned, MPI_INTEGER, numbers, counts, starts, MPI_INTEGER, 0, &
        MPI_COMM_WORLD)
    call MPI_Gatherv(field(1:), owned, MPI_DOUBLE_PRECISION, values, counts, starts, &
        MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
    whole = 0
    if (rank == 0) whole(numbers) = values
  end subroutine

  !> Three islands in the channel.
  pure logical function is_ocean(number)
    integer, intent(in) :: number
    integer :: x, y
    x = 64 * mod(number - 1, columns) / columns
    y = 48 * ((number - 1) / columns) / rows
    is_ocean = (x - 13)**2 + (y - 25)**2 > 12 .and. (x - 39)**2 + (y - 19)**2 > 8 .and. &
        (x - 49)**2 + 2 * (y - 35)**2 > 30
  end function

  !> The cells of the channel, land too, along a Hilbert curve through a square around it.
  function hilbert_curve() result(numbers)
    integer :: numbers(columns * rows), at(2), side, step, d, right, up, k
    side = 2**(bit_size(k) - leadz(max(columns, rows) - 1))
    k = 0
    do d = 0, side**2 - 1
      at = 0
      step = 1
      do while (step < side)
        right = iand(d / step**2 / 2, 1)
        up = iand(ieor(d / step**2, right), 1)
        if (up == 0 .and. right == 1) at = step - 1 - at
        if (up == 0) at = at([2, 1])
        at = at + step * [right, up]
        step = 2 * step
      end do
      if (at(1) >= columns .or. at(2) >= rows) cycle
      k = k + 1
      numbers(k) = at(2) * columns + at(1) + 1
    end do
  end function
end module
