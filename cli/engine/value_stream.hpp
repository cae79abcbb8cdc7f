/// The values of one operator on their way through the combine tree: on the CPU, or on a GPU.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/folding.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/partial_bytes.hpp>
#include <upsweep/scan_stream.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// The type in which `Op` gets values of `type`: as narrow as they are, or on a GPU without kernels
/// for such elements the wide one, in which they have the same bits.
template <class Op>
[[nodiscard]] io::dtype taken_type(folding_settings const& settings, io::dtype type) {
  if (settings.of_piece != piece::none) return compute_type(type);  // fewer types to compile
  bool is_taken = settings.on_gpu == nullptr;
  dynamic::for_each_type(dynamic::types_for<dynamic::target::gpu, Op>{}, [&]<class T>() {
    is_taken = is_taken || dynamic::dtype_of<dynamic::number_of<T>> == type;
  });
  return is_taken ? type : compute_type(type);
}

/// reduce_stream, scan_stream and partial, of which one is used, and their counterparts on a GPU.
/// However the values are cut into calls and wherever they are combined, the results have the same
/// bits.
template <class T, class Op>
class value_stream {
 public:
  using A = accumulator_t<Op, T>;

  /// `name` and `type` are for the error.
  value_stream(Op op, std::optional<A> initial, folding_settings const& settings,
               std::string const& name, io::dtype type)
      : op_(std::move(op)),
        options_{.initial = std::move(initial), .mode = settings.mode},
        on_{.threads = settings.threads} {
    if (settings.on_gpu) open(settings, name, type);
    if constexpr (in_pieces)
      if (settings.of_piece != piece::none && !settings.scans) part_.emplace(0, op_);
  }

  /// The next value is at `position`, which counts only in a piece.
  void restart(std::size_t position = 0) {
    size_ = part_ ? position : 0;
    if constexpr (in_pieces)
      if (part_) part_.emplace(position, op_);
    reduced_.reset();
    scanned_.reset();
    if (reduced_on_gpu_) reduced_on_gpu_->restart();
    if (scanned_on_gpu_) scanned_on_gpu_->restart();
  }

  void reduce(std::span<T const> values) {
    size_ += values.size();
    if constexpr (in_pieces)
      if (part_) return part_->push(on_, values);
    if (reduced_on_gpu_)
      reduced_on_gpu_->push(values.data(), values.size());
    else
      start(reduced_).push(values);
  }
  template <class Out>
  void scan(scan_kind kind, std::span<T const> values, std::span<Out> out) {
    if (scanned_on_gpu_)
      scan_on_gpu(kind, values, out);
    else if (kind == scan_kind::inclusive)
      start(scanned_).inclusive(values, out);
    else
      start(scanned_).exclusive(values, out);
    size_ += values.size();
  }

  /// Calls f(k, total) for the blocks of values that were reduced or scanned on the CPU, in order;
  /// false if they are elsewhere.
  template <class F>
  bool each_block(F const& f) const {
    if (part_ || reduced_on_gpu_ || scanned_on_gpu_) return false;
    for_each_block(size_, [&](int k) {
      f(k, scanned_ ? scanned_->block_total(k) : reduced_->block_total(k));
    });
    return true;
  }

