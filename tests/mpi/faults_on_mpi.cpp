/// Faults on one rank of MPI: each allocation and each copy fails in turn, in every verb, and ranks
/// make other calls. No rank waits for ever. Communicators of other kinds are refused.
///
///   faults_on_mpi [STEP]   every STEP-th of the calls
#include <support/ranks_faults.hpp>
#include <upsweep/ranks/mpi.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace upsweep::test;
using calls = calls_over_ranks<upsweep::mpi>;
constexpr unsigned most_seconds = 60;

void expect(bool condition, char const* what) {
  if (!condition) throw std::logic_error(what);
}
std::vector<std::byte> some_bytes(std::size_t n, int salt) {
  std::vector<std::byte> bytes(n);
  for (std::size_t i = 0; i < n; ++i)
    bytes[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(salt));
  return bytes;
}

/// Messages of any length, also of different lengths.
void expect_long_messages(upsweep::mpi const& c) {
  for (std::size_t const n : {0u, 1u, 16383u, 16384u, 16385u, 100'000u}) {
    int const other = c.rank() ^ 1;
    if (other < c.size()) {
      auto const size_of = [&](int rank) { return rank % 2 == 0 ? n : 20'000 - n % 20'000; };
      auto const got = c.exchange(other, some_bytes(size_of(c.rank()), c.rank()));
      expect(got == some_bytes(size_of(other), other), "an exchange brings other bytes");
    }
    int const last = c.size() - 1;
    auto const told = c.broadcast(last, some_bytes(c.rank() == last ? n : 3, c.rank()));
    expect(told == some_bytes(n, last), "a broadcast brings other bytes");
  }
}
/// A rank without memory for what arrives keeps step.
void expect_lost_messages(upsweep::mpi const& c) {
  for (int const failing : {0, c.size() - 1}) {
    auto const bytes = some_bytes(40'000, 5);
    auto const loses = [&](auto const& f) {
      bool lost = false;
      faults_of_thread = c.rank() == failing ? 0 : -1;
      try {
        f();
      } catch (std::bad_alloc const&) {
        lost = true;
      }
      faults_of_thread = -1;
      expect(lost == (c.rank() == failing), "not this rank loses a message");
    };
    if (c.size() > 1) {
      int const other = c.rank() == failing ? (failing + 1) % c.size() : failing;
      if (c.rank() == failing || c.rank() == (failing + 1) % c.size())
        loses([&] { (void)c.exchange(other, bytes); });
    }
    loses([&] { (void)c.broadcast(0, bytes); });
    loses([&] { (void)c.broadcast(c.size() - 1, bytes); });
    expect(c.broadcast(0, bytes) == bytes, "a broadcast brings other bytes");
  }
}

template <class F>
std::string words_of(F const& f) {
  try {
    f();
  } catch (std::exception const& e) {
    return e.what();
  }
  return "nothing";
}
void expect_refusals(upsweep::mpi const& c) {
  expect(words_of([] { upsweep::mpi const none(MPI_COMM_NULL); }).find("has no ranks") !=
             std::string::npos,
         "MPI_COMM_NULL is taken");
  if (c.size() > 1) {
    MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, c.rank() % 2, c.rank(), &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - c.rank() % 2, 1, &inter);
    auto const words = words_of([&] { upsweep::mpi const both(inter); });
    expect(words.find("MPI_Intercomm_merge") != std::string::npos, words.c_str());
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, c.rank() % 2, &merged);
    upsweep::mpi const all(merged);
    expect(all.size() == c.size(), "a merged communicator has other ranks");
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  for (int failing = 0; failing < c.size(); ++failing) {
    faults_of_thread = c.rank() == failing ? 0 : -1;
    auto const words = words_of([] { upsweep::mpi const copy(MPI_COMM_WORLD); });
    faults_of_thread = -1;
    expect(
        words == (c.rank() == failing ? std::bad_alloc().what()
                                      : "mpi: another rank has no memory left for a communicator"),
        words.c_str());
  }
}

void run(int step) {
  upsweep::mpi const c(MPI_COMM_WORLD);
  ::alarm(most_seconds);
  expect_long_messages(c);
  expect_lost_messages(c);
  expect_refusals(c);
  for (int i = 0; i < calls::count; i += step)
    expect_to_survive_faults(c, (i / step) % c.size(), i, most_seconds);
  if (c.size() > 1)
    for (int i = 0; i < calls::count; i += step) {
      int const other = (i + 13) % calls::count;  // another verb
      expect_to_refuse(c, i % c.size(), i, other, most_seconds);
    }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    run(argc > 1 ? std::atoi(argv[1]) : 1);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) std::puts("every fault reaches all");
  MPI_Finalize();
  return 0;
}
