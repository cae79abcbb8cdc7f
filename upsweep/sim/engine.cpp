/// A machine's launches: checks the shape, distributes the blocks, collects the counts.
#include <upsweep/sim/engine.hpp>

#include <upsweep/core/errors.hpp>
#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/host_threads.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <utility>

namespace upsweep::sim {

constinit std::atomic<bool> has_other_effects = false;

machine::machine(options const& how) : engine_(std::make_unique<machine_engine>(how)) {}
machine::~machine() = default;
machine::machine(machine&&) noexcept = default;
machine& machine::operator=(machine&&) noexcept = default;
report const& machine::result() const {
  return engine_->result();
}
void machine::clear_result() {
  engine_->forget_result();
}

namespace {

constexpr std::size_t most_compared_bytes = std::size_t{8} << 20;  // before a first launch: 4 ms

/// The position of an array in a buffer, which the host accesses, after a bounds check.
std::byte* accessed(global_memory& buffers, void const* place, std::size_t bytes, bool writes) {
  auto const* const p = static_cast<std::byte const*>(place);
  memory* const m = bytes == 0 ? nullptr : buffer_at(p);
  return static_cast<std::byte*>(
      buffers.host_access(m, m == nullptr ? 0 : p - m->data, bytes, writes));
}

}  // namespace

void* machine::new_buffer(std::size_t count, layout element, char const* name) {
  return engine_->buffers().allocate(count, element, name)->data;
}
void machine::fill_buffer(void* to, std::size_t count, void const* value, std::size_t bytes) {
  std::byte* const place = accessed(engine_->buffers(), to, count * bytes, true);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(place + i * bytes, value, bytes);
}
void machine::copy_to_buffer(void* to, void const* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(accessed(engine_->buffers(), to, bytes, true), from, bytes);
}
void machine::copy_from_buffer(void* to, void const* from, std::size_t bytes) const {
  if (bytes > 0) std::memcpy(to, accessed(engine_->buffers(), from, bytes, false), bytes);
}
void machine::run(simt::launch_shape const& shape, void (*entry)(void const*), void const* call,
                  void const* kernel) {
  engine_->launch(shape, entry, call, kernel);
}

void machine_engine::forget_result() {
  repeated_.clear();
  report_ = {};
  findings_.clear();
}

namespace {

/// The limits of the largest device.
void check_shape(simt::launch_shape const& shape) {
  struct limit {
    char const* what;
    std::size_t value, least, most;
    char const *whose, *unit, *remedy;
  };
  constexpr char const* of_clusters =
      "8 run on every GPU with clusters, 16 where a kernel asks for it";
  simt::extent3 const &blocks = shape.blocks, &threads = shape.threads, &cluster = shape.cluster;
  limit const limits[]{
      {"threads.x", threads.x, 1, 1024, "a block has", "threads along x", "use more blocks"},
      {"threads.y", threads.y, 1, 1024, "a block has", "threads along y", "use more blocks"},
      {"threads.z", threads.z, 1, 64, "a block has", "threads along z",
       "make x or y the long side of the block"},
      {"the product of threads", threads.count(), 1, 1024, "a block has", "threads",
       "use more blocks"},
      {"blocks.x", blocks.x, 1, 0x7fffffff, "a grid has", "blocks along x",
       "let each block do more"},
      {"blocks.y", blocks.y, 1, 65535, "a grid has", "blocks along y",
       "make x the long side of the grid"},
      {"blocks.z", blocks.z, 1, 65535, "a grid has", "blocks along z",
       "make x the long side of the grid"},
      {"cluster.x", cluster.x, 1, 16, "a cluster has", "blocks", of_clusters},
      {"cluster.y", cluster.y, 1, 16, "a cluster has", "blocks", of_clusters},
      {"cluster.z", cluster.z, 1, 16, "a cluster has", "blocks", of_clusters},
      {"the product of cluster", cluster.count(), 1, 16, "a cluster has", "blocks", of_clusters},
      {"shared_bytes", shape.shared_bytes, 0, most_shared_bytes, "a block has",
       "bytes of shared memory", "use smaller tiles"},
  };
  for (limit const& l : limits)
    if (l.value < l.least || l.value > l.most)
      detail::fail(say("launch of '", shape.name, "': ", l.what, " is ", l.value, ", and ", l.whose,
                       " ", l.least, " to ", l.most, " ", l.unit, ": ",
                       l.value < l.least ? "skip the launch when there is nothing to do" : l.remedy)
                       .c_str());
  constexpr char const* names[]{"x", "y", "z"};
  std::array<unsigned, 2> const sides[]{
      {blocks.x, cluster.x}, {blocks.y, cluster.y}, {blocks.z, cluster.z}};
  for (int i = 0; i < 3; ++i)
    if (auto const [grid, of_cluster] = sides[i]; grid % of_cluster != 0)
      detail::fail(say("launch of '", shape.name, "': blocks.", names[i], " is ", grid,
                       ", and must be a multiple of the cluster, which is ", of_cluster)
                       .c_str());
}

}  // namespace

/// The serial number of the first of `blocks` blocks. An epoch has room for 16 million; after that
/// the access history is cleared and numbering restarts.
std::uint64_t machine_engine::take_serials(std::uint64_t blocks) {
  constexpr std::uint64_t most_blocks = (std::uint64_t{1} << 24) - 2;
  detail::expects(blocks <= most_blocks, "launch: the emulator takes up to 16777214 blocks");
  if (next_serial_ + blocks > most_blocks) {
    buffers_.forget_accesses();
    heap_.forget_accesses();
    next_serial_ = synchronized_ = 1;
  }
  return std::exchange(next_serial_, next_serial_ + blocks);
}

void machine_engine::note_async_copy(memory& m, std::uint64_t offset, std::size_t bytes,
                                     bool writes) {
  if (m.shadows == nullptr || bytes == 0) return;
  epoch const now = epoch_at(take_serials(1), 0);
  for (std::uint64_t e = m.element_of(offset), last = m.element_of(offset + bytes - 1); e <= last;
       ++e)
    if (writes)
      m.shadows[e] = {now | plain_write, 0};
    else
      m.shadows[e].read = now | one_thread;
}

bool machine_engine::may_be_in_use(memory const& m, std::uint64_t offset, std::size_t bytes,
                                   bool writes) const {
  if (m.shadows == nullptr) return false;
  // Of elements that several blocks have accessed, the last launch that did so counts.
  auto const is_recent = [&](epoch s) {
    return (s == see_history ? m.shared_since : serial_of(s)) >= synchronized_;
  };
  for (std::uint64_t e = m.element_of(offset), last = m.element_of(offset + bytes - 1); e <= last;
       ++e)
    if (is_recent(m.shadows[e].write) || (writes && is_recent(m.shadows[e].read))) return true;
  return false;
}

/// The number of host threads over which the clusters are distributed.
std::size_t machine_engine::shares_of(simt::launch_shape const& shape) const {
  if (!shape.independent_blocks || options_.trace || options_.how != schedule::in_order) return 1;
  std::size_t const cores = options_.threads == 0 ? host_cores() : options_.threads;
  return std::min<std::size_t>(cores, shape.clusters());
}

void machine_engine::launch(simt::launch_shape const& shape, void (*invoke)(void const*),
                            void const* call, void const* kernel, std::size_t call_bytes) {
  check_shape(shape);
  loaded_code* const code = code_at(kernel);
  detail::expects(code != nullptr, "launch: the kernel must be in a module that sim::module loads");
  launch_call const launched{shape, invoke, call, take_serials(shape.blocks.count()), code};
  options how = options_;
  how.trace = how.trace && (how.traced_launch == options::every_launch ||
                            how.traced_launch == report_.launches.size());
  bool const may_repeat = how.measured_launches > 0 && how.count && !how.trace && call_bytes > 0 &&
                          (how.how == schedule::in_order || how.how == schedule::lockstep);
  if (may_repeat)
    run_or_repeat(launched, how, kernel, call_bytes);
  else
    run(launched, how);
}

/// A launch that finds the memory as the one before found it, and left it, has the same results and
/// counts; so has one after a launch that wrote nothing that it read. Comparing costs time, so it
/// is done where running takes longer.
void machine_engine::run_or_repeat(launch_call const& launched, options how, void const* kernel,
                                   std::size_t call_bytes) {
  repeated_launch& known = repeated_.of(kernel, launched.shape);
  std::span const call(static_cast<std::byte const*>(launched.call), call_bytes);
  double const bytes_a_second = 2e9;
  bool const compares =
      known.launches > 0 && !heap_.is_used() &&
      known.seconds > static_cast<double>(buffers_.allocated_bytes()) / bytes_a_second;
  bool const is_first =
      known.launches == 0 && !heap_.is_used() && buffers_.allocated_bytes() <= most_compared_bytes;
  std::uint64_t const before = compares ? fingerprint(*launched.code) : 0;
  if (compares && known.repeats(call, before))
    return add_copy(known.report, launched.shape, launch_source::repeated);
  bool const is_measured =
      known.launches < how.measured_launches || !known.is_clean || heap_.is_used();
  how.count = is_measured;
  how.check = how.check && is_measured;
  std::size_t const number = report_.launches.size();
  std::uint64_t const found = occurrences();
  auto const begin = std::chrono::steady_clock::now();
  has_other_effects.store(false);
  memory_numbers const at_start = is_first ? numbers_of(*launched.code) : memory_numbers{};
  run(launched, how);
  known.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++known.launches;
  known.is_clean = occurrences() == found;
  bool const is_alone = known.is_clean && !has_other_effects.load() && !heap_.is_used();
  bool const kept_input = is_first && is_alone && has_kept_input(number, at_start, *launched.code);
  std::uint64_t const after = compares || kept_input ? fingerprint(*launched.code) : 0;
  known.is_fixed = is_alone && (kept_input || (compares && after == before));
  known.memory = after;
  known.call.assign(call.begin(), call.end());
  if (is_measured) {
    known.report = number;
    return;
  }
  buffers_.note_unseen_launch();
  report_.launches.pop_back();
  add_copy(known.report, launched.shape, launch_source::unmeasured);
}

std::uint64_t machine_engine::fingerprint(loaded_code const& code) const {
  return sim::fingerprint(code.data, static_cast<std::size_t>(code.data_end - code.data),
                          buffers_.fingerprint());
}

machine_engine::memory_numbers machine_engine::numbers_of(loaded_code const& code) const {
  auto const variables = static_cast<std::size_t>(code.data_end - code.data);
  return {sim::fingerprint(code.data, variables, 0), buffers_.fingerprints()};
}

/// Whether launch `number` has changed no buffer that it read, and no variable.
bool machine_engine::has_kept_input(std::size_t number, memory_numbers const& at_start,
                                    loaded_code const& code) const {
  auto const now = numbers_of(code);
  auto const& used = report_.launches[number].buffers;
  if (now.variables != at_start.variables || now.buffers.size() != at_start.buffers.size())
    return false;
  for (std::size_t i = 0; i < now.buffers.size(); ++i) {
    auto const counts = used.find(*buffers_.buffer(i).name);
    bool const is_read = counts != used.end() && counts->second.loads + counts->second.atomics > 0;
    if (is_read && now.buffers[i] != at_start.buffers[i]) return false;
  }
  return true;
}

std::uint64_t machine_engine::occurrences() const {
  std::uint64_t sum = 0;
  for (finding const& f : report_.findings) sum += f.occurrences;
  return sum;
}

void machine_engine::add_copy(std::size_t of, simt::launch_shape const& shape,
                              launch_source source) {
  launch_report copy = report_.launches[of];
  copy.source = source;
  copy.at = readable(shape.at);
  copy.blocks.clear();
  report_.launches.push_back(std::move(copy));
}

void machine_engine::run(launch_call const& launched, options const& how) {
  simt::launch_shape const& shape = launched.shape;
  std::size_t const number = report_.launches.size();
  launch_report& made = report_.launches.emplace_back();
  made.name = shape.name;
  made.shape = shape;
  made.shape.name = names_.emplace_back(shape.name).c_str();
  if (how.count) made.at = readable(shape.at);
  findings_.set_launch(number);
  if (how.count || how.trace) made.blocks.resize(shape.blocks.count());
  std::uint64_t const clusters = shape.clusters();
  std::size_t const shares = shares_of(shape);
  while (threads_.size() < shares) threads_.push_back(std::make_unique<host_thread>());
  std::vector<std::unique_ptr<runner>> runners;
  for (std::size_t i = 0; i < shares; ++i)
    runners.push_back(std::make_unique<runner>(how, launched, buffers_, findings_, *threads_[i]));
  std::vector<std::exception_ptr> failures(shares);
  auto const run_share = [&](std::size_t i) {
    try {
      runners[i]->run(clusters * i / shares, clusters * (i + 1) / shares);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  run_together(shares, run_share);
  findings_.set_launch(finding::no_launch);
  for (auto const& r : runners) collect(*r, made, how);  // also after a failure: what ran before it
  for (auto const& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void machine_engine::collect(runner& r, launch_report& into, options const& how) {
  if (!how.count && !how.trace) return;
  traced_launch* traced = nullptr;
  if (how.trace)
    traced =
        &report_.trace.launches.emplace_back(traced_launch{into.name, into.shape, {}, {}, {}, {}});
  r.report_to(into, traced);
}

}  // namespace upsweep::sim
