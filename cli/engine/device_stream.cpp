/// Streams on a GPU, as the library's are on the CPU, and what is said about an operator that the
/// GPU does not have.
#include <cli/engine/device_stream.hpp>

#include <cli/engine/stream_aggregate.hpp>
#include <io/error.hpp>
#include <upsweep/names/compiled.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

namespace {

/// Of operators whose elements and accumulators are one number of that type, or for `affine` two,
/// of which the second is the result. Where there are no values, the result is that on the CPU.
class device_stream final : public dynamic::any_stream {
 public:
  device_stream(dynamic::stream_row const& row, device_streams const& on,
                dynamic::stream_options const& how)
      : numbers_(row.columns),
        size_(size_of(row.element)),
        size_of_result_(size_of(row.result)),
        on_host_(row.make(how)) {
    has_initial_ = how.initial != nullptr;
    std::array<std::byte, 32> initial{};  // of a map 0, x
    if (has_initial_)
      std::memcpy(initial.data() + (numbers_ - 1) * size_of_result_, how.initial, size_of_result_);
    void const* const at = has_initial_ ? initial.data() : nullptr;
    if (how.use == dynamic::stream_use::scan)
      scans_ = on.scan(row.op, row.element, at);
    else
      reduces_ = on.reduction(row.op, row.element, at);
  }

  void restart(std::size_t /*position*/) override {
    position_ = 0;
    if (reduces_) reduces_->restart();
    if (scans_) scans_->restart();
  }
  void push(columns in, std::size_t n) override {
    position_ += n;
    reduces_->push(elements(in, n), n);
  }
  void scan(scan_kind kind, columns in, std::size_t n, results out) override {
    if (n == 0) return;
    if (position_ == 0) on_host_->result(std::array<void*, 1>{latest_.data()});
    results_.resize(n * numbers_ * size_);
    scans_->push(elements(in, n), n, results_.data());
    auto* const to = static_cast<std::byte*>(out[0]);
    for (std::size_t i = 0; i < n; ++i)
      std::memcpy(to + i * size_, results_.data() + ((i + 1) * numbers_ - 1) * size_, size_);
    // Kernels are compiled for inclusive scans only: an exclusive result is the one before it.
    auto const before = latest_;
    std::memcpy(latest_.data(), to + (n - 1) * size_, size_);
    if (kind == scan_kind::exclusive) {
      std::memmove(to + size_, to, (n - 1) * size_);
      std::memcpy(to, before.data(), size_);
    }
    position_ += n;
  }
  void result(results out) override {
    if (position_ == 0) return on_host_->result(out);
    std::array<std::byte, 32> total{};
    reduces_->store_total(total.data());
    std::memcpy(out[0], total.data() + (numbers_ - 1) * size_of_result_, size_of_result_);
  }

  void save(std::vector<std::byte>& /*to*/) const override { refuse(); }
  std::size_t resume(std::span<std::byte const> /*from*/) override { refuse(); }
  [[nodiscard]] dynamic::stream_part part() const override { refuse(); }
  void append(dynamic::stream_part const& /*later*/) override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("--on cuda: streams are not saved"); }
  void const* elements(columns in, std::size_t n) {
    if (numbers_ == 1) return in[0];
    elements_.resize(n * numbers_ * size_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < numbers_; ++c)
        std::memcpy(elements_.data() + (i * numbers_ + c) * size_,
                    static_cast<std::byte const*>(in[c]) + i * size_, size_);
    return elements_.data();
  }

  std::size_t numbers_, size_, size_of_result_;
  dynamic::stream_pointer on_host_;
  std::unique_ptr<device_reduction> reduces_;
  std::unique_ptr<device_scan> scans_;
  std::vector<std::byte> elements_, results_;
  std::array<std::byte, 16> latest_{};  // result of a scan
};

}  // namespace

bool is_on_gpu(catalog::id op, io::dtype element) noexcept {
  bool found = false;
  dynamic::for_each_pair<dynamic::target::gpu>([&]<class Op, class T>() {
    found =
        found || (catalog::id_of<Op> == op && dynamic::dtype_of<dynamic::number_of<T>> == element);
  });
  return found;
}

dynamic::stream_pointer open_stream(dynamic::stream_row const& row,
                                    aggregate_settings const& settings, void const* initial,
                                    std::string const& name) {
  auto const how = stream_options_of(settings, initial);
  if (settings.on_gpu == nullptr) return row.make(how);
  if (!is_on_gpu(row.op, row.element) || (settings.scans && row.element != row.result))
    refuse_on_gpu(name, name_of(row.element));
  return std::make_unique<device_stream>(row, *settings.on_gpu, how);
}

void refuse_on_gpu(std::string const& name, std::string_view type) {
  std::string list;
  std::string_view before;
  dynamic::for_each_pair<dynamic::target::gpu>([&]<class Op, class T>() {
    auto const op = catalog::name_of(catalog::id_of<Op>);
    auto const element = name_of(dynamic::dtype_of<dynamic::number_of<T>>);
    if (op == before)
      list += fmt::format(", {}", element);
    else
      list += fmt::format("{}{} over {}", list.empty() ? "" : "; ", op, element);
    before = op;
  });
  throw io::usage_error(fmt::format(
      "--on cuda does not support {} over {}; omit --on, or use one of {}", name, type, list));
}

}  // namespace upsweep::cli
