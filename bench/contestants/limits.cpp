/// The limits: vectorized loops that the compiler clones for each vector width, and the competitors
/// that run them, each for the kind of work that it bounds.
#include <bench/contestants/competitors.hpp>
#include <bench/harness/clock.hpp>
#include <bench/harness/verb_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// g++ compiles a function once per target and selects one at load time. ThreadSanitizer is not
// initialized by then, so it gets the default width, as do other compilers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define UPSWEEP_EVERY_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define UPSWEEP_EVERY_WIDTH
#endif

namespace upsweep::bench {
namespace {

typedef unsigned long long word __attribute__((may_alias));  // NOLINT: `using` drops the attribute

constexpr std::size_t grain =
    4096;  // shares begin at pages, so no two members write one cache line

}  // namespace

// Loops over words rather than vectors: for vectors that are wider than the machine's, g++ keeps
// the sums in memory, seven times slower in a cache.
UPSWEEP_EVERY_WIDTH unsigned long long read_loop(void const* in, std::size_t bytes) {
  auto const* const x = static_cast<word const*>(in);
  std::size_t const words = bytes / sizeof(word);
  unsigned long long a = 0, b = 0, c = 0, d = 0;
  std::size_t i = 0;
  for (; i + 256 <= words; i += 256)
    for (std::size_t j = 0; j < 64; ++j) {
      a += x[i + j];
      b += x[i + 64 + j];
      c += x[i + 128 + j];
      d += x[i + 192 + j];
    }
  for (; i < words; ++i) a += x[i];
  return a + b + c + d;
}

void cached_copy(void const* in, void* out, std::size_t bytes) {
  std::memcpy(out, in, bytes);
}

void streaming_copy(void const* in, void* out, std::size_t bytes) {
#if defined(__SSE2__)
  auto const* x = static_cast<__m128i const*>(in);
  auto* y = static_cast<__m128i*>(out);
  std::size_t const count = bytes / sizeof(__m128i);
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {  // a whole cache line at once, for the write-combining buffers
    __m128i const a = _mm_loadu_si128(x + i), b = _mm_loadu_si128(x + i + 1);
    __m128i const c = _mm_loadu_si128(x + i + 2), d = _mm_loadu_si128(x + i + 3);
    _mm_stream_si128(y + i, a);
    _mm_stream_si128(y + i + 1, b);
    _mm_stream_si128(y + i + 2, c);
    _mm_stream_si128(y + i + 3, d);
  }
  for (; i < count; ++i) _mm_stream_si128(y + i, _mm_loadu_si128(x + i));
  _mm_sfence();  // the non-temporal stores are now ordered before later stores
#else
  std::memcpy(out, in, bytes);
#endif
}

UPSWEEP_EVERY_WIDTH void update_loop(void* data, std::size_t bytes) {
  auto* x = static_cast<word*>(data);
  for (std::size_t i = 0; i < bytes / sizeof(word); ++i) ++x[i];
}

void read_loop(team& t, void const* in, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    unsigned long long const sum = read_loop(static_cast<char const*>(in) + begin, end - begin);
    touch(&sum);
  });
}

void cached_copy(team& t, void const* in, void* out, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    cached_copy(static_cast<char const*>(in) + begin, static_cast<char*>(out) + begin, end - begin);
  });
}

void streaming_copy(team& t, void const* in, void* out, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    streaming_copy(static_cast<char const*>(in) + begin, static_cast<char*>(out) + begin,
                   end - begin);
  });
}

void update_loop(team& t, void* data, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), grain);
    update_loop(static_cast<char*>(data) + begin, end - begin);
  });
}

