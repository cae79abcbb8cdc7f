/// A program over MPI as a user of the installed package writes it. Exit status 1: a total is
/// wrong.
#include <upsweep/ranks/mpi.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = false;
  {
    upsweep::ranks const all(upsweep::mpi(MPI_COMM_WORLD), upsweep::cpu{});
    std::vector<int> const piece{all.connection.rank() + 1, 10};
    int const ranks = all.connection.size();
    right = upsweep::reduce(all, piece) == ranks * (ranks + 1) / 2 + 10 * ranks;
  }
  MPI_Finalize();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
