/// The verbs of upsweep.h over elements of any size, with a function of the caller.
#include <upsweep/by_key.hpp>
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/c_api/requests.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/sort.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace upsweep::c_api {
namespace {

/// The addresses of elements.
struct addresses {
  using value = void const*;
  void const* first = nullptr;
  std::size_t bytes = 0;

  value operator()(std::ptrdiff_t i) const {
    return dynamic::element_in(first, bytes, static_cast<std::size_t>(i));
  }
};

/// The function of the caller as one of two addresses.
template <class Function>
struct callback {
  Function function;
  void* context;
  bool swapped = false;

  bool operator()(void const* a, void const* b) const {
    return (swapped ? function(b, a, context) : function(a, b, context)) != 0;
  }
};

void require_elements(char const* function, char const* name, void const* first, char const* count,
                      std::size_t n, std::size_t bytes) {
  if (bytes == 0) refuse(function, "element_size is 0; give the size of an element in bytes");
  if (!first && n > 0)
    refuse(function,
           std::string("`") + name + "` is NULL, but " + count + " is " + std::to_string(n));
  if (n > SIZE_MAX / 16 / bytes)
    refuse(function, std::string(count) + " is " + std::to_string(n) +
                         ", more elements than memory can hold");
}

/// Sorts the addresses, and moves the elements once nothing can fail any more.
void sort_by(cpu const& on, void* x, std::size_t n, std::size_t bytes,
             callback<upsweep_less> const& less) {
  std::vector<void const*> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = dynamic::element_in(x, bytes, i);
  upsweep::sort(on, order, less);
  std::vector<std::byte> sorted(n * bytes);
  detail::in_subranges(on, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(dynamic::element_in(sorted.data(), bytes, i), order[i], bytes);
  });
  if (n > 0) std::memcpy(x, sorted.data(), n * bytes);
}

std::size_t unique_by(cpu const& on, void const* in, std::size_t n, std::size_t bytes,
                      callback<upsweep_equal> const& equal, void* out, std::size_t room) {
  dynamic::expect_apart("unique", in, n * bytes, out, room * bytes);
  return detail::for_each_run(
      on, detail::indexed_range<addresses>({in, bytes}, n), equal,
      [](std::size_t, std::size_t, auto const& select) { return select(); },
      [&](auto const& border, std::size_t count, std::size_t first) {
        for (std::size_t k = 0; k < count && first + k < room; ++k)
          std::memcpy(dynamic::element_in(out, bytes, first + k),
                      dynamic::element_in(in, bytes, border(k)), bytes);
      },
      [&](std::size_t begin, std::size_t, std::size_t run) {
        if (run < room)
          std::memcpy(dynamic::element_in(out, bytes, run), dynamic::element_in(in, bytes, begin),
                      bytes);
      });
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;

upsweep_status upsweep_sort_by(void* x, size_t n, size_t element_size, upsweep_less less,
                               void* context, upsweep_options const* options) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_sort_by";
    auto const how =
        c_api::request_of(function, options, UPSWEEP_REVERSE, "flag is UPSWEEP_REVERSE", {});
    c_api::require_elements(function, "x", x, "n", n, element_size);
    if (!less) c_api::refuse(function, "`less` is NULL");
    c_api::sort_by(how.on, x, n, element_size, {less, context, how.reverse});
  });
}

upsweep_status upsweep_unique_by(void const* in, size_t n, size_t element_size, upsweep_equal equal,
                                 void* context, upsweep_options const* options, void* out,
                                 size_t capacity, size_t* count) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_unique_by";
    auto const on = c_api::executor_of(function, options);
    c_api::require_elements(function, "in", in, "n", n, element_size);
    c_api::require_elements(function, "out", out, "capacity", capacity, element_size);
    if (!equal) c_api::refuse(function, "`equal` is NULL");
    c_api::require_pointer(function, "count", count);
    c_api::store_count(function, "out",
                       c_api::unique_by(on, in, n, element_size, {equal, context}, out, capacity),
                       capacity, count);
  });
}