namespace {

/// The memory traffic of a work, which determines its limits.
enum class movement { read, copy, update };

movement movement_of(work const& w) {
  if (w.verb == verb::reduce) return movement::read;
  return w.in_place ? movement::update : movement::copy;
}

/// What a limit moves: the elements of a work without a tail of at most 15, so that all sizes are
/// multiples of 16 bytes.
struct amount {
  std::size_t n, element_bytes, result_bytes;
  [[nodiscard]] std::size_t bytes() const { return n * element_bytes; }
};
amount amount_of(work const& w, std::size_t n) {
  return {n / 16 * 16, element_bytes(w), dynamic::is_scan(w.verb) ? result_bytes(w) : 0};
}

void read_all(team& t, amount const& a, call const& c) {
  read_loop(t, c.in, a.bytes());
}
void update_all(team& t, amount const& a, call const& c) {
  update_loop(t, c.out, a.bytes());
}

/// Moves the bytes of a scan whose results have another size than the elements: it repeats pieces
/// of the input that are in the first cache, or reads what it does not copy.
template <auto copy>
void convert(std::byte const* in, std::byte* out, std::size_t in_bytes, std::size_t out_bytes) {
  for (std::size_t done = 0; done < out_bytes; done += in_bytes)
    copy(in, out + done, std::min(in_bytes, out_bytes - done));
  if (out_bytes < in_bytes) {
    unsigned long long const sum = read_loop(in + out_bytes, in_bytes - out_bytes);
    touch(&sum);
  }
}

/// `copy` is one of competitors.hpp for one thread; `copy_together` the same for a team.
template <auto copy, auto copy_together>
void copy_all(team& t, amount const& a, call const& c) {
  std::size_t const in_size = a.element_bytes, out_size = a.result_bytes;
  if (in_size == out_size) return copy_together(t, c.in, c.out, a.bytes());
  constexpr std::size_t piece = 1024;  // elements
  auto const* const in = static_cast<std::byte const*>(c.in);
  auto* const out = static_cast<std::byte*>(c.out);
  t.run([&](int member) {
    auto const [begin, end] = share(a.n, member, t.size(), 4096);
    for (std::size_t at = begin; at < end; at += piece) {
      std::size_t const n = std::min(piece, end - at);
      convert<copy>(in + at * in_size, out + at * out_size, n * in_size, n * out_size);
    }
  });
}

constexpr auto ordinary_copy =
    copy_all<static_cast<void (*)(void const*, void*, std::size_t)>(cached_copy),
             static_cast<void (*)(team&, void const*, void*, std::size_t)>(cached_copy)>;
constexpr auto non_temporal_copy =
    copy_all<static_cast<void (*)(void const*, void*, std::size_t)>(streaming_copy),
             static_cast<void (*)(team&, void const*, void*, std::size_t)>(streaming_copy)>;

using moving_loop = void (*)(team&, amount const&, call const&);

competitor limit(std::string name, std::string title, movement kind, std::shared_ptr<team> members,
                 moving_loop once) {
  auto find = [kind, once, members](work const& w, std::size_t n) -> timed_run {
    amount const a = amount_of(w, n);
    if (movement_of(w) != kind || a.n == 0) return {};
    auto run = [once, members, a](call const& c, std::size_t repeats) {
      repeat(c, repeats, [&] { once(*members, a, c); });
    };
    return timed(run, n, members->size());
  };
  find_verb_function find_verb;
  if (kind == movement::copy)
    find_verb = [once, members](verb_row const&, std::size_t, verb_memory& memory) -> verb_attempt {
      amount const a{memory.copy_bytes() / 16, 16, 16};
      auto time = [once, members, a, &memory](std::size_t repeats) {
        return host_seconds([&] {
          for (std::size_t r = 0; r < repeats; ++r) {
            auto const [from, to] = memory.next_copy();
            once(*members, a, {.in = from, .out = to});
          }
        });
      };
      return {time, {}};
    };
  return {std::move(name), std::move(title), role::limit, false, find, find_verb};
}

}  // namespace

std::vector<competitor> limit_competitors(team& t) {
  auto const alone = std::make_shared<team>(1);
  std::vector<competitor> all{
      limit("read", "read loop, 1 thread", movement::read, alone, read_all),
      limit("copy", "memcpy, 1 thread", movement::copy, alone, ordinary_copy),
      limit("update", "in-place update loop, 1 thread", movement::update, alone, update_all)};
  if (t.size() == 1) {
    all.push_back(
        limit("stream", "non-temporal copy, 1 thread", movement::copy, alone, non_temporal_copy));
    return all;
  }
  std::shared_ptr<team> const members(std::shared_ptr<team>(), &t);  // not owned
  all.push_back(limit("read-all", "read loop, all threads", movement::read, members, read_all));
  all.push_back(limit("copy-all", "memcpy, all threads", movement::copy, members, ordinary_copy));
  all.push_back(limit("stream-all", "non-temporal copy, all threads", movement::copy, members,
                      non_temporal_copy));
  all.push_back(limit("update-all", "in-place update loop, all threads", movement::update, members,
                      update_all));
  return all;
}

std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int t = 1; t < most; t *= 2) counts.push_back(t);
  counts.push_back(most);
  return counts;
}

std::vector<competitor> competitors_by_threads(int most) {
  std::vector<competitor> all;
  for (int const threads : thread_counts(most)) {
    auto const members = std::make_shared<team>(threads);
    std::vector<competitor> some{
        limit("read", "read loop", movement::read, members, read_all),
        limit("copy", "memcpy", movement::copy, members, ordinary_copy),
        limit("stream", "non-temporal copy", movement::copy, members, non_temporal_copy),
        upsweep_competitors(threads).front()};
    for (competitor& c : some) {
      c.threads = threads;
      all.push_back(std::move(c));
    }
  }
  return all;
}

}  // namespace upsweep::bench
