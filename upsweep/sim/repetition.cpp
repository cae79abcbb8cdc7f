/// Compares a suspended thread's stack, on which its registers are saved, with what it was some
/// barriers ago.
#include <upsweep/sim/repetition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::sim {

namespace {

/// What a suspended lane will go on with.
struct suspended_state {
  std::span<std::byte const> stack, variables;

  explicit suspended_state(lane const& l)
      : stack(static_cast<std::byte const*>(l.left.at), l.on->stack + l.on->stack_bytes),
        variables(saved_variables(*l.on)) {}
  void keep(std::vector<std::byte>& to) const {
    to.assign(stack.begin(), stack.end());
    to.insert(to.end(), variables.begin(), variables.end());
  }
  [[nodiscard]] bool equals(std::span<std::byte const> kept) const {
    return kept.size() == stack.size() + variables.size() &&
           std::ranges::equal(stack, kept.first(stack.size())) &&
           std::ranges::equal(variables, kept.subspan(stack.size()));
  }
};

/// Since the last forget_inputs() it has read nothing that others could change.
bool has_no_input(lane const& l) {
  return l.last_access == 0 && !l.has_input;
}

void forget_inputs(block& b) {
  for (lane& l : b.lanes) {
    if (l.last_access != 0) l.access_before = l.last_access;
    l.last_access = 0;
    l.has_input = false;
  }
  b.is_rare = true;
}

}  // namespace

lane const* repetition_watch::barrier_completed(block& b, position at, lane const* arriving) {
  unsigned const step = ++count_ % period;
  passes_ = at == last_place_ ? passes_ + 1 : 0;
  last_place_ = at;
  if (is_by_patience()) return arriving;
  if (step == 0) {
    suspect_ = nullptr;
    forget_inputs(b);
  } else if (step == until_chosen && count_ > period) {
    choose(b, arriving);
    at_ = at;
  } else if (step > until_chosen && step < until_done && suspect_ != nullptr) {
    if (!has_no_input(*suspect_)) suspect_ = nullptr;
    if (suspect_ != nullptr && at == at_ && suspect_ != arriving &&
        suspended_state(*suspect_).equals(stack_))
      return suspect_;
  }
  return nullptr;
}

void repetition_watch::choose(block& b, lane const* arriving) {
  for (warp const& w : b.warps)
    for (std::uint32_t rest = w.at_barrier; rest != 0; rest &= rest - 1) {
      lane const& l = w.lanes[__builtin_ctz(rest)];
      if (&l == arriving || !has_no_input(l)) continue;
      suspect_ = &l;
      suspended_state(l).keep(stack_);
      return;
    }
}

}  // namespace upsweep::sim
