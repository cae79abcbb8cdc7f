/// Copies of the inputs in one block of memory, and the expected results.
#include <bench/harness/competitor.hpp>
#include <bench/harness/verb_memory.hpp>
#include <bench/plain/std_calls.hpp>
#include <bench/plain/verbs.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace upsweep::bench {
namespace {

constexpr int unlike_any_result = 0xa5;

/// Lays out one array after the other, with 4 KiB and a cache line between them: at equal page
/// offsets, loads would alias earlier stores.
class layout {
 public:
  std::size_t place(std::size_t bytes) {
    std::size_t const begin = size_;
    if (bytes > 0) size_ += (bytes + 4095) / 4096 * 4096 + 4096 + 64;
    return begin;
  }
  [[nodiscard]] std::size_t size() const { return (size_ + 4095) / 4096 * 4096 + 4096; }

 private:
  std::size_t size_ = 0;
};

template <class T>
void copy_to(std::byte* to, std::vector<T> const& from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
}
template <class T>
std::size_t bytes_in(std::vector<T> const& all) {
  return all.size() * sizeof(T);
}

/// The first of `count` numbers that differs, or `count`.
template <class T>
std::size_t mismatch_of(std::byte const* x, void const* y, std::size_t count) {
  auto const* const a = reinterpret_cast<T const*>(x);
  return static_cast<std::size_t>(std::mismatch(a, a + count, static_cast<T const*>(y)).first - a);
}
std::size_t mismatch_of(std::string const& type, std::vector<std::byte> const& expected,
                        void const* found) {
  std::size_t const bytes = bytes_of_type(type), count = bytes > 0 ? expected.size() / bytes : 0;
  auto const* const x = expected.data();
  if (type == "f32") return mismatch_of<float>(x, found, count);
  if (type == "f64") return mismatch_of<double>(x, found, count);
  return bytes == 1   ? mismatch_of<std::uint8_t>(x, found, count)
         : bytes == 4 ? mismatch_of<std::uint32_t>(x, found, count)
                      : mismatch_of<std::uint64_t>(x, found, count);
}

auto reference_of(verb_row const& row) {
  for (verb_entries const all :
       {verb_entries(plain::sliding), verb_entries(std_calls<without_policy>::all),
        verb_entries(plain::verbs)})
    if (auto const* const found = entry_for(all, row, 0)) return found->run;
  throw std::logic_error("bench: there is no reference for " + row.title());
}

}  // namespace

verb_memory::verb_memory(verb_row const& row, std::size_t n, bool cold, std::size_t cache_bytes,
                         int threads)
    : row_(row),
      input_(input_of(row, n)),
      n_(n),
      threads_(threads),
      memory_(lay_out(cold ? 4 * cache_bytes : 0)) {
  for (std::size_t copy = 0; copy < copies_; ++copy) {
    std::byte* const to = memory_.first() + copy * stride_;
    copy_to(to, input_.elements);
    copy_to(to + keys_at_, input_.keys);
    copy_to(to + offsets_at_, input_.offsets);
    copy_to(to + levels_at_, input_.levels);
    std::memset(to + out_at_, 0, stride_ - out_at_);  // no page is new to the first call
  }
  compute_expected();
}

/// Lays out everything; returns the size of all copies. There is one, unless they have to cover
/// `least` bytes.
std::size_t verb_memory::lay_out(std::size_t least) {
  layout all;
  std::size_t const out = input_.room * bytes_of_type(input_.result_type),
                    more = input_.more_room * bytes_of_type(input_.more_type),
                    in = bytes_in(input_.elements) + bytes_in(input_.keys) +
                         bytes_in(input_.offsets);
  (void)all.place(bytes_in(input_.elements) + 64);
  keys_at_ = all.place(bytes_in(input_.keys));
  offsets_at_ = all.place(bytes_in(input_.offsets));
  levels_at_ = all.place(bytes_in(input_.levels));
  out_at_ = all.place(out + 64);
  more_at_ = all.place(more);
  copy_at_ = all.place((in + out + more) / 2);
  copy_to_at_ = all.place((in + out + more) / 2);
  stride_ = all.size();
  if (least > 0) copies_ = std::max<std::size_t>(2, (least + stride_ - 1) / stride_);
  return copies_ * stride_;
}

call verb_memory::at(std::size_t copy, int threads) const {
  std::byte* const to = memory_.first() + copy * stride_;
  call c;
  c.n = row_.data == verb_data::empty ? 0 : n_;
  c.in = to;
  if (!input_.keys.empty()) c.keys = reinterpret_cast<std::uint32_t const*>(to + keys_at_);
  if (!input_.offsets.empty()) c.offsets = reinterpret_cast<std::size_t const*>(to + offsets_at_);
  if (!input_.levels.empty()) c.levels = reinterpret_cast<double const*>(to + levels_at_);
  c.parts = input_.parts;
  c.level = input_.level;
  c.out = to + out_at_;
  if (input_.more_room > 0) c.more = to + more_at_;
  c.threads = threads > 0 ? threads : threads_;
  return c;
}

void verb_memory::restore(call const& c) const {
  if (!row_.is_in_place()) return;
  std::memcpy(c.out, c.in, input_.elements.size());
  if (c.more) std::memcpy(c.more, c.keys, bytes_in(input_.keys));
}

call verb_memory::next(int threads) {
  call const c = at(next_++ % copies_, threads);
  restore(c);
  return c;
}

call verb_memory::clean(int threads) const {
  call const c = at(0, threads);
  std::memset(c.out, unlike_any_result, input_.room * bytes_of_type(input_.result_type));
  if (c.more)
    std::memset(c.more, unlike_any_result, input_.more_room * bytes_of_type(input_.more_type));
  restore(c);
  return c;
}

std::pair<std::byte const*, std::byte*> verb_memory::next_copy() {
  std::byte* const to = memory_.first() + (next_++ % copies_) * stride_;
  return {to + copy_at_, to + copy_to_at_};
}

/// Results in `more` if there are `count` in `out`.
std::size_t verb_memory::more_count(std::size_t count) const {
  if (row_.op == "three") return input_.more_room;  // with what follows the parts
  return input_.more_room == 0 ? 0 : row_.verb == "partition" ? n_ - std::min(n_, count) : count;
}

void verb_memory::compute_expected() {
  call c = clean();
  reference_of(row_)(c);
  expected_count_ = c.count;
  auto const* const out = static_cast<std::byte const*>(c.out);
  expected_.assign(out, out + c.count * bytes_of_type(input_.result_type));
  auto const* const more = static_cast<std::byte const*>(c.more);
  if (more)
    expected_more_.assign(more, more + more_count(c.count) * bytes_of_type(input_.more_type));
  std::size_t const read = row_.pads() ? padded_rows(c) * kept_columns * sizeof(float)
                                       : input_.elements.size(),
                    written = row_.op == "three" ? input_.elements.size()
                                                 : expected_.size() + expected_more_.size();
  traffic_ = read + bytes_in(input_.keys) + bytes_in(input_.offsets) + written;
}

std::string verb_memory::difference(call const& c) const {
  if (c.count != expected_count_)
    return "it has " + std::to_string(c.count) + " results instead of " +
           std::to_string(expected_count_);
  std::size_t const at = mismatch_of(input_.result_type, expected_, c.out);
  if (at < expected_count_) return "result " + std::to_string(at) + " is wrong";
  std::size_t const more_at = mismatch_of(input_.more_type, expected_more_, c.more);
  if (more_at < more_count(expected_count_))
    return "result " + std::to_string(more_at) + " of the second output is wrong";
  return {};
}

}  // namespace upsweep::bench
