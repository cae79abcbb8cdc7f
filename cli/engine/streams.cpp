/// The operators of the library that the tool has: a row for each, with the types in which it takes
/// values and gives results.
#include <cli/engine/dispatch.hpp>
#include <cli/engine/stream_aggregate.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/core/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// What an operator takes and gives for values of some type.
enum class typing : std::uint8_t {
  sums,               ///< reads narrow values as they are, and gives wide ones
  values,             ///< gives values
  first,              ///< the same, but takes wide ones
  bits,               ///< the same of integers
  integers,           ///< of 64 bits, both
  unsigned_integers,  ///< gives u64
  booleans,
  floats,
  decimals,  ///< takes wide values and gives floats
  wide,      ///< both
  rows       ///< gives numbers of rows
};

struct streamed {
  catalog::id op;
  typing types;
  bool needs_values = false, takes_initial = true;
  catalog::id of_integers = op;  ///< integers have no NaN
};

constexpr streamed table[] = {
    {catalog::id::sum, typing::sums},
    {catalog::id::product, typing::sums},
    {catalog::id::min, typing::values, true},
    {catalog::id::max, typing::values, true},
    {catalog::id::min_number, typing::values, true, true, catalog::id::min},
    {catalog::id::max_number, typing::values, true, true, catalog::id::max},
    {catalog::id::bit_and, typing::bits, true},
    {catalog::id::bit_or, typing::bits},
    {catalog::id::bit_xor, typing::bits},
    {catalog::id::all, typing::booleans},
    {catalog::id::any, typing::booleans},
    {catalog::id::parity, typing::booleans},
    {catalog::id::argmin, typing::rows, true, false},
    {catalog::id::argmax, typing::rows, true, false},
    {catalog::id::argmin_last, typing::rows, true, false},
    {catalog::id::argmax_last, typing::rows, true, false},
    {catalog::id::gcd, typing::unsigned_integers},
    {catalog::id::checked_sum, typing::integers},
    {catalog::id::checked_product, typing::integers},
    {catalog::id::exact_sum, typing::decimals},
    {catalog::id::first, typing::first, true},
    {catalog::id::last, typing::first, true},
    {catalog::id::log_sum_exp, typing::floats},
    {catalog::id::affine, typing::wide},
    {catalog::id::matrix2x2, typing::wide, false, false}};

/// Every operator of the catalog has a row, except those of text or with several results.
constexpr bool has_every_operator() {
  using several = dynamic::types<minmax, moments, central_moments, comoments, weighted_moments>;
  bool has_all = true;
  catalog::for_each_row([&]<class Op>(catalog::row<Op> const& entry) {
    if constexpr (!dynamic::is_in<Op, several> && !std::is_same_v<Op, concat>)
      has_all = has_all && std::ranges::find(table, entry.id, &streamed::op) != std::end(table);
  });
  return has_all;
}
static_assert(has_every_operator(), "an operator of the catalog has no row in the table above");

/// The type in which `op` gets values of `type`: as narrow as they are, or on a GPU without kernels
/// for such elements the wide one, in which they have the same bits.
io::dtype taken_type(catalog::id op, aggregate_settings const& settings, io::dtype type) {
  if (settings.of_piece != piece::none) return compute_type(type);  // fewer types are compiled
  return settings.on_gpu == nullptr || is_on_gpu(op, type) ? type : compute_type(type);
}

bool is_of_integers(typing types) {
  return types == typing::bits || types == typing::integers || types == typing::unsigned_integers;
}

struct types_of_use {
  io::dtype takes, gives;
};
types_of_use types_for(streamed const& row, operator_use const& use, io::dtype type,
                       aggregate_settings const& settings) {
  io::dtype const wide = compute_type(type);
  io::dtype const value = io::is_float(type) ? wide : type;
  if (is_of_integers(row.types) && io::is_float(type))
    throw io::usage_error(
        "{}: takes integers, but the values are {}; choose an integer type with --dtype.", use.name,
        name_of(type));
  switch (row.types) {
    case typing::sums:
      return {settings.scans ? wide : taken_type(row.op, settings, type), wide};
    case typing::values: {
      // Vector kernels read narrow integers, which are not widened.
      io::dtype const taken = taken_type(row.of_integers, settings, type);
      return {io::is_integer(taken) ? taken : compute_type(taken), value};
    }
    case typing::first:
      return {wide, value};
    case typing::bits:
      return {settings.of_piece == piece::none && io::is_integer(type) ? type : wide, type};
    case typing::integers:
      return {wide, wide};
    case typing::unsigned_integers:
      return {wide, io::dtype::u64};
    case typing::booleans:
      return {io::dtype::boolean, io::dtype::boolean};
    case typing::floats: {
      io::dtype const given = wide == io::dtype::f32 ? io::dtype::f32 : io::dtype::f64;
      return {given, given};
    }
    case typing::decimals:
      return {wide, wide == io::dtype::f32 ? io::dtype::f32 : io::dtype::f64};
    case typing::rows:  // the conversion from f32 to f64 preserves the order
      return {io::is_float(type) ? io::dtype::f64 : wide, io::dtype::i64};
    default:
      return {wide, wide};
  }
}

