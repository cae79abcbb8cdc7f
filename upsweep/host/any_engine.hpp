/// Engines, operators and totals of which a schedule knows only the accumulator's type. The code
/// for several threads is then compiled once for each such type, not for each kind of call. It
/// calls them once a tile.
#pragma once

#include <cstddef>
#include <type_traits>

namespace upsweep::host {

/// A reference to an operator.
template <class A>
class any_operation {
 public:
  template <class Op>
  static any_operation of(Op const& op) {
    if constexpr (std::is_function_v<Op>)
      return {reinterpret_cast<void const*>(&op), combination_by<Op>};
    else
      return {__builtin_addressof(op), combination_by<Op>};
  }
  A operator()(A const& earlier, A const& later) const { return combine_(op_, earlier, later); }

 private:
  using function = A (*)(void const* op, A const& earlier, A const& later);
  template <class Op>
  static A combination_by(void const* by, A const& earlier, A const& later) {
    if constexpr (std::is_function_v<Op>)
      return static_cast<A>(reinterpret_cast<Op*>(const_cast<void*>(by))(earlier, later));
    else
      return static_cast<A>((*static_cast<Op const*>(by))(earlier, later));
  }
  any_operation(void const* op, function combine) : op_(op), combine_(combine) {}

  void const* op_;
  function combine_;
};

/// A reference to what computes the totals of blocks.
template <class A>
class any_totals {
 public:
  template <class Totals>
  static any_totals of(Totals const& totals) {
    any_totals made;
    made.totals_ = __builtin_addressof(totals);
    made.total_ = total_of<Totals>;
    if constexpr (requires(A const& a) { totals.is_final(a); })
      made.is_final_ = is_final_of<Totals>;
    return made;
  }
  A operator()(std::size_t position, int k) const { return total_(totals_, position, k); }
  [[nodiscard]] bool is_final(A const& a) const {
    return is_final_ != nullptr && is_final_(totals_, a);
  }

 private:
  any_totals() = default;
  template <class Totals>
  static A total_of(void const* by, std::size_t position, int k) {
    return static_cast<A>((*static_cast<Totals const*>(by))(position, k));
  }
  template <class Totals>
  static bool is_final_of(void const* by, A const& a) {
    return static_cast<bool>(static_cast<Totals const*>(by)->is_final(a));
  }

  void const* totals_ = nullptr;
  A (*total_)(void const* totals, std::size_t position, int k) = nullptr;
  bool (*is_final_)(void const* totals, A const& a) = nullptr;
};

/// The functions of a scan's engine.
template <class A>
struct engine_functions {
  A (*up)(void* engine, std::size_t position, int k);
  void (*down)(void* engine, std::size_t position, int k, A const* before, A const& after);
  void (*expect)(void* engine, std::size_t position);  ///< null: it does not prefetch
  bool keeps_nothing;   ///< between up() and down(), which any two threads may then call
  bool repeats_totals;  ///< up() may be called for any tile at any time

  template <class Engine>
  static constexpr engine_functions of() {
    constexpr bool has_nothing = requires { Engine::keeps_nothing; };
    constexpr bool has_repeats = requires { Engine::repeats_totals; };
    engine_functions f{up_of<Engine>, down_of<Engine>, nullptr, has_nothing, has_repeats};
    if constexpr (requires(Engine& engine) { engine.expect(std::size_t{}); })
      f.expect = expect_of<Engine>;
    return f;
  }

 private:
  template <class Engine>
  static A up_of(void* engine, std::size_t position, int k) {
    return static_cast<A>(static_cast<Engine*>(engine)->up(position, k));
  }
  template <class Engine>
  static void down_of(void* engine, std::size_t position, int k, A const* before, A const& after) {
    static_cast<Engine*>(engine)->down(position, k, before, after);
  }
  template <class Engine>
  static void expect_of(void* engine, std::size_t position) {
    static_cast<Engine*>(engine)->expect(position);
  }
};

/// A reference to an engine, which belongs to one thread.
template <class A>
class any_engine {
 public:
  any_engine(void* engine, engine_functions<A> const& functions)
      : engine_(engine), functions_(functions) {}

  A up(std::size_t position, int k) const { return functions_.up(engine_, position, k); }
  void down(std::size_t position, int k, A const* before, A const& after) const {
    functions_.down(engine_, position, k, before, after);
  }
  void expect(std::size_t position) const { functions_.expect(engine_, position); }

 private:
  void* engine_;
  engine_functions<A> const& functions_;
};

/// A reference to a scan, from which each thread makes its engine, and to the operator.
template <class A>
class any_scan {
 public:
  template <class Engine, class Scan, class Op>
  static any_scan of(Scan const& scan, Op const& op) {
    return {__builtin_addressof(scan), make_engine<Engine, Scan>, functions_of<Engine>,
            any_operation<A>::of(op)};
  }

  /// Calls f(engine) with a new engine.
  template <class F>
  void with_engine(F& f) const {
    make_(scan_, &f, call<F>);
  }
  [[nodiscard]] any_operation<A> const& operation() const { return op_; }
  [[nodiscard]] bool fetches_ahead() const { return functions_.expect != nullptr; }
  [[nodiscard]] bool keeps_nothing() const { return functions_.keeps_nothing; }
  [[nodiscard]] bool repeats_totals() const { return functions_.repeats_totals; }

 private:
  using use_engine = void (*)(void* context, any_engine<A> engine);
  using make_function = void (*)(void const* scan, void* context, use_engine use);
  template <class Engine>
  static constexpr auto functions_of = engine_functions<A>::template of<Engine>();
  template <class Engine, class Scan>
  static void make_engine(void const* from, void* context, use_engine use) {
    Engine engine(*static_cast<Scan const*>(from));
    use(context, {&engine, functions_of<Engine>});
  }
  template <class F>
  static void call(void* context, any_engine<A> engine) {
    (*static_cast<F*>(context))(engine);
  }
  any_scan(void const* scan, make_function make, engine_functions<A> const& functions,
           any_operation<A> op)
      : scan_(scan), make_(make), functions_(functions), op_(op) {}

  void const* scan_;
  make_function make_;
  engine_functions<A> const& functions_;
  any_operation<A> op_;
};

}  // namespace upsweep::host
