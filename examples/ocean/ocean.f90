!> A barotropic ocean: shallow water with an implicit free surface, in a channel with islands. Each
!! step solves for the sea level with conjugate gradients, whose dot products are global sums.
!!
!!   mpirun -n 3 ocean cells=curve sums=exact steps=1000 file=state.bin
!!
!! Arrays have a value for each slot of the decomposition: the level in the middle of a cell, u on
!! its eastern and v on its northern face. All arithmetic but that of the sums is done for one cell,
!! from its neighbors. Therefore only the sums can depend on the decomposition.
module barotropic
  use mpi_f08
  use decomposition
  use upsweep, only: global_dot
  implicit none
  private
  public :: start, advance, dot
  logical, public :: exact      !< dot products by Upsweep, or by plain sums and MPI_SUM
  integer, public :: iterations !< of the solver, since the start
  real(8), allocatable, public :: level(:), u(:), v(:)
  real(8), allocatable, dimension(:) :: depth_u, depth_v, jets, gu, gv, old_gu, old_gv, old_level, &
      right, r, z, p, q, diagonal
  real(8), parameter :: dx = 5000, dt = 2000, gravity = 9.81d0, coriolis = 1d-4, viscosity = 5, &
      relaxation = 1d-6, tolerance = 1d-5, theta = gravity * dt**2 / dx**2

