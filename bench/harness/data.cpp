/// Input patterns, checksums and the serial reference of the benchmark.
#include <bench/harness/data.hpp>
#include <bench/harness/random.hpp>
#include <bench/plain/operators.hpp>
#include <bench/rows/catalog.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

constexpr std::size_t page = std::size_t{1} << 21;

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

template <class F>
auto with_type(element e, F f) {
  switch (e) {
    case element::i32:
      return f(std::int32_t{});
    case element::i64:
      return f(std::int64_t{});
    case element::f32:
      return f(float{});
    case element::f64:
      return f(double{});
    default:
      throw std::invalid_argument("bench: " + std::string(name_of(e)) +
                                  " is not measured on the CPU");
  }
}

bool is_user(operation op) {
  return op == operation::user || op == operation::user_in_large_file;
}

template <class T>
void write_pattern(operation op, T* x) {
  for (std::size_t i = 0; i < pattern_elements; ++i) {
    std::uint64_t const r = random_word(i);
    auto const small = static_cast<T>(static_cast<int>(r % 17) - 8);
    if (op == operation::affine) {
      x[2 * i] = static_cast<T>((r >> 32) % 2 == 0 ? 1 : -1);
      x[2 * i + 1] = small;
    } else if (op == operation::squares) {  // their sum is exact up to 2^30 elements
      x[i] = static_cast<T>(r % 64 == 0 ? (r >> 32) % 2 == 0 ? 1 : -1 : 0);
    } else {
      x[i] = op == operation::max ? static_cast<T>(r % (1u << 24)) : small;
    }
  }
  if (op == operation::sum ||
      is_user(op)) {  // makes the block's total 1, so that long sums stay small and grow
    T total{};
    for (std::size_t i = 0; i < pattern_elements; ++i) total = static_cast<T>(total + x[i]);
    for (std::size_t i = 0; total != T{1}; i = (i + 1) % pattern_elements) {
      auto const step = static_cast<T>(total < T{1} ? 1 : -1);
      if (x[i] + step > T{8} || x[i] + step < T{-8}) continue;
      x[i] = static_cast<T>(x[i] + step);
      total = static_cast<T>(total + step);
    }
  }
}

template <class T>
void fill_canceling(T* x, std::size_t n) {
  for (std::size_t i = 0; i < n / 2; ++i) {
    std::uint64_t const r = random_word(i);
    auto const mantissa = static_cast<T>(1 + static_cast<double>(r >> 12) * 0x1p-52);
    T const value =
        std::ldexp(r % 2 == 0 ? mantissa : -mantissa, static_cast<int>((r >> 1) % 60) - 30);
    x[i] = value;
    x[n - 1 - i] = -value;
  }
  if (n % 2 == 1) x[n / 2] = T{0};
  if (n >= 2) {
    x[n / 2 - 1] = static_cast<T>(exact_total);
    x[n - n / 2] = T{0};
  }
}

template <class T>
void write_reference(work const& w, void const* in, void* out, std::size_t n) {
  using sum = plain::running<plus, T>;
  auto const* const x = static_cast<T const*>(in);
  auto* const results = static_cast<T*>(out);
  if (w.op == operation::affine) {
    using map = affine_map<T>;
    plain::run<plain::running<affine, map>>(w.verb, static_cast<map const*>(in),
                                            static_cast<map*>(out), n);
  } else if (w.op == operation::exact_sum) {
    *results = n < 2 ? x[0] : static_cast<T>(exact_total);
  } else if (w.op == operation::max) {
    plain::run<plain::running<max, T>>(w.verb, x, results, n);
  } else if (w.op == operation::squares) {
    *results = T{};
    for (std::size_t i = 0; i < n; ++i) *results = static_cast<T>(*results + x[i] * x[i]);
  } else if (w.op == operation::sum && w.verb == verb::reduce) {
    plain::reduce<sum>(x, static_cast<plain::wide<T>*>(out), n);
  } else {
    plain::run<sum>(w.verb, x, results, n);
  }
}

template <class Word>
std::uint64_t weighted_sum(void const* data, std::size_t begin, std::size_t end) {
  auto const* x = static_cast<std::byte const*>(data);
  std::uint64_t sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    Word word{};
    std::memcpy(&word, x + i * sizeof(Word), sizeof word);
    sum += std::uint64_t{word} * (2 * i + 1);
  }
  return sum;
}

}  // namespace

