/// The scan of a tile by the vector kernels where the elements are not plain memory: they are
/// transformed, converted, strided, reversed or generated.
#pragma once

#include <upsweep/host/blocks.hpp>

#include <cstddef>

namespace upsweep::host {

/// Built-in operators over any source. The accumulators of a tile are stored in a buffer, which the
/// compiled kernels reduce and scan in place. One store and one load of the buffer, in L1, is what
/// it costs over plain memory; the source is read once.
template <scan_kind kind, class Scan>
class buffer_engine {
 public:
  using A = typename Scan::accumulator;
  using value = fixed_width_t<A>;

  explicit buffer_engine(Scan const& scan) : scan_(scan), room_(scan.nodes) {}

  A up(std::size_t position, int k) {
    fill(values(), scan_.in, position, std::size_t{1} << k);
    compiled_reduce<Op, value> const& reduce = compiled<Op>::verbs;
    return static_cast<A>(reduce.total(values(), std::size_t{1} << k, mode::reproducible));
  }

  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const n = std::size_t{1} << k;
    compiled_scan<Op, value> const& scan = compiled<Op>::verbs;
    auto const run = kind == scan_kind::inclusive ? scan.inclusive_block : scan.exclusive_block;
    known const prefix(before), initial(scan_.initial), first(scan_.first);
    run(values(), values(), n, prefix.get(), static_cast<value>(after), initial.get(), first.get());
    by_64(n, [&](std::size_t i) {
      return [out = results_from(scan_.out, position + i), from = values() + i](int j) {
        out(j, static_cast<A>(from[j]));
      };
    });
  }

 private:
  using Op = typename Scan::operation;

  /// An accumulator that may be absent, as the library's type for it.
  class known {
   public:
    explicit known(A const* from) : value_(from ? static_cast<value>(*from) : value{}) {
      if (from) address_ = &value_;
    }
    known(known const&) = delete;
    known& operator=(known const&) = delete;
    [[nodiscard]] value const* get() const { return address_; }

   private:
    value value_;
    value const* address_ = nullptr;
  };

  [[nodiscard]] value* values() { return &room_[0].value(); }

  Scan const& scan_;
  detail::uninitialized_array<value> room_;
};

}  // namespace upsweep::host
