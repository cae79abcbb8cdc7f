/// From the columns of a chunk to those of a stream, and what is said of missing results.
#include <cli/engine/stream_aggregate.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
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
    throw io::usage_error(fmt::format(
        "{}: the first result of an exclusive scan is undefined; give --init.", shape_.use));
  in_.clear();
  for (auto const& column : values) in_.push_back(column.bytes.data());
  stream_->scan(kind, in_, values[0].size(), out);
}

void stream_aggregate::result_into(std::span<void* const> out) {
  if (!has_result())
    throw io::data_error(fmt::format("{}: there are no values and hence no result; give {}.",
                                     shape_.use,
                                     shape_.takes_initial ? "--init" : "at least one value"));
  stream_->result(out);
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

}  // namespace upsweep::cli
