/// drawdown, session and run: exact operators that follow a sequence, from value to value.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/parameters.hpp>
#include <cli/engine/texts.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/sessions.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::cli {

namespace {

/// An operator that is exact, so that a loop has the bits of the combine tree. Without a value it
/// has no result if it `needs_value`.
template <class Op, class T, class Out>
class sequence_aggregate final : public aggregate {
 public:
  using state = typename Op::template accumulator<T>;
  sequence_aggregate(Op op, std::string name, bool needs_value, Out (*result_of)(state const&))
      : aggregate(dynamic::dtype_of<T>, {{std::move(name), dynamic::dtype_of<Out>}}),
        op_(op),
        needs_value_(needs_value),
        result_of_(result_of) {}

  void initialize(std::uint64_t /*first_row*/) override { state_ = {}; }
  void update(std::span<io::typed_column const> values) override {
    for (T const x : values[0].as<T>()) state_ = op_(state_, op_.lift(x));
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const x = values[0].as<T>();
    auto const out = results[0].template extend<Out>(x.size());
    if (kind == scan_kind::exclusive && !has_result())
      throw io::usage_error(
          "{}: the first result of an exclusive scan is undefined; omit --exclusive.",
          fields()[0].name);
    for (std::size_t i = 0; i < x.size(); ++i) {
      state const next = op_(state_, op_.lift(x[i]));
      out[i] = result_of_(kind == scan_kind::inclusive ? next : state_);
      state_ = next;
    }
  }
  void finalize(std::span<column_buffer> results) override {
    if (!has_result()) refuse_empty(fields()[0].name);
    results[0].push(result_of_(state_));
  }
  [[nodiscard]] bool has_result() const noexcept override {
    return !needs_value_ || state_.count > 0;
  }
  void save(saved_state& to) const override { put(to, state_); }
  void load(saved_reader& from) override { state_ = from.template take<state>(); }
  [[nodiscard]] bool takes_piece(piece /*of*/) const noexcept override { return true; }
  void serialize(saved_state& to) const override { put_value(to, state_); }
  void combine(saved_reader& from) override {
    state_ = op_(state_, from.template take_value<state>());
  }

 private:
  Op op_;
  bool needs_value_;
  Out (*result_of_)(state const&);
  state state_ = {};
};

template <class T>
std::uint64_t count_of(sequence_state<T> const& s) {
  return s.count;
}

/// drawdown over integers of 64 bits, which double may not hold, unlike their distances, which are
/// rounded once.
template <class T>
struct drawdown_of_integers {
  struct state {
    std::uint64_t count = 0;
    T highest = 0, lowest = 0, latest = 0;
    std::uint64_t deepest = 0;

    /// The distance of a later value below an earlier one, which is below 2^64.
    [[nodiscard]] static std::uint64_t below(T earlier, T later) {
      return earlier <= later
                 ? 0
                 : static_cast<std::uint64_t>(earlier) - static_cast<std::uint64_t>(later);
    }
    [[nodiscard]] double fall() const { return static_cast<double>(below(highest, latest)); }
    [[nodiscard]] double relative_fall() const {
      return integer_quotient(below(highest, latest), highest);
    }
  };
  template <class>
  using accumulator = state;

  [[nodiscard]] state lift(T x) const { return {1, x, x, x, 0}; }
  [[nodiscard]] state operator()(state const& earlier, state const& later) const {
    if (earlier.count == 0) return later;
    if (later.count == 0) return earlier;
    return {
        earlier.count + later.count, std::max(earlier.highest, later.highest),
        std::min(earlier.lowest, later.lowest), later.latest,
        std::max({earlier.deepest, later.deepest, state::below(earlier.highest, later.lowest)})};
  }
};

/// sessions over integers of 64 bits, whose distances double may not hold.
template <class T>
struct sessions_of_integers {
  int128 gap;

  template <class>
  using accumulator = sequence_state<T>;

