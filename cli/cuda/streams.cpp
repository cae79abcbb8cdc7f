/// The streams of the tool on a GPU, by operator and type.
#include <cli/cuda/gpu.hpp>

#include <cli/cuda/scan_streams.cuh>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

namespace upsweep::cli::gpu {

namespace {

/// Each aligned block of a chunk is one call of the library's compiled kernels, and the carry makes
/// the tree of their totals. A chunk that ends at a power of two, as those of files do, is one
/// block; any other has two for each binary digit of its length at most.
template <class T, class Op>
class reduction_on_gpu final : public device_reduction {
 public:
  using A = accumulator_t<Op, T>;
  explicit reduction_on_gpu(void const* initial) : initial_(initial_at<A>(initial)) {}

  void restart() override { left_ = {}; }
  void push(void const* values, std::size_t n) override {
    pieces_.for_each(std::span(static_cast<T const*>(values), n), [&](std::span<T const> piece,
                                                                      std::size_t) {
      std::size_t const begin = left_.position();
      detail::block_sequence const blocks(begin, begin + piece.size(), 62);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        auto const block = piece.subspan(blocks[i].position - begin, std::size_t{1} << blocks[i].k);
        left_.push(blocks[i].k, upsweep::reduce(upsweep::gpu{}, block, Op{}), Op{});
      }
    });
  }
  void store_total(void* result) const override {
    A const all = *left_.prefix();
    *static_cast<A*>(result) = initial_ ? Op{}(*initial_, all) : all;
  }

 private:
  std::optional<A> initial_;
  carry<A> left_;
  device_pieces<T> pieces_;
};

/// What make.operator()<Op>() makes for the operator `op`, if there is a GPU.
template <class Stream, class Make>
std::unique_ptr<Stream> made_for(catalog::id op, Make const& make) {
  // Asked once: what a device is takes a millisecond.
  static device const there = require("--on cuda", "without --on, the CPU is used");
  (void)there;
  std::unique_ptr<Stream> made;
  catalog::for_each_row([&]<class Op>(catalog::row<Op> const& row) {
    if constexpr (dynamic::types_for<dynamic::target::gpu, Op>::size > 0)
      if (row.id == op) made = make.template operator()<Op>();
  });
  if (!made) throw std::logic_error("--on cuda: a pair that is not in the list");
  return made;
}

std::unique_ptr<device_reduction> reduction(catalog::id op, dynamic::dtype element,
                                            void const* initial) {
  return made_for<device_reduction>(op, [&]<class Op>() {
    std::unique_ptr<device_reduction> made;
    dynamic::for_each_type(dynamic::types_for<dynamic::target::gpu, Op>{}, [&]<class T>() {
      if (dynamic::dtype_of<dynamic::number_of<T>> == element)
        made = std::make_unique<reduction_on_gpu<T, Op>>(initial);
    });
    return made;
  });
}
std::unique_ptr<device_scan> scan(catalog::id op, dynamic::dtype element, void const* initial) {
  return made_for<device_scan>(op, [&]<class Op>() { return scan_by<Op>(element, initial); });
}

}  // namespace

device_streams const& streams() {
  static constexpr device_streams all{reduction, scan};
  return all;
}

}  // namespace upsweep::cli::gpu
