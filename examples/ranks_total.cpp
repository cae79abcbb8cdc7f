/// The total of a file of doubles of which each MPI rank reads a piece, with the bits of one call.
#include <upsweep/ranks/mpi.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <fstream>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary | std::ios::ate);
  if (!file) MPI_Abort(MPI_COMM_WORLD, 1);
  auto const n = static_cast<std::size_t>(file.tellg()) / sizeof(double);
  auto const cut = [&](int r) {
    return n * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks);
  };
  std::vector<double> piece(cut(rank + 1) - cut(rank));
  file.seekg(static_cast<std::streamoff>(cut(rank) * sizeof(double)));
  file.read(reinterpret_cast<char*>(piece.data()),
            static_cast<std::streamsize>(piece.size() * sizeof(double)));
  {
    upsweep::ranks const all(upsweep::mpi(MPI_COMM_WORLD), upsweep::cpu{.threads = 1});
    double const total = upsweep::reduce(all, piece);
    if (rank == 0) std::printf("%.17g\n", total);
  }
  MPI_Finalize();
}