contains

  !> Three jets in geostrophic balance. No functions but + - * /, which have one result.
  subroutine start()
    real(8) :: profile(rows), surface(rows), depth(0:slots)
    integer :: k, j
    profile = [(jet(0.22d0 * rows - j) - jet(0.47d0 * rows - j) + jet(0.72d0 * rows - j), &
        j = 1, rows)]
    surface(1) = 0
    do j = 2, rows
      surface(j) = surface(j - 1) - coriolis * dx / gravity * (profile(j - 1) + profile(j)) / 2
    end do
    depth(0) = 0
    depth(1:) = [(1.5d0 - 0.5d0 / (1 + (mod(cell(k) - 1, columns) - columns / 2)**2 / 64d0), &
        k = 1, slots)]
    if (.not. allocated(u)) allocate(level(0:slots), old_level(0:slots), u(0:slots), v(0:slots), &
        depth_u(0:slots), depth_v(0:slots), jets(0:slots), gu(0:slots), gv(0:slots), &
        old_gu(0:slots), old_gv(0:slots), right(0:slots), r(0:slots), z(0:slots), p(0:slots), &
        q(0:slots), diagonal(0:slots), source=0d0)
    level(1:) = surface((cell - 1) / columns + 1)
    old_level = level
    jets(1:) = profile((cell - 1) / columns + 1)
    u = 0
    v = 0
    p = 0
    do k = 1, owned
      if (near(east, k) > 0) depth_u(k) = (depth(k) + depth(near(east, k))) / 2
      if (near(north, k) > 0) depth_v(k) = (depth(k) + depth(near(north, k))) / 2
      if (near(east, k) > 0) u(k) = jets(k)
    end do
    call exchange(depth_u)
    call exchange(depth_v)
    call exchange(u)
    do k = 1, owned
      diagonal(k) = 1 + theta * (depth_u(k) + depth_u(near(west, k)) + depth_v(k) + &
          depth_v(near(south, k)))
    end do
    call accelerate()
    iterations = 0
  end subroutine

  pure real(8) function jet(distance)
    real(8), intent(in) :: distance
    jet = 1.2d0 / (1 + (distance / 3)**2)**2
  end function

  !> One time step: advection and rotation explicitly, gravity waves implicitly.
  subroutine advance()
    integer :: k
    old_gu = gu
    old_gv = gv
    call accelerate()
    !$omp parallel do
    do k = 1, owned
      u(k) = u(k) + dt * (1.5d0 * gu(k) - 0.5d0 * old_gu(k))  ! Adams-Bashforth
      v(k) = v(k) + dt * (1.5d0 * gv(k) - 0.5d0 * old_gv(k))
    end do
    call exchange(u)
    call exchange(v)
    !$omp parallel do
    do k = 1, owned
      right(k) = level(k) - dt / dx * (depth_u(k) * u(k) - depth_u(near(west, k)) * &
          u(near(west, k)) + depth_v(k) * v(k) - depth_v(near(south, k)) * v(near(south, k)))
    end do
    call solve()
    !$omp parallel do
    do k = 1, owned
      if (near(east, k) > 0) u(k) = u(k) - gravity * dt / dx * (level(near(east, k)) - level(k))
      if (near(north, k) > 0) v(k) = v(k) - gravity * dt / dx * (level(near(north, k)) - level(k))
    end do
    call exchange(u)
    call exchange(v)
  end subroutine

  !> gu and gv, from all but the slope of the sea: vorticity, kinetic energy, viscosity, and a force
  !! that keeps up the jets.
  subroutine accelerate()
    integer :: k, n, e, s, w, nw, se
    real(8) :: spin, kinetic
    !$omp parallel do private(n, e, s, w, nw, se, spin, kinetic)
    do k = 1, owned
      n = near(north, k); e = near(east, k); s = near(south, k); w = near(west, k)
      nw = near(north_west, k); se = near(south_east, k)
      spin = (v(e) - v(k)) - (u(n) - u(k))  ! at the north-eastern corner, times dx
      kinetic = (u(k)**2 + u(w)**2) + (v(k)**2 + v(s)**2)
      if (e > 0) gu(k) = (coriolis + (spin + ((v(se) - v(s)) - (u(k) - u(s)))) / (2 * dx)) * &
          ((v(k) + v(e)) + (v(s) + v(se))) / 4 - &
          ((u(e)**2 + u(k)**2) + (v(e)**2 + v(se)**2) - kinetic) / (4 * dx) + &
          viscosity / dx**2 * ((u(e) + u(w)) + (u(n) + u(s)) - 4 * u(k)) + &
          relaxation * (jets(k) - u(k))
      if (n > 0) gv(k) = -(coriolis + (spin + ((v(k) - v(w)) - (u(nw) - u(w)))) / (2 * dx)) * &
          ((u(k) + u(w)) + (u(n) + u(nw))) / 4 - &
          ((u(n)**2 + u(nw)**2) + (v(n)**2 + v(k)**2) - kinetic) / (4 * dx) + &
          viscosity / dx**2 * ((v(e) + v(w)) + (v(n) + v(s)) - 4 * v(k))
    end do
  end subroutine

  !> Conjugate gradients with the diagonal as preconditioner, from an extrapolated level on.
  subroutine solve()
    real(8) :: rz, last_rz, limit, alpha
    integer :: k, iteration
    do k = 1, owned
      z(k) = level(k)
      level(k) = 2 * z(k) - old_level(k)
      old_level(k) = z(k)
    end do
    call apply(level, q)
    !$omp parallel do
    do k = 1, owned
      r(k) = right(k) - q(k)
      z(k) = right(k) / diagonal(k)
    end do
    limit = tolerance**2 * dot(right, z)
    last_rz = limit
    do iteration = 0, 1000
      !$omp parallel do
      do k = 1, owned
        z(k) = r(k) / diagonal(k)
      end do
      rz = dot(r, z)
      if (rz <= limit) exit
      if (iteration == 0) p = 0
      !$omp parallel do
      do k = 1, owned
        p(k) = z(k) + rz / last_rz * p(k)
      end do
      call apply(p, q)
      alpha = rz / dot(p, q)
      !$omp parallel do
      do k = 1, owned
        level(k) = level(k) + alpha * p(k)
        r(k) = r(k) - alpha * q(k)
      end do
      last_rz = rz
    end do
    if (iteration > 1000) error stop 'ocean: the solver does not converge'
    iterations = iterations + iteration
    call exchange(level)
  end subroutine

  !> y = (1 - g dt^2 div depth grad) x.
  subroutine apply(x, y)
    real(8), intent(inout) :: x(0:), y(0:)
    integer :: k, n, e, s, w
    call exchange(x)
    !$omp parallel do private(n, e, s, w)
    do k = 1, owned
      n = near(north, k); e = near(east, k); s = near(south, k); w = near(west, k)
      y(k) = x(k) - theta * ((depth_u(k) * (x(e) - x(k)) - depth_u(w) * (x(k) - x(w))) + &
          (depth_v(k) * (x(n) - x(k)) - depth_v(s) * (x(k) - x(s))))
    end do
  end subroutine

  !> The sum of a * b over the cells of all ranks.
  real(8) function dot(a, b)
    real(8), intent(in) :: a(0:), b(0:)
    integer :: k
    if (exact) then
      dot = global_dot(a(1:owned), b(1:owned), MPI_COMM_WORLD)
      return
    end if
    dot = 0
    !$omp parallel do reduction(+: dot)
    do k = 1, owned
      dot = dot + a(k) * b(k)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  end function
