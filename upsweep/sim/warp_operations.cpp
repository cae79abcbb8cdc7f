/// The results of warp operations, and when they complete.
#include <upsweep/sim/barriers.hpp>

#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace upsweep::sim {

namespace {

constexpr std::uint32_t all_lanes = 0xffffffff;

constexpr unsigned size_of(layout type) {
  return type & 0xffffu;
}

/// The lane that lane `i` reads from, or 32 if it keeps its own value: PTX, shfl.sync. A GPU uses
/// the low five bits of each number.
unsigned source_of(warp_call const& c, unsigned i) {
  if (c.kind == warp_kind::crossbar) return c.argument < 32 ? c.argument : 32;
  unsigned const fixed = (32 - c.width) & 31, argument = c.argument & 31;
  // The subsection of the warp. A lane may read an earlier one by xor, not a later one.
  unsigned const first = i & fixed, last = first | (~fixed & 31);
  switch (c.kind) {
    case warp_kind::shuffle:
      return first | (argument & ~fixed);
    case warp_kind::shuffle_up:
      return argument <= i - first ? i - argument : 32;
    case warp_kind::shuffle_down:
      return i + argument <= last ? i + argument : 32;
    default:
      return (i ^ argument) <= last ? i ^ argument : 32;
  }
}

bool is_shuffle(warp_kind kind) {
  return kind >= warp_kind::shuffle && kind <= warp_kind::shuffle_xor;
}

template <class T>
T reduced(warp_kind kind, T a, T b) {
  switch (kind) {
    case warp_kind::reduce_add:
      return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
    case warp_kind::reduce_min:
      return std::min(a, b);
    case warp_kind::reduce_max:
      return std::max(a, b);
    case warp_kind::reduce_and:
      return a & b;
    case warp_kind::reduce_or:
      return a | b;
    default:
      return a ^ b;
  }
}

template <class T>
unsigned reduce_lanes(warp const& w, std::uint32_t lanes, warp_kind kind) {
  T total{};
  bool first = true;
  for (; lanes != 0; lanes &= lanes - 1) {
    T value;
    std::memcpy(&value, w.lanes[std::countr_zero(lanes)].call->in, sizeof value);
    total = first ? value : reduced(kind, total, value);
    first = false;
  }
  return static_cast<unsigned>(total);
}

/// The lanes whose value has the same bytes as that of lane `i`.
unsigned matching(warp const& w, std::uint32_t lanes, unsigned i) {
  warp_call const& mine = *w.lanes[i].call;
  unsigned same = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    auto const j = static_cast<unsigned>(std::countr_zero(lanes));
    if (std::memcmp(mine.in, w.lanes[j].call->in, size_of(mine.type)) == 0) same |= 1u << j;
  }
  return same;
}

/// The lanes with a nonzero predicate.
unsigned ballot(warp const& w, std::uint32_t lanes) {
  unsigned yes = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    auto const j = static_cast<unsigned>(std::countr_zero(lanes));
    int vote;
    std::memcpy(&vote, w.lanes[j].call->in, sizeof vote);
    if (vote != 0) yes |= 1u << j;
  }
  return yes;
}

void answer_all(warp& w, std::uint32_t lanes, unsigned answer) {
  for (; lanes != 0; lanes &= lanes - 1)
    std::memcpy(w.lanes[std::countr_zero(lanes)].call->out, &answer, sizeof answer);
}

void match(warp& w, std::uint32_t lanes, bool all) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(std::countr_zero(rest));
    warp_call const& c = *w.lanes[i].call;
    unsigned same = matching(w, lanes, i);
    if (all) {
      *c.predicate = same == lanes;
      same = same == lanes ? lanes : 0;
    }
    std::memcpy(c.out, &same, sizeof same);
  }
}

}  // namespace

warp_operations::warp_operations(launch_state const& launch, scheduler& turns,
                                 progress_watch& progress)
    : launch_(launch), turns_(turns), progress_(progress) {}

