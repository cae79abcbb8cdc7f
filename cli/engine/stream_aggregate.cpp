/// From the columns of a chunk to those of a stream of the library or of a GPU, and what is said of
/// missing results and of what a GPU does not have.
#include <cli/engine/device_stream.hpp>
#include <cli/engine/stream_aggregate.hpp>
#include <io/error.hpp>
#include <upsweep/names/compiled.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace upsweep::cli {

dynamic::stream_options stream_options_of(aggregate_settings const& settings, void const* initial) {
  dynamic::stream_options how{
      .on = {.threads = settings.threads},
      .mode = settings.mode,
      .use = settings.scans ? dynamic::stream_use::scan : dynamic::stream_use::reduce,
      .initial = initial};
  if (settings.of_piece != piece::none && !settings.scans) how.use = dynamic::stream_use::piece;
  return how;
}

stream_aggregate::stream_aggregate(dynamic::stream_pointer stream, stream_shape shape,
                                   aggregate_settings const& settings)
    : aggregate(shape.takes, std::move(shape.fields)),
      stream_(std::move(stream)),
      shape_(std::move(shape)),
      from_end_(settings.from_end),
      in_piece_(settings.of_piece != piece::none && !settings.scans),
      rows_before_(settings.rows_before) {}

void stream_aggregate::initialize(std::uint64_t first_row) {
  first_row_ = first_row + rows_before_;
  stream_->restart(first_row_);
  if (in_piece_) first_row_ = 0;
}

void stream_aggregate::number(std::span<std::uint64_t const> rows) {
  numbers_ = rows;
  numbered_from_ = stream_->position();
}

void stream_aggregate::update(std::span<io::typed_column const> values) {
  in_.clear();
  for (auto const& column : values) in_.push_back(column.bytes.data());
  stream_->push(in_, values[0].size());
}

void stream_aggregate::scan_into(scan_kind kind, std::span<io::typed_column const> values,
                                 std::span<void* const> out) {
  bool const has_first = shape_.first_has_value || stream_->has_initial() || !stream_->empty();
  if (kind == scan_kind::exclusive && !has_first)
    throw io::usage_error("{}: the first result of an exclusive scan is undefined; give --init.",
                          shape_.use);
  in_.clear();
  for (auto const& column : values) in_.push_back(column.bytes.data());
  stream_->scan(kind, in_, values[0].size(), out);
}

void stream_aggregate::result_into(std::span<void* const> out) {
  if (!has_result())
    throw io::data_error("{}: there are no values and hence no result; give {}.", shape_.use,
                         shape_.takes_initial ? "--init" : "at least one value");
  stream_->result(out);
}

std::uint64_t stream_aggregate::result_in_64_bits() {
  std::uint64_t found = 0;
  result_into(std::array<void*, 1>{&found});
  return found;
}

/// store(out) stores n rows, which become those of `results`.
template <class F>
void stream_aggregate::append_rows(std::size_t n, std::span<column_buffer> results,
                                   F const& store) {
  out_.clear();
  column_buffer wide(shape_.gives.value_or(results[0].type()));
  bool const converts = wide.type() != results[0].type();
  for (auto& column : results) {
    auto& to = converts ? wide : column;
    std::size_t const before = to.size();
    to.resize(before + n);
    out_.push_back(to.bytes() + before * size_of(to.type()));
  }
  store(std::span<void* const>(out_));
  if (converts) results[0].append(wide.view());
}

void stream_aggregate::scan(scan_kind kind, std::span<io::typed_column const> values,
                            std::span<column_buffer> results) {
  append_rows(values[0].size(), results,
              [&](std::span<void* const> out) { scan_into(kind, values, out); });
}

void stream_aggregate::finalize(std::span<column_buffer> results) {
  append_rows(1, results, [&](std::span<void* const> out) { result_into(out); });
}

bool stream_aggregate::has_result() const noexcept {
  return !shape_.needs_values || stream_->has_initial() || !stream_->empty();
}

void stream_aggregate::save(saved_state& to) const {
  put(to, first_row_);
  stream_->save(to);
}

void stream_aggregate::load(saved_reader& from) {
  initialize(from.take<std::uint64_t>() - rows_before_);
  saved_reader ahead = from;
  from.skip(stream_->resume(ahead.take_bytes(ahead.rest())));
}

void stream_aggregate::serialize(saved_state& to) const {
  auto const part = stream_->part();
  put(to, part.begin);
  put(to, part.end);
  put_counted(to, std::span<std::byte const>(part.totals));
}

void stream_aggregate::combine(saved_reader& from) {
  dynamic::stream_part part;
  part.begin = from.take<std::size_t>();
  part.end = from.take<std::size_t>();
  from.take_counted(part.totals);
  stream_->append(part);
  first_row_ = 0;
}

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
  throw io::usage_error("--on cuda does not support {} over {}; omit --on, or use one of {}", name,
                        type, list);
}

}  // namespace upsweep::cli
