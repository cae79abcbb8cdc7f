/// The operator as emulated kernels receive it: any monoid, type-erased, with its applications
/// counted.
#pragma once

#include <upsweep/ops/monoid.hpp>
#include <upsweep/sim/hook_calls.hpp>

#include <cstdint>
#include <type_traits>

namespace upsweep::sim {

namespace hooks {
/// Counts one application, logs it as an event of the running lane, and calls `combine(op, earlier,
/// later)`, which leaves the result in `earlier`. `pc` is an address in the kernel.
void apply(void (*combine)(void const*, void*, void const*), void const* op, void* earlier,
           void const* later, layout type, std::uint64_t pc);
}  // namespace hooks

/// A type-erased monoid over values of type T, so that a kernel is compiled once per type. It
/// refers to the operator from which it was made, which must outlive the launches.
template <class T>
class operation {
 public:
  template <class Op>
    requires(monoid_over<Op, T> && !std::is_same_v<Op, operation>)
  explicit operation(Op const& op)
      : op_(&op), combine_(&combine<Op>), identity_(identity_of<T>(op)) {}
  template <class Op>
  explicit operation(Op const&& op)
    requires(std::is_empty_v<Op> && monoid_over<Op, T> && !std::is_same_v<Op, operation>)
      : op_(nullptr), combine_(&combine_stateless<Op>), identity_(identity_of<T>(op)) {}
  template <class Op>
  explicit operation(Op const&& op)
    requires(!std::is_empty_v<Op> && monoid_over<Op, T> && !std::is_same_v<Op, operation>)
  = delete;

#ifdef UPSWEEP_EMULATED
  [[nodiscard]] UPSWEEP_EMULATED_WORD T operator()(T earlier, T later) const {
    return applied(*this, earlier, later);
  }
#endif
  [[nodiscard, gnu::always_inline]] T identity() const { return identity_; }

 private:
#ifdef UPSWEEP_EMULATED
  /// The operands are in memory here only, where no access is reported.
  UPSWEEP_EMULATED_UNSEEN static T applied(operation const& op, T earlier, T later) {
    hooks::apply(op.combine_, op.op_, &earlier, &later, layout_of<T>, UPSWEEP_SIM_CALLER);
    return earlier;
  }
#endif
  template <class Op>
  static void combine(void const* op, void* earlier, void const* later) {
    *static_cast<T*>(earlier) = (*static_cast<Op const*>(op))(*static_cast<T const*>(earlier),
                                                              *static_cast<T const*>(later));
  }
  template <class Op>
  static void combine_stateless(void const*, void* earlier, void const* later) {
    *static_cast<T*>(earlier) =
        Op{}(*static_cast<T const*>(earlier), *static_cast<T const*>(later));
  }

  void const* op_;
  void (*combine_)(void const*, void*, void const*);
  T identity_;
};

}  // namespace upsweep::sim