void warp_operations::take_part(warp_call const& call, std::uint64_t pc, position at) {
  lane& l = running_lane();
  warp& w = *l.of;
  turns_.suspend(l);
  l.call = &call;
  l.call_pc = pc;
  ++l.operations;
  l.waits_at = at;
  if (call.mask != all_lanes || l.last_mask != 0) {
    l.last_mask = call.mask;
    w.of->is_rare = true;
  }
  if ((call.mask & l.bit()) == 0) [[unlikely]]
    fail_outside_of_mask(l);
  w.at_operation |= l.bit();
  // It can only complete an operation with the same mask.
  std::uint32_t const wanted = call.mask & w.exists & ~w.gone;
  if ((w.at_operation & wanted) == wanted) settle(w);
  if ((w.ready & l.bit()) != 0 && (w.at_operation & l.bit()) == 0) {
    w.ready &= ~l.bit();
    turns_.resume(l);
  } else {
    turns_.go_on_in_line(l, w, *w.of);
  }
  l.call = nullptr;
}

void warp_operations::settle(warp& w) {
  std::uint32_t seen = 0;
  for (std::uint32_t rest = w.at_operation; rest != 0; rest &= ~seen) {
    lane const& first = w.lanes[std::countr_zero(rest)];
    std::uint32_t const wanted = first.call->mask & w.exists & ~w.gone;
    seen |= first.bit();
    if ((w.at_operation & wanted) != wanted) continue;
    bool agreed = true;
    for (std::uint32_t others = wanted; others != 0 && agreed; others &= others - 1) {
      warp_call const& c = *w.lanes[std::countr_zero(others)].call;
      agreed = c.mask == first.call->mask && c.kind == first.call->kind;
    }
    if (!agreed) continue;
    complete(w, wanted);
    seen |= wanted;
  }
}

void warp_operations::complete(warp& w, std::uint32_t lanes) {
  lane const& first = w.lanes[std::countr_zero(lanes)];
  std::uint64_t clock = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    clock = std::max(clock, w.lanes[std::countr_zero(rest)].clock);
  bool stored = false;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    lane& l = w.lanes[std::countr_zero(rest)];
    l.clock = clock;
    l.has_input = l.has_input || l.call->kind != warp_kind::sync;
    stored = stored || (l.last_access & store_bit) != 0;
  }
  progress_.warp_operation(static_cast<unsigned>(std::popcount(lanes)), stored);
  if (progress_.has_only_read())
    launch_.found.fail(finding_kind::no_progress, progress_.endless(first, true),
                       last_place(launch_.shape, first));
  if (launch_.checks != nullptr && (first.call->mask & w.gone) != 0) compare_masks(w, first);
  answer(w, lanes);
  record(w, lanes);
  w.at_operation &= ~lanes;
  w.ready |= lanes;
  w.of->ready_warps |= 1u << w.index;
}

void warp_operations::answer(warp& w, std::uint32_t lanes) {
  warp_call const& c = *w.lanes[std::countr_zero(lanes)].call;
  switch (c.kind) {
    case warp_kind::sync:
      if (launch_.checks != nullptr) launch_.checks->warp_synchronized(w, lanes);
      break;
    case warp_kind::shuffle:
    case warp_kind::shuffle_up:
    case warp_kind::shuffle_down:
    case warp_kind::shuffle_xor:
    case warp_kind::crossbar:
      exchange(w, lanes);
      break;
    case warp_kind::ballot:
      answer_all(w, lanes, ballot(w, lanes));
      break;
    case warp_kind::all:
      answer_all(w, lanes, ballot(w, lanes) == lanes);
      break;
    case warp_kind::any:
      answer_all(w, lanes, ballot(w, lanes) != 0);
      break;
    case warp_kind::match_any:
      match(w, lanes, false);
      break;
    case warp_kind::match_all:
      match(w, lanes, true);
      break;
    default:
      answer_all(w, lanes,
                 c.is_signed ? reduce_lanes<int>(w, lanes, c.kind)
                             : reduce_lanes<unsigned>(w, lanes, c.kind));
  }
}

void warp_operations::record(warp& w, std::uint32_t lanes) {
  if (!launch_.record.on()) return;
  lane const& first = w.lanes[std::countr_zero(lanes)];
  warp_kind const what = first.call->kind;
  step_kind const kind = what == warp_kind::sync                           ? step_kind::warp_sync
                         : is_shuffle(what) || what == warp_kind::crossbar ? step_kind::shuffle
                                                                           : step_kind::vote;
  // A lane that has returned may have executed its last steps together with steps of the others
  // after this operation.
  std::uint32_t absent = w.exists & ~lanes;
  while (absent != 0 && w.lanes[std::countr_zero(absent)].segment != w.segment)
    absent &= absent - 1;
  if (absent == 0)
    launch_.record.close(w, kind, lanes, first.waits_at);
  else
    launch_.record.partial_operation(w, kind, lanes);
}

