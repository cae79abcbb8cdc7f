/// The same sums and running sums on any number of MPI ranks, and errors that reach all of
/// them.
#include <upsweep/ranks/mpi.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> failures = 0;

void expect(bool condition, char const* what, int rank) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "rank %d: %s\n", rank, what);
}

/// Piece `rank` of `size`: uneven, the second rank has none.
std::span<double const> piece_of(std::vector<double> const& x, int rank, int size) {
  auto const cut = [&](int r) {
    auto const part = static_cast<std::size_t>(r == 2 && size > 2 ? 1 : r);
    return x.size() * part * part / static_cast<std::size_t>(size * size);
  };
  return std::span(x).subspan(cut(rank), cut(rank + 1) - cut(rank));
}

template <class Op>
void expect_the_bits_of_one_call(upsweep::mpi const& c, std::vector<double> const& x,
                                 Op const& op) {
  upsweep::ranks const all(c, upsweep::serial{});
  auto const piece = piece_of(x, c.rank(), c.size());
  expect(upsweep::reduce(all, piece, op) == upsweep::reduce(x, op), "another total", c.rank());
  using R = upsweep::result_t<Op, double>;
  std::vector<R> whole(x.size()), out(piece.size());
  auto const begin = static_cast<std::size_t>(piece.data() - x.data());
  upsweep::inclusive_scan(x, whole, op);
  upsweep::inclusive_scan(all, piece, out, op);
  expect(std::equal(out.begin(), out.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin)),
         "other running totals", c.rank());
  upsweep::exclusive_scan(x, whole, op);
  upsweep::exclusive_scan(all, piece, out, op);
  expect(std::equal(out.begin(), out.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin)),
         "other exclusive running totals", c.rank());
}

void expect_all_to_throw(upsweep::mpi const& c) {
  auto const op = upsweep::monoid(
      [](double a, double b) { return b < 0 ? throw upsweep::error("negative") : a + b; }, 0.0);
  std::vector<double> const piece{1, c.rank() == c.size() - 1 ? -1.0 : 2.0};
  std::string said = "nothing";
  try {
    (void)upsweep::reduce(upsweep::ranks(c, upsweep::serial{}), piece, op);
  } catch (upsweep::error const& e) {
    said = e.what();
  }
  expect(said.find("negative") != std::string::npos, said.c_str(), c.rank());
}

/// A wrong call throws if the communicator returns errors, which its duplicates inherit.
void expect_errors_of_mpi_to_be_thrown() {
  MPI_Comm returning = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &returning);
  MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
  upsweep::mpi const c(returning);
  std::string said = "nothing";
  try {
    (void)c.exchange(c.size(), {});
  } catch (upsweep::error const& e) {
    said = e.what();
  }
  expect(said.starts_with("MPI_Sendrecv failed: "), said.c_str(), c.rank());
  MPI_Comm_free(&returning);
}

/// Runs that cross ranks, and what is selected, of one long vector.
void expect_the_results_by_key(upsweep::mpi const& c, std::vector<double> const& x) {
  auto const same_hundred = [](double a, double b) {
    return static_cast<int>(1 / a) / 100'000 == static_cast<int>(1 / b) / 100'000;
  };
  std::vector<double> keys(x.size()), sums(x.size()), its_keys(x.size()), its_sums(x.size());
  std::size_t const count = upsweep::reduce_runs(x, x, keys, sums, upsweep::plus{}, same_hundred);
  upsweep::ranks const all(c, upsweep::serial{});
  auto const piece = piece_of(x, c.rank(), c.size());
  auto const mine =
      upsweep::reduce_runs(all, piece, piece, its_keys, its_sums, upsweep::plus{}, same_hundred);
  auto const begin = static_cast<std::ptrdiff_t>(mine.begin);
  auto const end = static_cast<std::ptrdiff_t>(mine.begin + mine.count);
  expect(mine.total == count &&
             std::equal(sums.begin() + begin, sums.begin() + end, its_sums.begin()) &&
             std::equal(keys.begin() + begin, keys.begin() + end, its_keys.begin()),
         "other sums by key", c.rank());
  auto const large = upsweep::select(all, piece, its_keys, [](double e) { return e > 0.001; });
  expect(large.total == 999 &&
             large.begin ==
                 std::min<std::size_t>(999, static_cast<std::size_t>(piece.data() - x.data())),
         "another selection", c.rank());
}

/// Calls from two threads at once, over two duplicates of one communicator.
void run_in_two_threads(std::vector<double> const& x) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  upsweep::mpi const first(MPI_COMM_WORLD), second(MPI_COMM_WORLD);
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) expect_the_bits_of_one_call(second, x, upsweep::max{});
  });
  for (int i = 0; i < 3; ++i) expect_the_bits_of_one_call(first, x, upsweep::plus{});
  other.join();
}

void run() {
  std::vector<double> x(100'003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
  upsweep::mpi const all(MPI_COMM_WORLD);
  expect_the_bits_of_one_call(all, x, upsweep::plus{});
  expect_the_bits_of_one_call(all, x, upsweep::argmin{});
  expect_all_to_throw(all);
  // In reverse order, and in two halves at once.
  MPI_Comm reversed = MPI_COMM_NULL, half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -all.rank(), &reversed);
  MPI_Comm_split(MPI_COMM_WORLD, all.rank() % 2, all.rank(), &half);
  {
    upsweep::mpi const one(reversed), other(half), copy = other;
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&half);
    expect_the_bits_of_one_call(one, x, upsweep::plus{});
    expect_the_bits_of_one_call(copy, x, upsweep::plus{});
    expect_the_bits_of_one_call(one, x, upsweep::argmin{});
  }
  expect_errors_of_mpi_to_be_thrown();
  expect_the_results_by_key(all, x);
  run_in_two_threads(std::vector<double>(x.begin(), x.begin() + 1000));
  double const total =
      upsweep::reduce(upsweep::ranks(all, upsweep::cpu{}), piece_of(x, all.rank(), all.size()));
  if (all.rank() == 0) std::printf("%a\n", total);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "with-threads") {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    expect(provided == MPI_THREAD_MULTIPLE, "this MPI has no threads", 0);
  } else {
    MPI_Init(&argc, &argv);
  }
  if (argc > 1 && std::string(argv[1]) == "one-dies") {
    upsweep::mpi const all(MPI_COMM_WORLD);
    if (all.rank() == 1) std::raise(SIGKILL);
    (void)upsweep::reduce(upsweep::ranks(all, upsweep::serial{}), std::vector<double>(9));
    std::puts("the other rank has not noticed");
  }
  run();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
