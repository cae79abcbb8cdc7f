/// The memory and growth of logs, and the conversion of a warp's logs into steps.
#include <upsweep/sim/recorder.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace upsweep::sim {

namespace {

// A lane's first log is short, so that the logs of a warp fit into the L1 cache; long segments get
// a larger one. Every event has a word, so there are never more records than words.
constexpr std::size_t first_words = 128;
constexpr std::size_t most_log_words = std::size_t{1} << 15;
constexpr std::size_t padding = 192;  // keeps lanes' logs from starting a power of two apart

constexpr std::size_t bytes_for(std::size_t words, bool tracing) {
  return words * (sizeof(log_word) + sizeof(access_record) + (tracing ? sizeof(event_value) : 0));
}

void place(lane& l, std::byte* at, std::size_t words) {
  l.control_begin = l.control = reinterpret_cast<log_word*>(at);
  l.control_end = l.control_begin + words;
  l.data_begin = l.data = reinterpret_cast<access_record*>(l.control_end);
}

/// Logs are short: this loop is faster than a call of memcmp.
bool equal_words(log_word const* a, log_word const* b, std::ptrdiff_t count) {
  log_word different = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) different |= a[i] ^ b[i];
  return different == 0;
}

std::size_t words_of(lane const& l) {
  return static_cast<std::size_t>(l.control_end - l.control_begin);
}

}  // namespace

event_value* value_slot(lane const& l, access_record const* data) {
  auto* const values = reinterpret_cast<event_value*>(l.data_begin + words_of(l));
  return values + (data - l.data_begin);
}

recorder::recorder(options const& how, path_table& paths, alignment_table& alignments)
    : on_(how.count || how.trace), tracing_(how.trace), paths_(paths), alignments_(alignments) {}

recorder::~recorder() = default;

std::byte* recorder::take_slab() {
  if (idle_slabs_.empty()) {
    slabs_.emplace_back(new std::byte[warp_lanes * (bytes_for(first_words, tracing_) + padding)]);
    idle_slabs_.push_back(slabs_.back().get());
  }
  std::byte* const slab = idle_slabs_.back();
  idle_slabs_.pop_back();
  return slab;
}

void recorder::open(lane& l) {
  warp& w = *l.of;
  if (w.logs == nullptr) w.logs = take_slab();
  if (l.slab == w.logs) {  // successive warps share one slab
    l.control = l.control_begin;
    l.data = l.data_begin;
    l.segment = w.segment;
    return;
  }
  l.slab = w.logs;
  place(l, w.logs + (l.index % warp_lanes) * (bytes_for(first_words, tracing_) + padding),
        first_words);
  l.segment = w.segment;
}

bool recorder::grow(lane& l, bool even_more) {
  std::size_t const old_words = words_of(l), words = old_words * (even_more ? 2 : 8);
  if (words > most_log_words && !even_more) return false;
  auto const used = static_cast<std::size_t>(l.control - l.control_begin),
             records = static_cast<std::size_t>(l.data - l.data_begin);
  l.slab = nullptr;
  l.poll_segment = 0;  // it points into the old log
  auto longer = std::make_unique_for_overwrite<std::byte[]>(bytes_for(words, tracing_));
  log_word const* const old_control = l.control_begin;
  access_record const* const old_data = l.data_begin;
  event_value const* const old_values = value_slot(l, l.data_begin);
  place(l, longer.get(), words);
  std::memcpy(l.control, old_control, used * sizeof(log_word));
  std::memcpy(l.data, old_data, records * sizeof(access_record));
  if (tracing_) std::memcpy(value_slot(l, l.data), old_values, records * sizeof(event_value));
  l.control += used;
  l.data += records;
  l.of->long_logs.push_back(std::move(longer));
  return true;
}

void recorder::mark_observed(lane& l) {
  l.observed_segment = l.segment;
  l.observed_words = static_cast<std::size_t>(running.control - l.control_begin);
}

void recorder::forget_repetition(lane const& l) {
  context& c = running;
  auto const words = static_cast<std::size_t>(c.control - l.control_begin);
  if (l.observed_segment != l.segment || words == 0) return;
  // The turn, or a quarter of a long log. Where the same word ends a round, the log goes on as it
  // would have gone on here.
  std::size_t const before = l.observed_words == 0 ? words : l.observed_words;
  log_word* const begin = l.control_begin + (std::min(before, words - words / 4) - 1);
  log_word* const end = std::find(begin, c.control - 1, c.control[-1]) + 1;
  c.data -= std::count_if(
      end, c.control, [](log_word w) { return is_event(w) && w >> kind_shift != lanes_follow; });
  c.control = end;
}

counters& recorder::of_site(site const& s) {
  while (counted_.sites.size() <= s.number) counted_.sites.emplace_back();
  return counted_.sites[s.number];
}

