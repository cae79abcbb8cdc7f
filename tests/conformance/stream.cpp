/// Streams on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/stream_contract.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, stream_contract, host_backends, backend_name);

/// Another stream continues after the first `n` elements, by the totals of their blocks.
template <class T, class Op>
void expect_continued(Op const& op, std::size_t n, bool with_initial) {
  auto const in = random_elements<T>(n + 200);
  options<T> o;
  if (with_initial) o.initial.emplace(random_elements<T>(1, 5).front());
  scan_stream<T, Op, cpu> first(op, o), second(op, o);
  std::vector<T> out(in);
  first.inclusive(std::span(in).first(n), std::span(out).first(n));
  for (int k = 63; k >= 0; --k)
    if ((n >> k & 1u) != 0) second.append_block(k, first.block_total(k));
  ASSERT_EQ(second.size(), n);
  auto const rest = std::span(in).subspan(n);
  std::vector<T> want(rest.begin(), rest.end()), got(want);
  for (std::size_t begin = 0, size = 1; begin < rest.size(); begin += size++) {
    size = std::min(size, rest.size() - begin);
    first.inclusive(rest.subspan(begin, size), std::span(want).subspan(begin, size));
    second.inclusive(rest.subspan(begin, size), std::span(got).subspan(begin, size));
  }
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_TRUE(equal_at("a continued stream", n, got[i], want[i])) << i << with_initial;
}

TEST(stream, another_stream_continues_by_the_totals_of_blocks) {
  for (std::size_t const n : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1009u, 70001u})
    for (bool const with_initial : {false, true}) {
      expect_continued<double>(plus{}, n, with_initial);
      expect_continued<tree_name>(name_tree{}, n, with_initial);
    }
}

/// A reduction continues as a scan, and that as another reduction, by the totals of their blocks.
template <class T, class Op>
void expect_exchanged(Op const& op, std::size_t n, bool with_initial) {
  auto const in = random_elements<T>(n + 200);
  options<T> o;
  if (with_initial) o.initial.emplace(random_elements<T>(1, 5).front());
  auto const continue_by_blocks = [](auto const& from, auto to) {
    for (int k = 63; k >= 0; --k)
      if ((from.size() >> k & 1u) != 0) to.append_block(k, from.block_total(k));
    return to;
  };
  reduce_stream<T, Op, cpu> reducing(op, o), whole(op, o);
  reducing.push(std::span(in).first(n));
  auto scanning = continue_by_blocks(reducing, scan_stream<T, Op, cpu>(op, o));
  std::vector<T> out(in.begin(), in.begin() + 130);
  scanning.inclusive(std::span(in).subspan(n, 130), std::span(out));
  whole.push(std::span(in).first(n + 130));
  ASSERT_TRUE(equal_at("a scan behind a reduction", n, out.back(), whole.result()));
  auto last = continue_by_blocks(scanning, reduce_stream<T, Op, cpu>(op, o));
  last.push(std::span(in).last(70));
  whole.push(std::span(in).last(70));
  ASSERT_EQ(last.size(), n + 200);
  ASSERT_TRUE(equal_at("a reduction behind a scan", n, last.result(), whole.result()));
}

TEST(stream, reductions_and_scans_continue_each_other_by_the_totals_of_blocks) {
  for (std::size_t const n : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1009u, 70001u})
    for (bool const with_initial : {false, true}) {
      expect_exchanged<double>(plus{}, n, with_initial);
      expect_exchanged<tree_name>(name_tree{}, n, with_initial);
    }
}

}  // namespace upsweep::test
