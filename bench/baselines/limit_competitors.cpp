/// The limits as competitors, each for the kind of work that it bounds.
#include <bench/baselines/competitors.hpp>
#include <bench/baselines/limits.hpp>

namespace upsweep::bench {
namespace {

/// The memory traffic of a work, which determines its limits.
enum class movement { read, copy, update };

movement movement_of(work const& w) {
  if (w.verb == verb::reduce) return movement::read;
  return w.in_place ? movement::update : movement::copy;
}

std::size_t bytes_moved(work const& w, std::size_t n) {
  return n * element_bytes(w) / 16 * 16;  // drops a tail shorter than a vector, at most 15 bytes
}

template <class Once>
competitor limit(char const* name, char const* title, movement kind, Once once) {
  auto find = [kind, once](work const& w, std::size_t n) -> timed_run {
    std::size_t const bytes = bytes_moved(w, n);
    if (movement_of(w) != kind || bytes == 0) return {};
    auto run = [once, bytes](call const& c, std::size_t repeats) {
      repeat(c, repeats, [&] { once(c, bytes); });
    };
    return timed(run, n, 1);
  };
  return {name, title, role::limit, false, find};
}

}  // namespace

std::vector<competitor> limit_competitors(team& t) {
  std::vector<competitor> all{
      limit("read", "read loop, 1 thread", movement::read,
            [](call const& c, std::size_t bytes) {
              unsigned long long const sum = read_loop(c.in, bytes);
              touch(&sum);
            }),
      limit("copy", "memcpy, 1 thread", movement::copy,
            [](call const& c, std::size_t bytes) { cached_copy(c.in, c.out, bytes); }),
      limit("update", "in-place update loop, 1 thread", movement::update,
            [](call const& c, std::size_t bytes) { update_loop(c.out, bytes); })};
  if (t.size() == 1) {
    all.push_back(
        limit("stream", "non-temporal copy, 1 thread", movement::copy,
              [](call const& c, std::size_t bytes) { streaming_copy(c.in, c.out, bytes); }));
    return all;
  }
  team* const members = &t;
  all.push_back(
      limit("read-all", "read loop, all threads", movement::read,
            [members](call const& c, std::size_t bytes) { read_loop(*members, c.in, bytes); }));
  all.push_back(limit(
      "copy-all", "memcpy, all threads", movement::copy,
      [members](call const& c, std::size_t bytes) { cached_copy(*members, c.in, c.out, bytes); }));
  all.push_back(limit("stream-all", "non-temporal copy, all threads", movement::copy,
                      [members](call const& c, std::size_t bytes) {
                        streaming_copy(*members, c.in, c.out, bytes);
                      }));
  all.push_back(
      limit("update-all", "in-place update loop, all threads", movement::update,
            [members](call const& c, std::size_t bytes) { update_loop(*members, c.out, bytes); }));
  return all;
}

}  // namespace upsweep::bench