/// Converts the logs of the segment into steps and empties them.
void recorder::settle(warp& w) {
  if (w.logs == nullptr) return;
  std::uint32_t lanes = 0;
  lane const* first = nullptr;
  bool uniform = true;
  for (std::uint32_t rest = w.exists; rest != 0; rest &= rest - 1) {
    lane const& l = w.lanes[std::countr_zero(rest)];
    if (l.segment != w.segment) continue;
    lanes |= l.bit();
    if (first == nullptr) {
      first = &l;
      continue;
    }
    std::ptrdiff_t const words = first->control - first->control_begin;
    uniform = uniform && l.control - l.control_begin == words &&
              equal_words(l.control_begin, first->control_begin, words);
  }
  if (paths_.full()) {
    alignments_.clear();
    paths_.forget_paths();
  }
  if (w.part != nullptr) {
    std::array<std::size_t, warp_lanes> done;
    for (aligned_step const& s : align_part(paths_of(w), 0, 0, *w.part, done))
      take(w, {s.event->kind, s.event->where, s.event->size, s.event->piece}, s.mask,
           s.record.data());
    w.part = nullptr;
  } else if (uniform && first != nullptr) {
    uniform_steps(w, lanes, paths_.find({first->control_begin, first->control}, first->data_begin));
  } else if (first != nullptr) {
    for (aligned_step const& s : alignments_.find(paths_of(w)))
      take(w, {s.event->kind, s.event->where, s.event->size, s.event->piece}, s.mask,
           s.record.data());
  }
  idle_slabs_.push_back(w.logs);
  w.logs = nullptr;
  w.long_logs.clear();
  ++w.segment;
}

warp_paths recorder::paths_of(warp& w) {
  warp_paths paths{};
  for (std::uint32_t rest = w.exists; rest != 0; rest &= rest - 1) {
    lane const& l = w.lanes[std::countr_zero(rest)];
    if (l.segment == w.segment)
      paths[l.index % warp_lanes] = &paths_.find({l.control_begin, l.control}, l.data_begin);
  }
  return paths;
}

void recorder::drain(warp& w, std::uint32_t open, std::uint32_t waiting) {
  if (w.part == nullptr) w.part = std::make_unique<partial_segment>();
  std::array<std::size_t, warp_lanes> done;
  warp_paths const paths = paths_of(w);
  for (aligned_step const& s : align_part(paths, open, waiting, *w.part, done))
    take(w, {s.event->kind, s.event->where, s.event->size, s.event->piece}, s.mask,
         s.record.data());
  for (unsigned i = 0; i < warp_lanes; ++i) {
    if (paths[i] == nullptr || done[i] == 0) continue;
    lane& l = w.lanes[i];
    auto const events = std::ranges::lower_bound(paths[i]->events, done[i], {}, &path_event::word) -
                        paths[i]->events.begin();
    std::size_t const words = static_cast<std::size_t>(l.control - l.control_begin) - done[i];
    auto const records = static_cast<std::size_t>(l.data - l.data_begin - events);
    if (tracing_)
      std::memmove(value_slot(l, l.data_begin), value_slot(l, l.data_begin + events),
                   records * sizeof(event_value));
    std::memmove(l.control_begin, l.control_begin + done[i], words * sizeof(log_word));
    std::memmove(l.data_begin, l.data_begin + events, records * sizeof(access_record));
    l.control = l.control_begin + words;
    l.data = l.data_begin + records;
    l.poll_segment = 0;
  }
}

void recorder::uniform_steps(warp& w, std::uint32_t lanes, path const& p) {
  std::uint32_t records[warp_lanes];
  for (path_event const& e : p.events) {
    std::fill_n(records, warp_lanes, e.record);
    take(w, {e.kind, e.where, e.size, e.piece}, lanes, records);
  }
}

void recorder::close(warp& w) {
  settle(w);
}

void recorder::close(warp& w, step_kind kind, std::uint32_t mask, position at) {
  settle(w);
  synchronize(w, kind, mask, at);
}

void recorder::partial_operation(warp& w, step_kind kind, std::uint32_t mask) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    lane& l = w.lanes[std::countr_zero(rest)];
    while (l.control_end - l.control < 2)
      if (!grow(l)) static_cast<void>(grow(l, true));
    *l.control++ = event_word(kind, l.call_pc);
    *l.control++ = std::uint64_t{lanes_follow} << kind_shift | mask;
    l.data->what = pack(l.waits_at, l.call->type);
    l.data->where = l.source;
    if (tracing_ && l.call->out != nullptr)
      std::memcpy(value_slot(l, l.data)->bytes, l.call->out,
                  std::min<std::size_t>(l.call->type & 0xffffu, sizeof event_value::bytes));
    ++l.data;
  }
}

}  // namespace upsweep::sim
