/// Types that claim to be executors and lack a member.
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <vector>

/// Everything that an executor has, from one that is complete.
struct complete : upsweep::serial {};

struct cannot_reduce {
  static constexpr bool is_executor = true;
  template <upsweep::scan_kind kind, class Call, class Sink>
  upsweep::detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const&,
                                                                       Sink const&) const;
  template <class Call, class Carry>
  void reduce_chunk(Call const&, Carry&) const;
  template <upsweep::scan_kind kind, class Call, class Sink, class Carry>
  void scan_chunk(Call const&, Sink const&, Carry&) const;
  template <class F>
  void for_each_line(std::size_t, std::size_t, F const&) const;
};
/// Its scans return nothing, also to a sink that wants the total.
struct returns_no_total : upsweep::serial {
  template <upsweep::scan_kind kind, class Call, class Sink>
  void scan(Call const&, Sink const&) const;
};
struct takes_no_chunks : upsweep::serial {
  void reduce_chunk() const;
};
struct runs_no_lines : upsweep::serial {
  void for_each_line() const;
};
struct cannot_be_copied : upsweep::serial {
  cannot_be_copied() = default;
  cannot_be_copied(cannot_be_copied const&) = delete;
};

void totals(std::vector<int> const& x, std::vector<int>& out) {
#ifdef CORRECT
  (void)upsweep::reduce(complete{}, x);
  upsweep::inclusive_scan(complete{}, x, out);
#elif WRONG == 1
  (void)upsweep::reduce(cannot_reduce{}, x);
#elif WRONG == 2
  upsweep::inclusive_scan(returns_no_total{}, x, out);
#elif WRONG == 3
  upsweep::exclusive_scan(takes_no_chunks{}, x, out, upsweep::max{});
#elif WRONG == 4
  (void)upsweep::transform_reduce(runs_no_lines{}, x, [](int a) { return a * a; });
#elif WRONG == 5
  (void)upsweep::reduce(cannot_be_copied{}, x);
#endif
}
