/// Streams, for Python: reductions and scans of data that arrives in chunks, whose state is bytes.
#include <python/binding/module.hpp>

#include <upsweep/by_name/streams.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::python {
namespace {

/// While it exists, other threads are refused.
class in_use {
 public:
  explicit in_use(std::atomic<bool>& busy) : busy_(busy) {
    detail::expects(!busy.exchange(true),
                    "Stream: another thread is in a call of this stream; give each its own");
  }
  ~in_use() { busy_ = false; }
  in_use(in_use const&) = delete;
  in_use& operator=(in_use const&) = delete;

 private:
  std::atomic<bool>& busy_;
};

/// A stream by name. A call makes one that continues it on other threads; until it has succeeded,
/// this one stays.
class stream {
 public:
  stream(dynamic::stream_row const& row, std::optional<input> const& initial) : row_(row) {
    if (initial) {
      lines const value = line_of(*initial, size_of(row.initial));
      initial_.assign(value.first, value.first + size_of(row.initial));
    }
    of_ = made({});
  }

  void push(input const& chunk, settings const& on) {
    lines const in = line_of(chunk, size_of(row_.element));
    change(in.size, on, [&](dynamic::any_stream& next) {
      void const* const x = in.first;
      next.push({&x, 1}, in.size);
    });
  }
  void scan(input const& chunk, output const& out, bool exclusive, settings const& on) {
    lines const in = line_of(chunk, size_of(row_.element)), to = line_of(out, size_of(row_.result));
    expect_same_size(in.size, to.size);
    change(in.size, on, [&](dynamic::any_stream& next) {
      void const* const x = in.first;
      void* const results = to.first;
      next.scan(exclusive ? scan_kind::exclusive : scan_kind::inclusive, {&x, 1}, in.size,
                {&results, 1});
    });
  }
  void result(output const& out) {
    in_use const mine(busy_);
    lines const to = line_of(out, size_of(row_.result));
    expect_same_size(to.size, 1);
    void* const result = to.first;
    of_->result({&result, 1});
  }
  [[nodiscard]] std::size_t size() const { return of_->position(); }

  /// The totals of the blocks that the binary digits of size() represent, the largest first.
  [[nodiscard]] nb::bytes state() const {
    in_use const mine(busy_);
    auto const all = saved();
    return nb::bytes(all.data() + sizeof(std::size_t), all.size() - sizeof(std::size_t));
  }
  void restore(std::size_t size, nb::bytes const& state) {
    auto const blocks = static_cast<std::size_t>(std::popcount(size));
    detail::expects(state.size() == blocks * row_.total_bytes,
                    "Stream: the state is of another length; it was made by another version, or "
                    "is damaged");
    in_use const mine(busy_);
    std::vector<std::byte> all(sizeof size + state.size());
    std::memcpy(all.data(), &size, sizeof size);
    if (state.size() > 0) std::memcpy(all.data() + sizeof size, state.c_str(), state.size());
    auto next = made({});
    next->resume(all);
    of_ = std::move(next);
  }

 private:
  [[nodiscard]] dynamic::stream_pointer made(cpu const& on) const {
    return row_.make({.on = on, .initial = initial_.empty() ? nullptr : initial_.data()});
  }
  [[nodiscard]] std::vector<std::byte> saved() const {
    std::vector<std::byte> all;
    of_->save(all);
    return all;
  }
  template <class F>
  void change(std::size_t n, settings const& on, F const& f) {
    in_use const mine(busy_);
    dynamic::stream_pointer next = made(on.executor());
    computing(n, [&] {
      next->resume(saved());
      f(*next);
    });
    of_ = std::move(next);  // with the interpreter's lock, as size() needs no more than that
  }

  mutable std::atomic<bool> busy_ = false;
  dynamic::stream_row const& row_;
  std::vector<std::byte> initial_;
  dynamic::stream_pointer of_;
};

/// Null for an operator or a type that has no streams.
std::unique_ptr<stream> make_stream(std::string_view op, std::string_view type,
                                    std::optional<input> const& initial) {
  auto const* const known = catalog::find(op);
  bool const is_position =
      known && (known->id == catalog::id::argmin || known->id == catalog::id::argmax);
  if (!known || is_position) return {};
  auto const* const row = dynamic::find_stream(known->id, type_named(type));
  return row ? std::make_unique<stream>(*row, initial) : nullptr;
}

}  // namespace

void add_streams(nb::module_& m) {
  nb::class_<stream>(m, "Stream", "A reduction or scan of elements that arrive in chunks.")
      .def("push", &stream::push)
      .def("scan", &stream::scan)
      .def("result", &stream::result)
      .def_prop_ro("size", &stream::size)
      .def("state", &stream::state)
      .def("restore", &stream::restore);
  m.def("stream", make_stream, nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace upsweep::python
