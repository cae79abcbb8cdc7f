/// Engines, operators and totals of which a schedule knows only the accumulator's type. The code
/// for several threads is then compiled once for each such type, not for each kind of call. It
/// calls them once a tile.
#pragma once

#include <cstddef>
#include <type_traits>

namespace upsweep::host {

/// An operator.
template <class A>
class any_operation {
 public:
  virtual A operator()(A const& earlier, A const& later) const = 0;

 protected:
  ~any_operation() = default;
};
template <class A, class Op>
class operation_as final : public any_operation<A> {
 public:
  explicit operation_as(Op const& op) : op_(op) {}
  A operator()(A const& earlier, A const& later) const override {
    return static_cast<A>(op_(earlier, later));
  }

 private:
  Op const& op_;
};

/// What computes the totals of blocks.
template <class A>
class any_totals {
 public:
  virtual A operator()(std::size_t position, int k) const = 0;
  [[nodiscard]] virtual bool is_final(A const& total) const = 0;

 protected:
  ~any_totals() = default;
};
template <class A, class Totals>
class totals_as final : public any_totals<A> {
 public:
  explicit totals_as(Totals const& totals) : totals_(totals) {}
  A operator()(std::size_t position, int k) const override {
    return static_cast<A>(totals_(position, k));
  }
  [[nodiscard]] bool is_final([[maybe_unused]] A const& total) const override {
    if constexpr (requires { totals_.is_final(total); })
      return static_cast<bool>(totals_.is_final(total));
    else
      return false;
  }

 private:
  Totals const& totals_;
};

/// The engine of one thread.
template <class A>
class any_engine {
 public:
  virtual A up(std::size_t position, int k) = 0;
  virtual void down(std::size_t position, int k, A const* before, A const& after) = 0;
  /// The next tile begins at `position`: an engine may prefetch it during down().
  virtual void expect(std::size_t position) = 0;

 protected:
  ~any_engine() = default;
};

/// A scan, from which each thread makes its engine, and its operator.
template <class A>
class any_scan {
 public:
  any_operation<A> const& operation;
  bool keeps_nothing;   ///< between up() and down(), which any two threads may then call
  bool repeats_totals;  ///< up() may be called for any tile at any time
  bool fetches_ahead;   ///< expect() does something

  /// Calls f(engine) with a new engine.
  template <class F>
  void with_engine(F& f) const {
    make_engine([](void* by, any_engine<A>& engine) { (*static_cast<F*>(by))(engine); }, &f);
  }

 protected:
  using use_engine = void (*)(void* by, any_engine<A>& engine);
  explicit any_scan(any_operation<A> const& op, bool nothing, bool repeats, bool ahead)
      : operation(op), keeps_nothing(nothing), repeats_totals(repeats), fetches_ahead(ahead) {}
  ~any_scan() = default;
  virtual void make_engine(use_engine use, void* by) const = 0;
};
template <class A, class Engine, class Scan>
class scan_as final : public any_scan<A> {
  static constexpr bool has_expect = requires(Engine& engine) { engine.expect(std::size_t{}); };

  class engine_as final : public any_engine<A> {
   public:
    explicit engine_as(Scan const& scan) : engine_(scan) {}
    A up(std::size_t position, int k) override { return static_cast<A>(engine_.up(position, k)); }
    void down(std::size_t position, int k, A const* before, A const& after) override {
      engine_.down(position, k, before, after);
    }
    void expect([[maybe_unused]] std::size_t position) override {
      if constexpr (has_expect) engine_.expect(position);
    }

   private:
    Engine engine_;
  };

 public:
  scan_as(Scan const& scan, any_operation<A> const& op)
      : any_scan<A>(
            op, requires { Engine::keeps_nothing; }, requires { Engine::repeats_totals; },
            has_expect),
        scan_(scan) {}

 private:
  void make_engine(typename any_scan<A>::use_engine use, void* by) const override {
    engine_as engine(scan_);
    use(by, engine);
  }

  Scan const& scan_;
};

}  // namespace upsweep::host