  [[nodiscard]] sequence_state<T> lift(T x) const { return {x, x, 1}; }
  [[nodiscard]] sequence_state<T> operator()(sequence_state<T> const& earlier,
                                             sequence_state<T> const& later) const {
    return detail::joined(earlier, later, int128{later.first} - int128{earlier.last} > gap);
  }
};

template <class T>
std::unique_ptr<aggregate> make_sessions_of(operator_use const& use) {
  auto const gap = session_gap(use);
  auto const largest = static_cast<int128>(std::min(gap.number, 0x1p65));  // more than any distance
  return std::make_unique<sequence_aggregate<sessions_of_integers<T>, T, std::uint64_t>>(
      sessions_of_integers<T>{gap.whole ? int128{*gap.whole} : largest}, use.written(), false,
      count_of<T>);
}

template <class Op, class T>
std::unique_ptr<aggregate> make_drawdown_of(operator_use const& use) {
  using state = typename Op::template accumulator<T>;
  double (*const result)(state const&) =
      use.name == "drawdown" ? [](state const& d) { return d.fall(); }
      : use.name == "relative-drawdown"
          ? [](state const& d) { return d.relative_fall() + 0.0; }  // not -0, as of integers
          : [](state const& d) { return static_cast<double>(d.deepest); };
  return std::make_unique<sequence_aggregate<Op, T, double>>(Op{}, use.name, true, result);
}

}  // namespace

std::unique_ptr<aggregate> make_drawdown(operator_use const& use, io::dtype type,
                                         aggregate_settings const& /*settings*/) {
  if (type == io::dtype::i64)
    return make_drawdown_of<drawdown_of_integers<std::int64_t>, std::int64_t>(use);
  if (type == io::dtype::u64)
    return make_drawdown_of<drawdown_of_integers<std::uint64_t>, std::uint64_t>(use);
  return make_drawdown_of<drawdown, double>(use);
}

std::unique_ptr<aggregate> make_session(operator_use const& use, io::dtype type,
                                        aggregate_settings const& /*settings*/) {
  if (type == io::dtype::i64) return make_sessions_of<std::int64_t>(use);
  if (type == io::dtype::u64) return make_sessions_of<std::uint64_t>(use);
  return std::make_unique<sequence_aggregate<sessions<double>, double, std::uint64_t>>(
      sessions<double>{session_gap(use).number}, use.written(), false, count_of<double>);
}

std::unique_ptr<aggregate> make_run_number(operator_use const& use, io::dtype type,
                                           aggregate_settings const& /*settings*/) {
  return with_compute_type(compute_type(type), [&]<class T>() -> std::unique_ptr<aggregate> {
    return std::make_unique<sequence_aggregate<run_number, T, std::uint64_t>>(
        run_number{}, use.name, false, count_of<T>);
  });
}

std::optional<time_span> read_span(std::string const& text) {
  struct unit {
    std::string_view name;
    double seconds;
  };
  static constexpr unit units[] = {{"", 1},     {"ms", 1e-3}, {"s", 1},
                                   {"min", 60}, {"h", 3600},  {"d", 86400}};
  std::size_t const end = text.find_last_of("0123456789.") + 1;  // 0: there is none
  auto const* const found =
      std::ranges::find(units, std::string_view(text).substr(end), &unit::name);
  std::string const digits = text.substr(0, end);
  if (found == std::end(units) || !io::is_number(digits)) return {};
  double number = 0;
  io::parse_option_number(digits, io::dtype::f64, &number, "--op");
  time_span span{number * found->seconds, !found->name.empty()};
  std::uint64_t whole = 0;
  if (!span.has_unit && io::parse_number(digits, io::dtype::u64, &whole) == io::parsed::good)
    span.whole = whole;
  return span;
}

time_span session_gap(operator_use const& use) {
  auto const gap = read_span(use.parameter);
  if (!gap || !(gap->number >= 0))
    throw io::usage_error(
        "--op session:{}: give the longest gap inside a session, a number in the unit of the "
        "column, or with a unit of ms, s, min, h or d, as in session:30min:time.",
        use.parameter);
  return *gap;
}

}  // namespace upsweep::cli