  /// The position of the next value: how many there have been since restart(), or in a piece, of
  /// the whole.
  [[nodiscard]] std::size_t position() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return part_ ? part_->empty() : size_ == 0; }
  [[nodiscard]] bool has_initial() const noexcept { return options_.initial.has_value(); }

  [[nodiscard]] auto reduced() {
    using result = decltype(start(reduced_).result());
    if constexpr (is_on_gpu)
      if (reduced_on_gpu_ && size_ > 0) {
        result total{};
        reduced_on_gpu_->store_total(&total);
        return total;
      }
    if constexpr (in_pieces)
      if (part_) return from_start(*part_).result(options_);
    return start(reduced_).result();
  }
  /// The result of all values scanned so far, on the CPU.
  [[nodiscard]] auto scanned() const { return scanned_->result(); }

  /// See `folding`.
  void save(saved_state& to) const {
    put(to, size_);
    for_each_block(size_, [&](int k) { put(to, scanned_->block_total(k)); });
  }
  void load(saved_reader& from) {
    restart();
    size_ = from.take<std::size_t>();
    for_each_block(size_, [&](int k) { start(scanned_).append_block(k, from.take<A>()); });
  }

  /// See `folding`.
  void save_part(saved_state& to) const {
    if constexpr (in_pieces) save_part_in(to);
  }
  void join_part(saved_reader& from) {
    if constexpr (in_pieces) join_part_in(from);
  }

 private:
  /// Narrow values are widened in pieces; see taken_type.
  static constexpr bool in_pieces =
      std::is_same_v<T, bool> ||
      !(detail::is_narrow_float<T> || (std::is_integral_v<T> && sizeof(T) < 8));
  using part = std::conditional_t<in_pieces, partial<T, Op>, partial<double>>;

  void save_part_in(saved_state& to) const {
    detail::bytes::writer totals;
    detail::bytes::write_totals(totals, *part_);
    auto const bytes = totals.take();
    put(to, part_->begin());
    put(to, part_->end());
    put(to, bytes.size());
    put_all(to, std::span(bytes));
  }
  void join_part_in(saved_reader& from) {
    auto const begin = from.take<std::size_t>(), end = from.take<std::size_t>();
    auto const bytes = from.take_bytes(from.take_count());
    detail::bytes::reader totals(bytes, format_of_totals(bytes.size()));
    auto later = detail::bytes::read_totals<T>(totals, begin, end, op_);
    if (!part_)
      from_start(later).resume(start(scanned_));
    else if (part_->empty() || !part::exact)
      part_->append(later);
    else if (!later.empty())  // there may be positions without a value, and pieces that were moved
      part_->append(part::of_totals(
          part_->end(), std::max(later.end(), part_->end() + later.size()), later.totals(), op_));
    size_ = part_ ? part_->end() : scanned_->size();
  }

  /// The first version wrote exact sums as they lie in memory, which is longer than any of now.
  static std::uint16_t format_of_totals(std::size_t bytes) {
    if constexpr (detail::bytes::is_superaccumulator<A>)
      if (bytes == sizeof(std::uint64_t) + sizeof(A)) return detail::bytes::format_of_memory;
    return detail::bytes::newest_format;
  }

  /// The same values as the beginning of a whole, which does not change exact totals.
  static part from_start(part const& of) {
    if (of.empty()) return part(0, of.operation());
    return part::exact ? part::of_totals(0, of.end(), of.totals(), of.operation()) : of;
  }

  /// Calls f(k) for each bit k of `size`, the highest first.
  template <class F>
  static void for_each_block(std::size_t size, F const& f) {
    for (; size != 0; size ^= std::bit_floor(size)) f(detail::floor_log2(size));
  }

  static constexpr bool is_on_gpu = dynamic::is_compiled<dynamic::target::gpu, Op, T>;

  void open(folding_settings const& settings, std::string const& name, io::dtype type) {
    if constexpr (is_on_gpu) {
      auto const element = dynamic::dtype_of<dynamic::number_of<T>>;
      auto const* const initial = options_.initial ? std::addressof(*options_.initial) : nullptr;
      if (!settings.scans)
        reduced_on_gpu_ = settings.on_gpu->reduction(catalog::id_of<Op>, element, initial);
      else if constexpr (std::is_same_v<T, A>)
        scanned_on_gpu_ = settings.on_gpu->scan(catalog::id_of<Op>, element, initial);
    }
    if (!reduced_on_gpu_ && !scanned_on_gpu_) refuse_on_gpu(name, name_of(type));
  }

  template <class Stream>
  Stream& start(std::optional<Stream>& stream) {
    if (!stream) stream.emplace(on_, op_, options_);
    return *stream;
  }

  /// Kernels are compiled for inclusive scans into the elements' type only: an exclusive result is
  /// the inclusive one before it.
  template <class Out>
  void scan_on_gpu(scan_kind kind, std::span<T const> values, std::span<Out> out) {
    if constexpr (is_on_gpu && std::is_same_v<T, A>) {
      if (values.empty()) return;
      std::span<T> results;
      if constexpr (std::is_same_v<T, Out>) {
        results = out;
      } else {
        results_.resize(values.size());
        results = results_;
      }
      scanned_on_gpu_->push(values.data(), values.size(), results.data());
      T const before = size_ > 0 ? last_ : options_.initial.value_or(identity_of<T>(op_));
      last_ = results.back();
      if (kind == scan_kind::exclusive) {
        std::copy_backward(results.begin(), results.end() - 1, results.end());
        results.front() = before;
      }
      if constexpr (!std::is_same_v<T, Out>)
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(results[i]);
    }
  }

  Op op_;
  options<A> options_;
  cpu on_;
  std::size_t size_ = 0;
  std::optional<reduce_stream<T, Op, cpu>> reduced_;
  std::optional<scan_stream<T, Op, cpu>> scanned_;
  std::optional<part> part_;
  std::unique_ptr<device_reduction> reduced_on_gpu_;
  std::unique_ptr<device_scan> scanned_on_gpu_;
  std::vector<T> results_;
  T last_{};  // the latest inclusive result on the GPU
};

}  // namespace upsweep::cli
