/// Buffers, launches and findings of a machine.
#include <upsweep/sim/engine.hpp>

#include <upsweep/core/errors.hpp>
#include <upsweep/sim/checker.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

namespace upsweep::sim {

namespace {
/// Sectors and lines of a buffer are counted from its start, as cudaMalloc aligns it.
constexpr std::align_val_t buffer_alignment{256};
}  // namespace

machine::machine(options const& how) : engine_(std::make_unique<engine>(how)) {}
machine::~machine() = default;
machine::machine(machine&&) noexcept = default;
machine& machine::operator=(machine&&) noexcept = default;
report const& machine::result() const {
  return engine_->result();
}
void machine::clear_result() {
  engine_->forget_result();
}
memory* machine::allocate_bytes(std::size_t count, emulated::layout element, char const* name) {
  return engine_->allocate(count, element, name);
}
void* machine::host_write(memory* to, std::ptrdiff_t byte, std::size_t bytes) {
  return engine_->host_access(to, byte, bytes, true);
}
void const* machine::host_read(memory* from, std::ptrdiff_t byte, std::size_t bytes) {
  return engine_->host_access(from, byte, bytes, false);
}
void machine::run(simt::launch_shape const& shape, void (*kernel)(void const*), void const* call) {
  engine_->launch(shape, kernel, call);
}

engine::~engine() {
  for (auto const& m : buffers_) ::operator delete(m->data, buffer_alignment);
}

memory* engine::allocate(std::size_t count, emulated::layout element, char const* name) {
  expects(buffers_.size() < 0x7fff, "sim::machine: more than 32767 buffers; use a new machine");
  auto m = std::make_unique<memory>();
  std::size_t const size = element & 0xffffu;
  m->bytes = count * size;
  m->data =
      static_cast<std::byte*>(::operator new(std::max<std::size_t>(m->bytes, 1), buffer_alignment));
  std::memset(m->data, 0xff, m->bytes);
  m->tag = static_cast<std::uint64_t>(buffers_.size()) << 48;
  m->set_element(static_cast<unsigned>(size));
  m->identity = (buffers_.size() + 1) * 0x9e3779b97f4a7c15;
  if (options_.check) {
    shadows_.emplace_back(new shadow[count]());
    m->shadows = shadows_.back().get();
    earlier_reads_.emplace_back(static_cast<stamp*>(std::calloc(count + 1, sizeof(stamp))));
    if (earlier_reads_.back() == nullptr) throw std::bad_alloc();
    m->earlier_reads = earlier_reads_.back().get();
  }
  m->name = &names_.emplace_back(name == nullptr ? "buffer" : name);
  buffers_.push_back(std::move(m));
  return buffers_.back().get();
}

void* engine::host_access(memory* m, std::ptrdiff_t byte, std::size_t bytes, bool write) {
  if (bytes == 0) return m == nullptr ? nullptr : m->data;
  expects(m != nullptr, "sim::machine: a copy to or from a null pointer");
  expects(byte >= 0 && static_cast<std::size_t>(byte) + bytes <= m->bytes,
          "sim::machine: a copy between host and device reaches beyond the end of the buffer");
  if (write && m->shadows != nullptr) {
    std::uint64_t const first = m->element_of(static_cast<std::uint64_t>(byte)),
                        last = m->element_of(static_cast<std::uint64_t>(byte) + bytes - 1);
    std::fill(m->shadows + first, m->shadows + last + 1, shadow{host_write, 0});
  }
  return m->data + byte;
}

void engine::forget_result() {
  report_ = {};
  known_findings_.clear();
}

/// Stamps have room for 16 million blocks; then everything that has happened becomes equally old.
void engine::renew_serials() {
  for (auto const& m : buffers_)
    if (m->shadows != nullptr)
      std::for_each(m->shadows, m->shadows + m->bytes / m->element_bytes,
                    [](shadow& s) { s = {s.write == 0 ? 0 : host_write, 0}; });
  next_serial_ = 1;
}

namespace {

/// What a GPU of compute capability 9.0 takes; those before it take no more.
void check_shape(simt::launch_shape const& shape) {
  struct limit {
    char const* what;
    std::size_t value, least, most;
    char const *whose, *unit, *remedy;
  };
  simt::extent3 const &blocks = shape.blocks, &threads = shape.threads;
  limit const limits[]{
      {"threads.x", threads.x, 1, 1024, "a block has", "threads along x", "use more blocks"},
      {"threads.y", threads.y, 1, 1024, "a block has", "threads along y", "use more blocks"},
      {"threads.z", threads.z, 1, 64, "a block has", "threads along z",
       "let x or y be the long side of the block"},
      {"the product of threads", threads.count(), 1, 1024, "a block has", "threads",
       "use more blocks"},
      {"blocks.x", blocks.x, 1, 0x7fffffff, "a grid has", "blocks along x",
       "let each block do more"},
      {"blocks.y", blocks.y, 1, 65535, "a grid has", "blocks along y",
       "let x be the long side of the grid"},
      {"blocks.z", blocks.z, 1, 65535, "a grid has", "blocks along z",
       "let x be the long side of the grid"},
      {"cluster", shape.cluster, 1, 16, "a cluster has", "blocks",
       "8 run on every GPU with clusters, 16 where a kernel asks for it"},
      {"shared_bytes", shape.shared_bytes, 0, most_shared_bytes, "a block has",
       "bytes of shared memory", "use smaller tiles"},
  };
  for (limit const& l : limits)
    if (l.value < l.least || l.value > l.most)
      fail(say("launch of '", shape.name, "': ", l.what, " is ", l.value, ", and ", l.whose, " ",
               l.least, " to ", l.most, " ", l.unit, ": ",
               l.value < l.least ? "launch nothing where there is nothing to do" : l.remedy)
               .c_str());
  if (shape.blocks.x % shape.cluster != 0)
    fail(say("launch of '", shape.name, "': blocks.x is ", blocks.x,
             ", and must be a multiple of the cluster, which is ", shape.cluster)
             .c_str());
}

}  // namespace

void engine::launch(simt::launch_shape const& shape, void (*invoke)(void const*),
                    void const* call) {
  check_shape(shape);
  constexpr std::size_t most_blocks = (std::size_t{1} << 24) - 2;
  expects(shape.blocks.count() <= most_blocks, "launch: the emulator takes up to 16777214 blocks");
  if (next_serial_ + shape.blocks.count() > most_blocks) renew_serials();
  launch_call const launched{shape, invoke, call, next_serial_};
  next_serial_ += shape.blocks.count();
  launch_report& made = report_.launches.emplace_back();
  made.name = shape.name;
  made.shape = shape;
  made.shape.name = names_.emplace_back(shape.name).c_str();
  if (options_.count || options_.trace) made.blocks.resize(shape.blocks.count());
  std::uint64_t const clusters = shape.blocks.count() / shape.cluster;
  std::size_t const cores =
      options_.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options_.threads;
  bool const alone =
      !shape.independent_blocks || options_.trace || options_.how != schedule::in_order;
  std::size_t const shares = alone ? 1 : std::min<std::size_t>(cores, clusters);
  while (workers_.size() < shares) workers_.push_back(std::make_unique<worker>());
  std::vector<std::unique_ptr<runner>> runners;
  for (std::size_t i = 0; i < shares; ++i)
    runners.push_back(std::make_unique<runner>(*this, launched, *workers_[i]));
  std::vector<std::exception_ptr> failures(shares);
  auto const run_share = [&](std::size_t i) {
    try {
      runners[i]->run(clusters * i / shares, clusters * (i + 1) / shares);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < shares; ++i) others.emplace_back(run_share, i);
    run_share(0);
  }
  for (auto const& r : runners) collect(*r, made);  // after a failure: what had been done before it
  for (auto const& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

void engine::collect(runner& r, launch_report& into) {
  if (!options_.count && !options_.trace) return;
  traced_launch* traced = nullptr;
  if (options_.trace)
    traced = &report_.trace.launches.emplace_back(traced_launch{into.name, into.shape, {}, {}, {}});
  r.report_to(into, traced);
}

bool engine::is_known(finding_kind kind, position first, position second) {
  std::array const key{static_cast<std::uint64_t>(kind), __builtin_bit_cast(std::uint64_t, first),
                       __builtin_bit_cast(std::uint64_t, second)};
  auto const [entry, is_new] = known_findings_.try_emplace(key, report_.findings.size());
  if (!is_new) {
    ++report_.findings[entry->second].occurrences;
    return true;
  }
  // Instances of a template have positions of their own that read the same.
  source_position const a = readable(first), b = readable(second);
  auto const same = std::ranges::find_if(report_.findings, [&](finding const& f) {
    return f.kind == kind && f.first == a && f.second == b;
  });
  if (same == report_.findings.end()) return false;
  entry->second = static_cast<std::size_t>(same - report_.findings.begin());
  ++same->occurrences;
  return true;
}

void engine::add(finding_kind kind, std::string sentence, position first, position second) {
  report_.findings.push_back({kind, std::move(sentence), readable(first), readable(second), 1});
}

}  // namespace upsweep::sim
