/// Values that nobody has given: what a lane passes on and writes, compared with what it held and
/// with what it was given; and elements that are read before they are written.
#include <upsweep/sim/checker.hpp>

#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::sim {

namespace {

constexpr std::size_t most_of_lane = 8;

/// A number that sums, products and extrema show: large, and of either sign.
constexpr unsigned char patterns[] = {0x7f, 0xff};

template <class T>
bool is_result_of(std::byte const* result, std::byte const* a, std::byte const* b) {
  T r, x, y;
  std::memcpy(&r, result, sizeof r);
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  auto const is = [&](auto value) {
    T const v = static_cast<T>(value);
    return std::memcmp(&v, &r, sizeof v) == 0;
  };
  if constexpr (std::is_integral_v<T>)
    if (is(x | y) || is(x & y) || is(x ^ y)) return true;
  return is(y) || is(x + y) || is(x * y) || is(x - y) || is(y - x);
}

bool is_used_in(std::byte const* value, std::size_t bytes, undefined_value const& v) {
  if (bytes != v.bytes) return false;
  switch (bytes) {
    case 1:
      return is_result_of<std::uint8_t>(value, v.kept, v.got);
    case 2:
      return is_result_of<std::uint16_t>(value, v.kept, v.got);
    case 4:
      return is_result_of<std::uint32_t>(value, v.kept, v.got) ||
             is_result_of<float>(value, v.kept, v.got);
    case 8:
      return is_result_of<std::uint64_t>(value, v.kept, v.got) ||
             is_result_of<double>(value, v.kept, v.got);
    default:
      return std::memcmp(value, v.got, std::min(bytes, sizeof v.got)) == 0;
  }
}

/// Not even an access of memory explains another value than the lane had.
bool has_read_nothing(last_access_of_lane const& now, undefined_value const& v) {
  return now.access == v.last.access && now.at == v.last.at;
}

last_access_of_lane last_of(lane const& l) {
  return {l.last_access, l.last_at};
}

bool is_kept(std::byte const* value, std::size_t bytes, undefined_value const& v) {
  return bytes == v.bytes && std::memcmp(value, v.kept, std::min(bytes, sizeof v.kept)) == 0;
}

}  // namespace

void undefined_values::add(lane& l, undefined_value const& v) {
  any_ = true;
  l.of->of->is_rare = true;
  if (l.undefined.size() == most_of_lane) l.undefined.erase(l.undefined.begin());
  l.undefined.push_back(v);
}

void undefined_values::give(lane& l, unsigned from) {
  warp_call const& c = *l.call;
  std::size_t const bytes = c.type & 0xffffu;
  undefined_value v{.shuffle = l.waits_at, .from = from, .bytes = bytes, .last = last_of(l)};
  auto* const out = static_cast<std::byte*>(c.out);
  std::memcpy(v.kept, c.in, std::min(bytes, sizeof v.kept));
  std::memset(out, 0x7f, bytes);
  if (bytes > 0) out[bytes - 1] = std::byte{patterns[from % 2]};
  std::memcpy(v.got, out, std::min(bytes, sizeof v.got));
  add(l, v);
}

void undefined_values::examine(lane& l) {
  if (l.undefined.empty() || l.call->in == nullptr) return;
  auto const* const value = static_cast<std::byte const*>(l.call->in);
  std::size_t const bytes = l.call->type & 0xffffu;
  std::erase_if(l.undefined,
                [&](undefined_value const& v) { return !v.is_used && is_kept(value, bytes, v); });
  for (undefined_value& v : l.undefined) {
    bool const has_changed = v.shuffle == l.waits_at && has_read_nothing(last_of(l), v);
    v.is_used = v.is_used || has_changed || is_used_in(value, bytes, v);
  }
}

void undefined_values::pass_on(lane const& from, lane& to) {
  auto const used = std::ranges::find(from.undefined, true, &undefined_value::is_used);
  if (used == from.undefined.end()) return;
  undefined_value v = *used;
  warp_call const& c = *to.call;
  v.is_used = false;
  v.bytes = c.type & 0xffffu;
  std::memcpy(v.kept, c.in, std::min(v.bytes, sizeof v.kept));
  std::memcpy(v.got, from.call->in, std::min(v.bytes, sizeof v.got));
  v.last = last_of(to);
  add(to, v);
}

void undefined_values::write(lane& l, position at, std::byte const* place, std::size_t bytes,
                             std::byte const* value) {
  settle();
  if (l.undefined.empty()) return;
  pending_ = {&l, last_of(l), at, value != nullptr ? value : place, bytes};
  if (value != nullptr) settle();
}

void undefined_values::settle() {
  if (!pending_) return;
  pending_write const w = *pending_;
  pending_.reset();
  lane& l = *w.by;
  auto const used = std::ranges::find_if(l.undefined, [&](undefined_value const& v) {
    return v.is_used || (!is_kept(w.value, w.bytes, v) &&
                         (is_used_in(w.value, w.bytes, v) || has_read_nothing(w.last, v)));
  });
  if (used == l.undefined.end()) return;
  undefined_value const v = *used;
  l.undefined.clear();
  found_.note(finding_kind::missing_lane, v.shuffle, {}, [&] {
    return say("lane ", v.from, " does not take part in the shuffle at ", short_name(v.shuffle),
               ", but its value is read: it is undefined, and with it what ", name_of(l),
               " writes at ", short_name(w.at));
  });
}

// Elements that nothing has been written to.

constinit std::atomic<position (*)(std::byte const*)> copy_to = nullptr;

bool checker::holds_poison(memory const& m, std::uint64_t offset) {
  if (m.is_written_unseen) return false;
  // A compiler may not report every write. What does not hold poison has been written.
  std::byte const* const begin = m.data + offset;
  std::byte const* const end = m.data + std::min<std::uint64_t>(m.bytes, offset + m.element_bytes);
  return std::all_of(begin, end, [](std::byte b) { return b == std::byte{poison}; });
}

bool checker::is_unwritten(memory const& m, std::uint64_t offset) {
  std::uint64_t const element = m.element_of(offset);
  return peek(m.shadows[element].write) == 0 && holds_poison(m, element * m.element_bytes);
}

void checker::copy_started(memory& m, std::uint64_t offset, unsigned bytes, lane& l) {
  for (std::uint64_t e = m.element_of(offset); e * m.element_bytes < offset + bytes; ++e) {
    bool const is_whole =
        e * m.element_bytes >= offset && (e + 1) * m.element_bytes <= offset + bytes;
    epoch const w = peek(m.shadows[e].write);
    if (is_whole && w != 0 && (w & atomic_write) == 0 && is_ordered(l, w))
      poke(m.shadows[e].write, 0);
  }
}

void checker::uninitialized(memory& m, std::uint64_t offset, lane& l, position at) {
  if (!holds_poison(m, offset)) return;
  found_.note(finding_kind::uninitialized_read, at, {}, [&] {
    auto* const find = copy_to.load();
    position const copy = find == nullptr ? position{} : find(m.data + offset);
    std::string const why =
        copy.is_known()
            ? say(", where the asynchronous copy started at ", short_name(copy),
                  " is not complete: the thread that started it must wait for it, as by "
                  "__pipeline_wait_prior(0) or cp.async.wait_all, and before other threads read "
                  "the elements, a __syncthreads() must follow")
        : m.owner != nullptr ? say(", which has never been written: shared memory is uninitialized "
                                   "when a block starts")
                             : say(", which has never been written");
    return say(name_of(l), " reads element ", offset / m.element_bytes, " of ", name_of(m), " at ",
               short_name(at), why);
  });
}

}  // namespace upsweep::sim