arena::arena(std::size_t bytes) : bytes_(round_up(bytes, page)) {
  void* const got = mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  auto const address = std::bit_cast<std::uintptr_t>(got);
  auto* const first = static_cast<std::byte*>(got);
  std::size_t const skip = round_up(address, page) - address;
  memory_ = first + skip;
  if (skip > 0) munmap(first, skip);  // the rest begins at a huge page
  munmap(memory_ + bytes_, page - skip);
  madvise(memory_, bytes_, MADV_HUGEPAGE);  // advisory: it affects only the speed
}

arena::~arena() {
  munmap(memory_, bytes_);
}

slots arena::lay_out(work const& w, std::size_t n, bool cold, std::size_t cache_bytes) const {
  // 4 KiB and a cache line between input and output: at equal page offsets, loads would alias
  // earlier stores (4K aliasing).
  std::size_t const in_bytes = round_up(n * element_bytes(w), 4096) + 4096 + 64;
  std::size_t const out_bytes = w.in_place               ? 0
                                : w.verb == verb::reduce ? 4096
                                                         : n * result_bytes(w) + 4096 + 64;
  std::size_t const slot = round_up(in_bytes + out_bytes, 4096);
  std::size_t const wanted =
      cold ? std::max<std::size_t>(2, (4 * cache_bytes + slot - 1) / slot) : 1;
  return {memory_, w.in_place ? memory_ : memory_ + in_bytes, slot, slot,
          std::clamp<std::size_t>(bytes_ / slot, 1, wanted)};
}

void pattern(work const& w, void* block) {
  if (w.by_name) return find_row(w)->pattern(block);
  with_type(w.type, [&]<class T>(T) { write_pattern(w.op, static_cast<T*>(block)); });
}

void fill(team& t, work const& w, void* in, std::size_t n) {
  if (w.op == operation::exact_sum && !w.by_name) {
    if (w.type == element::f32)
      fill_canceling(static_cast<float*>(in), n);
    else
      fill_canceling(static_cast<double*>(in), n);
    return;
  }
  std::vector<std::byte> block(pattern_elements * element_bytes(w));
  pattern(w, block.data());
  std::size_t const bytes = n * element_bytes(w);
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), block.size());
    for (std::size_t at = begin; at < end; at += block.size())
      std::memcpy(static_cast<std::byte*>(in) + at, block.data(), std::min(block.size(), end - at));
  });
}

void poison(team& t, void* out, std::size_t bytes) {
  t.run([&](int member) {
    auto const [begin, end] = share(bytes, member, t.size(), 4096);
    std::memset(static_cast<std::byte*>(out) + begin, 0xa5, end - begin);
  });
}

std::uint64_t checksum(team& t, void const* data, std::size_t words, std::size_t word_bytes) {
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(t.size()));
  t.run([&](int member) {
    auto const [begin, end] = share(words, member, t.size(), 4096);
    auto& sum = sums[static_cast<std::size_t>(member)];
    if (word_bytes == 8) sum = weighted_sum<std::uint64_t>(data, begin, end);
    if (word_bytes == 4) sum = weighted_sum<std::uint32_t>(data, begin, end);
    if (word_bytes == 2) sum = weighted_sum<std::uint16_t>(data, begin, end);
    if (word_bytes == 1) sum = weighted_sum<std::uint8_t>(data, begin, end);
  });
  std::uint64_t sum = 0;
  for (auto const s : sums) sum += s;
  return sum;
}

void reference(work const& w, void const* in, void* out, std::size_t n) {
  if (w.by_name) return find_row(w)->reference(w.verb, in, out, n);
  with_type(w.type, [&]<class T>(T) { write_reference<T>(w, in, out, n); });
}

std::uint64_t checksum_of_result(team& t, work const& w, void const* out, std::size_t n) {
  std::size_t const bytes = dynamic::results_of(w.verb, n) * result_bytes(w);
  std::size_t const word =
      std::min(bytes_of(w.type), std::size_t{1} << std::countr_zero(result_bytes(w)));
  return checksum(t, out, bytes / word, word);
}

}  // namespace upsweep::bench