/// --init, parsed as a value of one type and converted to another.
std::optional<column_buffer> initial_number(aggregate_settings const& settings, io::dtype parsed,
                                            io::dtype type) {
  if (!settings.initial) return {};
  std::byte value[16];
  io::parse_option_number(*settings.initial, parsed, value, "--init");
  column_buffer number(type);
  number.append({parsed, std::span<std::byte const>(value, size_of(parsed))});
  return number;
}

/// Results that are row numbers: argmin and similar. -1 means no row. A value of an earlier call
/// can only be the result if it was the result then, so only that row is remembered.
class row_aggregate final : public stream_aggregate {
 public:
  using stream_aggregate::stream_aggregate;

  void update(std::span<io::typed_column const> values) override {
    stream_aggregate::update(values);
    best_ = row(result_in_64_bits());
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    rows_.resize(values[0].size());
    scan_into(kind, values, std::array<void*, 1>{rows_.data()});
    auto const out = results[0].extend<std::int64_t>(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = row(rows_[i]);
    best_ = row(result_in_64_bits());
  }
  void finalize(std::span<column_buffer> results) override {
    static_cast<void>(result_in_64_bits());  // throws if there are no values
    results[0].push(best_);
  }
  void save(saved_state& to) const override {
    stream_aggregate::save(to);
    put(to, best_);
  }
  void load(saved_reader& from) override {
    stream_aggregate::load(from);
    best_ = from.take<std::int64_t>();
  }
  void serialize(saved_state& to) const override {
    stream_aggregate::serialize(to);
    put(to, best_);
  }
  void combine(saved_reader& from) override {
    bool const had = position() > 0 && has_result();
    auto const before = had ? result_in_64_bits() : no_index;
    stream_aggregate::combine(from);
    auto const later = from.take<std::int64_t>();
    if (!had || result_in_64_bits() != before) best_ = later;
  }

 private:
  [[nodiscard]] std::int64_t row(std::uint64_t index) const {
    if (index == no_index) return -1;
    return is_past(index) ? best_ : static_cast<std::int64_t>(row_of(index));
  }
  std::int64_t best_ = -1;
  std::vector<std::uint64_t> rows_;
};

/// checked-sum and checked-product: the total in 64 bits, or an error that names the row at which
/// it overflows. In a piece that depends on the rows before it: its total is checked when the
/// pieces are joined.
class checked_aggregate final : public stream_aggregate {
 public:
  using stream_aggregate::stream_aggregate;

  /// A chunk whose total overflows is reduced again, row by row, to find the row.
  void update(std::span<io::typed_column const> values) override {
    if (in_piece()) return stream_aggregate::update(values);
    std::uint64_t before = result_in_64_bits();
    std::uint64_t const first = position();
    try {
      stream_aggregate::update(values);
      (void)result_in_64_bits();
    } catch (overflow_error const&) {
      overflow(first + (takes() == io::dtype::i64 ? fitting<std::int64_t>(before, values[0])
                                                  : fitting<std::uint64_t>(before, values[0])));
    }
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    try {
      stream_aggregate::scan(kind, values, results);
    } catch (overflow_error const& e) {
      overflow(e.index());
    }
  }
  void finalize(std::span<column_buffer> results) override {
    try {
      stream_aggregate::finalize(results);
    } catch (overflow_error const&) {
      overflow("in these pieces");
    }
  }

 private:
  [[nodiscard]] bool sums() const { return fields()[0].name == "checked-sum"; }
  /// How many values, of which some do not fit, fit after a total.
  template <class T>
  [[nodiscard]] std::uint64_t fitting(std::uint64_t before, io::typed_column values) const {
    auto const x = values.as<T>();
    auto total = static_cast<T>(before);
    std::uint64_t count = 0;
    while (!(sums() ? __builtin_add_overflow(total, x[count], &total)
                    : __builtin_mul_overflow(total, x[count], &total)))
      ++count;
    return count;
  }
  [[noreturn]] void overflow(std::uint64_t index) const {
    overflow(fmt::format("at row {} (counted from 0)", row_of(index)));
  }
  [[noreturn]] void overflow(std::string const& where) const {
    auto const* const kind = sums() ? "sum" : "product";
    throw io::tool_error(6, fmt::format("{}: the {} overflows {} {}; --dtype f64 rounds instead, "
                                        "and --op {} wraps.",
                                        fields()[0].name, kind, name_of(takes()), where, kind));
  }
};

/// The operator that is meant where rows come from the end, so that ties are resolved the other
/// way.
catalog::id turned(catalog::id op) {
  constexpr catalog::id other[][2] = {{catalog::id::argmin, catalog::id::argmin_last},
                                      {catalog::id::argmax, catalog::id::argmax_last}};
  for (auto const& [first, last] : other)
    if (op == first || op == last) return op == first ? last : first;
  return op;
}

}  // namespace

