/// The functions of upsweep_partial.h.
#include <upsweep/upsweep_partial.h>
#include <upsweep/by_name/verbs/partials.hpp>
#include <upsweep/c_api/requests.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

struct upsweep_partial {
  std::unique_ptr<upsweep::dynamic::any_partial> of;
};

namespace upsweep::c_api {
namespace {

upsweep_type elements_of(upsweep_partial const& partial) {
  return type_of(partial.of->element());
}
catalog::id statistics_of(char const* function, upsweep_statistics statistics) {
  if (statistics == UPSWEEP_MOMENTS) return catalog::id::moments;
  if (statistics == UPSWEEP_CENTRAL_MOMENTS) return catalog::id::central_moments;
  if (statistics == UPSWEEP_COMOMENTS) return catalog::id::comoments;
  refuse(function, std::to_string(static_cast<int>(statistics)) +
                       " is not an upsweep_statistics; the last is UPSWEEP_COMOMENTS");
}
/// Stores a partial that has been made, if it has.
void store(char const* function, std::unique_ptr<dynamic::any_partial> made, upsweep_partial** to) {
  if (!made)
    refuse(function,
           "there are no partials of this operator over this type; upsweep_partial.h "
           "lists them",
           UPSWEEP_UNSUPPORTED);
  *to = new upsweep_partial{std::move(made)};
}

}  // namespace
}  // namespace upsweep::c_api

namespace c_api = upsweep::c_api;
namespace dynamic = upsweep::dynamic;

upsweep_status upsweep_partial_create(upsweep_type type, upsweep_operator op, uint64_t begin,
                                      upsweep_partial** partial) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_create";
    c_api::require_pointer(function, "partial", partial);
    auto const& entry = c_api::entry_of(function, type, op);
    c_api::store(function, dynamic::make_partial(entry.op, entry.element, begin), partial);
  });
}

upsweep_status upsweep_partial_create_statistics(upsweep_type type, upsweep_statistics statistics,
                                                 uint64_t begin, upsweep_partial** partial) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_create_statistics";
    c_api::require_pointer(function, "partial", partial);
    auto const op = c_api::statistics_of(function, statistics);
    c_api::store(function, dynamic::make_partial(op, c_api::element_of(function, type), begin),
                 partial);
  });
}

void upsweep_partial_destroy(upsweep_partial* partial) {
  delete partial;
}

upsweep_status upsweep_partial_push(upsweep_partial* partial, void const* in, size_t n,
                                    upsweep_options const* options) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_push";
    c_api::require_pointer(function, "partial", partial);
    c_api::require_array(function, "in", c_api::elements_of(*partial), in, "n", n);
    partial->of->push(c_api::executor_of(function, options), in, n);
  });
}

upsweep_status upsweep_partial_append(upsweep_partial* partial, upsweep_partial const* later) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_append";
    c_api::require_pointer(function, "partial", partial);
    c_api::require_pointer(function, "later", later);
    partial->of->append(*later->of);
  });
}

upsweep_status upsweep_partial_range(upsweep_partial const* partial, uint64_t* begin,
                                     uint64_t* end) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_range";
    c_api::require_pointer(function, "partial", partial);
    c_api::require_pointer(function, "begin", begin);
    c_api::require_pointer(function, "end", end);
    *begin = partial->of->begin();
    *end = partial->of->end();
  });
}

upsweep_status upsweep_partial_result(upsweep_partial const* partial,
                                      upsweep_options const* options, void* out) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_result";
    c_api::require_pointer(function, "partial", partial);
    auto const of = partial->of->results();
    upsweep_type const type = c_api::type_of(of.type);
    auto const how =
        c_api::request_of(function, options, UPSWEEP_PAIRWISE, "flag is UPSWEEP_PAIRWISE",
                          of.takes_initial ? std::optional(type) : std::nullopt);
    c_api::require_array(function, "out", type, out, "n", of.count);
    partial->of->result(how.initial, how.tree, out);
  });
}

upsweep_status upsweep_partial_to_bytes(upsweep_partial const* partial, void* bytes,
                                        size_t capacity, size_t* size) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_to_bytes";
    c_api::require_pointer(function, "partial", partial);
    c_api::require_pointer(function, "size", size);
    auto const all = partial->of->bytes();
    c_api::store_count(function, "bytes", all.size(), capacity, size);
    c_api::require_pointer(function, "bytes", bytes);
    std::memcpy(bytes, all.data(), all.size());
  });
}

upsweep_status upsweep_partial_from_bytes(void const* bytes, size_t size,
                                          upsweep_partial** partial) {
  return c_api::guarded([&] {
    char const* const function = "upsweep_partial_from_bytes";
    c_api::require_pointer(function, "partial", partial);
    c_api::require_array(function, "bytes", UPSWEEP_U8, bytes, "size", size);
    c_api::store(function, dynamic::partial_of_bytes({static_cast<std::byte const*>(bytes), size}),
                 partial);
  });
}