/// A separate function, so that its strings take no stack space of a waiting lane.
void warp_operations::fail_outside_of_mask(lane const& l) {
  launch_.found.fail(
      finding_kind::missing_lane,
      say(name_of(l), " takes part in the warp operation at ", short_name(l.waits_at),
          " but its own bit is not in the mask: undefined on a GPU"),
      l.waits_at);
}

/// Notes a lane of the mask of `l` that has executed this call with another mask and returned.
void warp_operations::compare_masks(warp const& w, lane const& l) {
  for (std::uint32_t rest = l.call->mask & w.gone; rest != 0; rest &= rest - 1) {
    lane const& other = w.lanes[std::countr_zero(rest)];
    bool const called = other.last_mask != 0 && other.call_pc == l.call_pc;
    if (!called || other.last_mask == l.call->mask) continue;
    auto const hex = [](unsigned mask) {
      char text[16];
      std::snprintf(text, sizeof text, "0x%08x", mask);
      return std::string(text);
    };
    return launch_.found.note(finding_kind::missing_lane, l.waits_at, {}, [&] {
      return say(name_of(l), " executes the warp operation at ", short_name(l.waits_at),
                 " with the mask ", hex(l.call->mask), ", which names ", name_of(other),
                 ", but that has executed it with the mask ", hex(other.last_mask),
                 ": every lane of a mask must call the operation with the same mask");
    });
  }
}

/// Notes a width or a distance that CUDA does not define.
void warp_operations::check_arguments(lane const& l) {
  warp_call const& c = *l.call;
  bool const is_width = std::has_single_bit(c.width) && c.width <= 32;
  if (is_width && (c.argument < 32 || c.kind == warp_kind::shuffle)) return;
  launch_.found.note(finding_kind::misuse, l.waits_at, {}, [&] {
    std::string const call = say(name_of(l), " calls the shuffle at ", short_name(l.waits_at));
    if (!is_width)
      return say(call, " with a width of ", static_cast<int>(c.width),
                 ", which must be 1, 2, 4, 8, 16 or 32");
    return say(call, c.kind == warp_kind::shuffle_xor ? " with a lane mask of " : " over ",
               static_cast<int>(c.argument), c.kind == warp_kind::shuffle_xor ? ": " : " lanes: ",
               "a warp has lanes 0 to 31, and a GPU uses the low five bits, ", c.argument & 31);
  });
}

/// Gives every lane of a shuffle its value. An undefined one is passed on as such.
void warp_operations::exchange(warp& w, std::uint32_t lanes) {
  bool const checks =
      launch_.checks != nullptr && is_shuffle(w.lanes[std::countr_zero(lanes)].call->kind);
  bool const any_undefined = checks && launch_.checks->undefined().any();
  if (any_undefined) {
    launch_.checks->undefined().settle();
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      undefined_values::examine(w.lanes[std::countr_zero(rest)]);
  }
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(std::countr_zero(rest));
    lane& l = w.lanes[i];
    warp_call const& c = *l.call;
    if (checks) check_arguments(l);
    unsigned const from = source_of(c, i);
    l.source = from == 32 ? i : from;
    if (from == 32 || from == i) continue;
    if ((lanes >> from & 1) != 0) {
      std::memcpy(c.out, w.lanes[from].call->in, size_of(c.type));
      if (any_undefined) launch_.checks->undefined().pass_on(w.lanes[from], l);
    } else if (checks && (c.mask >> from & 1) != 0) {  // the mask says that it takes part
      launch_.found.note(finding_kind::missing_lane, l.waits_at, {}, [&] {
        return say(name_of(l), " reads lane ", from, " in the shuffle at ", short_name(l.waits_at),
                   ", which is in the mask but ",
                   (w.exists >> from & 1) != 0
                       ? say("has returned")
                       : say("does not exist, since the block has ", w.of->threads, " threads"),
                   ": the value is undefined");
      });
    } else if (checks) {
      launch_.checks->undefined().give(l, from);
    }
  }
}

}  // namespace upsweep::sim