end module

program ocean
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64
  use decomposition
  use barotropic
  !$ use omp_lib, only: omp_get_max_threads
  implicit none
  character(200) :: cells = 'blocks', sums = 'exact', file = ''
  integer :: steps = 1000, every = 0, rounds = 1, threads = 1, provided, round

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call read_arguments()
  call decompose(trim(cells))
  !$ threads = omp_get_max_threads()
  do round = 1, rounds
    if (sums /= 'exact') call integrate('plain')
    if (sums /= 'plain') call integrate('exact')
  end do
  call MPI_Finalize()

contains

  !> Words such as steps=1000 and cells=curve, as a namelist.
  subroutine read_arguments()
    namelist /run/ cells, sums, file, steps, every, rounds, columns, rows
    character(200) :: word
    character(1000) :: line
    integer :: k, at, failed
    line = '&run'
    do k = 1, command_argument_count()
      call get_command_argument(k, word)
      at = index(word, '=')
      if (verify(trim(word(at + 1:)), '0123456789') > 0) word = word(:at) // '"' // &
          trim(word(at + 1:)) // '"'
      line = trim(line) // ' ' // word
    end do
    line = trim(line) // ' /'
    read (line, nml=run, iostat=failed)
    if (failed /= 0 .or. min(columns, rows, steps) < 1 .or. &
        all(cells /= [character(6) :: 'rows', 'blocks', 'curve']) .or. &
        all(sums /= [character(5) :: 'plain', 'exact', 'both'])) error stop &
        'usage: ocean [cells=rows|blocks|curve] [sums=exact|plain|both] [steps=N] &
        &[rounds=N] [columns=N] [rows=N] [file=NAME] [every=STEPS]'
    if (every == 0) every = steps
  end subroutine

  !> Runs the model from its start. The file gets the state after each `every` steps.
  subroutine integrate(way)
    character(*), intent(in) :: way
    real(8) :: state(columns * rows, 3), seconds, energy
    integer :: step, unit
    exact = way == 'exact'
    if (file /= '' .and. rank == 0) open (newunit=unit, file=file, access='stream', &
        form='unformatted', status='replace')
    call start()
    call MPI_Barrier(MPI_COMM_WORLD)
    seconds = MPI_Wtime()
    do step = 1, steps
      call advance()
      if (step < steps .and. (file == '' .or. mod(step, every) > 0)) cycle
      if (step == steps) call MPI_Barrier(MPI_COMM_WORLD)
      if (step == steps) seconds = MPI_Wtime() - seconds
      call collect(level, state(:, 1))
      call collect(u, state(:, 2))
      call collect(v, state(:, 3))
      if (file /= '' .and. rank == 0) write (unit) state
    end do
    if (file /= '' .and. rank == 0) close (unit)
    energy = dot(u, u) + dot(v, v)
    if (rank == 0) print '(4a,4(i0,a),f0.4,a,es22.16,a,z16.16)', way, ' ', trim(cells), ' ', &
        ranks, ' ranks ', threads, ' threads ', steps, ' steps ', iterations, ' iterations ', &
        seconds, ' seconds, energy ', energy, ' state ', crc64(state)
  end subroutine

  !> CRC-64/XZ of the numbers, lowest byte first. Of a file with one state, `xz -C crc64 -k file;
  !! xz -lvv file.xz` shows the same.
  pure integer(int64) function crc64(state)
    real(8), intent(in) :: state(:, :)
    integer(int64), parameter :: polynomial = -3932672073523589310_int64  ! z'C96C5795D7870F42'
    integer :: i, j, k
    crc64 = -1
    do j = 1, size(state, 2)
      do i = 1, size(state, 1)
        crc64 = ieor(crc64, transfer(state(i, j), crc64))
        do k = 1, 64
          crc64 = ieor(ishft(crc64, -1), iand(polynomial, -iand(crc64, 1_int64)))
        end do
      end do
    end do
    crc64 = not(crc64)
  end function
end program