bool takes_only_integers(catalog::id op) noexcept {
  auto const* const row = std::ranges::find(table, op, &streamed::op);
  return row != std::end(table) && is_of_integers(row->types);
}

std::unique_ptr<aggregate> make_streamed(catalog::id op, operator_use const& use, io::dtype type,
                                         aggregate_settings const& settings) {
  auto const* const row = std::ranges::find(table, op, &streamed::op);
  if (!row->takes_initial) refuse_initial(use.name, settings);
  auto const [takes, gives] = types_for(*row, use, type, settings);
  auto const id = takes < io::dtype::f16 ? row->of_integers : row->op;
  auto const* const stream = dynamic::find_stream(settings.from_end ? turned(id) : id, takes);
  if (stream == nullptr) {
    dispatch(takes, []<class T>() {});  // f16, which this compiler may lack
    throw std::logic_error("streams: an operator of the table has no stream over such values");
  }
  bool const counts_in_integers = !io::is_float(takes) && io::is_float(gives);
  auto initial = initial_number(settings, counts_in_integers ? takes : gives, stream->initial);
  stream_shape shape{.takes = takes,
                     .fields = {{use.name, gives}},
                     .use = use.name,
                     .needs_values = row->needs_values,
                     .takes_initial = row->takes_initial,
                     .exact = stream->exact,
                     .first_has_value = stream->first_has_value,
                     .gives = stream->result};
  if (op == catalog::id::matrix2x2) {
    shape.fields.assign(4, {"", gives});
    for (std::size_t e = 0; e < 4; ++e) shape.fields[e].name = use.name + "." + "abcd"[e];
  }
  auto opened = open_stream(*stream, settings, initial ? initial->bytes() : nullptr, use.name);
  if (row->types == typing::rows)
    return std::make_unique<row_aggregate>(std::move(opened), std::move(shape), settings);
  if (op == catalog::id::checked_sum || op == catalog::id::checked_product)
    return std::make_unique<checked_aggregate>(std::move(opened), std::move(shape), settings);
  return std::make_unique<stream_aggregate>(std::move(opened), std::move(shape), settings);
}

std::unique_ptr<aggregate> make_exponential_average(operator_use const& use, io::dtype type,
                                                    aggregate_settings const& settings) {
  io::dtype const takes = compute_type(type) == io::dtype::f32 ? io::dtype::f32 : io::dtype::f64;
  column_buffer weight(io::dtype::f64), parsed(takes);
  parsed.resize(1);
  io::parse_option_number(use.parameter, takes, parsed.bytes(), "--op ema:WEIGHT");
  weight.append(parsed.view());
  double const share = weight.view().as<double>()[0];
  if (!(share > 0 && share <= 1))
    throw io::usage_error(
        "--op ema:{}: the weight of the newest value must be above 0 and at most 1; try ema:0.1.",
        use.parameter);
  auto initial = initial_number(settings, takes, takes);
  if (settings.on_gpu != nullptr) refuse_on_gpu("ema", name_of(takes));
  stream_shape shape{.takes = takes,
                     .fields = {{"ema:" + use.parameter, takes}},
                     .use = "ema",
                     .needs_values = true,
                     .first_has_value = false};
  return std::make_unique<stream_aggregate>(
      dynamic::stream_of_average(takes, share,
                                 stream_options_of(settings, initial ? initial->bytes() : nullptr)),
      std::move(shape), settings);
}

std::unique_ptr<aggregate> make_recurrence(operator_use const& use, io::dtype /*type*/,
                                           aggregate_settings const& settings) {
  std::string const written = use.written();
  std::vector<double> a;
  for (std::size_t begin = 0; begin <= use.parameter.size();) {
    std::size_t const end = std::min(use.parameter.find(':', begin), use.parameter.size());
    a.emplace_back();
    io::parse_option_number(use.parameter.substr(begin, end - begin), io::dtype::f64, &a.back(),
                            "--op " + written);
    if (!(a.back() - a.back() == 0))
      throw io::usage_error("--op {}: coefficients must be finite.", written);
    begin = end + 1;
  }
  if (a.size() > dynamic::largest_recurrence)
    throw io::usage_error("--op {}: at most four coefficients.", written);
  stream_shape shape{
      .takes = io::dtype::f64, .fields = {{written, io::dtype::f64}}, .use = use.name};
  return std::make_unique<stream_aggregate>(
      dynamic::stream_of_recurrence(a, stream_options_of(settings)), std::move(shape), settings);
}

}  // namespace upsweep::cli
