/// The same totals and running totals on any number of MPI ranks, and errors that reach all of
/// them.
#include <upsweep/mpi.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int failures = 0;

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
  expect_the_bits_of_one_call(upsweep::mpi(reversed), x, upsweep::plus{});
  expect_the_bits_of_one_call(upsweep::mpi(half), x, upsweep::plus{});
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&half);
  double const total =
      upsweep::reduce(upsweep::ranks(all, upsweep::cpu{}), piece_of(x, all.rank(), all.size()));
  if (all.rank() == 0) std::printf("%a\n", total);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
