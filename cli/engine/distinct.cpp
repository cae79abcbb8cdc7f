/// How many different numbers a column has.
#include <cli/engine/folding.hpp>
#include <cli/engine/typed_folding.hpp>
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>

#include <bit>
#include <cmath>
#include <stdexcept>

namespace upsweep::cli {

namespace {

/// Keeps each number once: whenever there are twice as many as were left the last time, they are
/// sorted and the repeated ones dropped. -0 and 0 are one number, and all NaNs are.
class distinct_folding final : public folding {
 public:
  distinct_folding(io::dtype takes, folding_settings const& settings)
      : takes_(takes), on_{.threads = settings.threads} {}

  [[nodiscard]] io::dtype takes() const noexcept override { return takes_; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  void restart(std::uint64_t /*first_row*/) override {
    values_.clear();
    limit_ = least;
  }
  void reduce(std::span<io::typed_column const> values) override {
    with_compute_type(takes_, [&]<class T>() {
      for (T const x : values[0].as<T>()) {
        values_.push_back(key(x));
        if (values_.size() == limit_) {
          drop_repeated();
          limit_ = std::max(least, 2 * values_.size());
        }
      }
    });
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> /*values*/,
            std::span<column_buffer> /*results*/) override {
    throw std::logic_error("distinct: upsweep scan refuses it");
  }
  void result(std::span<column_buffer> results) override {
    drop_repeated();
    results[0].push(static_cast<std::uint64_t>(values_.size()));
  }
  [[nodiscard]] bool takes_piece(piece /*of*/) const noexcept override { return true; }
  void save_part(saved_state& to) const override {
    put(to, values_.size());
    put_all(to, std::span<std::uint64_t const>(values_));
  }
  void join_part(saved_reader& from) override {
    std::size_t const had = values_.size(), later = from.take_count(sizeof(std::uint64_t));
    values_.resize(had + later);
    from.take(std::as_writable_bytes(std::span(values_).subspan(had)));
    drop_repeated();
    limit_ = std::max(least, 2 * values_.size());
  }

 private:
  static constexpr std::size_t least = 1024;

  template <class T>
  static std::uint64_t key(T x) {
    if constexpr (std::is_integral_v<T>) return static_cast<std::uint64_t>(x);
    if (std::isnan(x)) return ~std::uint64_t{0};
    return std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : static_cast<double>(x));
  }
  void drop_repeated() {
    auto* const x = values_.data();
    dynamic::sort(on_, io::dtype::u64, x, values_.size(), false, x);
    values_.resize(dynamic::unique(on_, io::dtype::u64, x, values_.size(), x, values_.size()));
  }

  io::dtype takes_;
  cpu on_;
  std::vector<std::uint64_t> values_;
  std::size_t limit_ = least;
  std::vector<result_field> fields_{{"distinct", io::dtype::u64}};
};

}  // namespace

std::unique_ptr<folding> make_distinct(operator_use const& use, io::dtype type,
                                       folding_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, name_of(type));
  return std::make_unique<distinct_folding>(compute_type(type), settings);
}

}  // namespace upsweep::cli
