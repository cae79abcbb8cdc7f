/// Finds signs and currencies around a number.
#include <io/text_types.hpp>

#include <io/shown.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::io {
namespace {

/// ISO 4217, without metals and units of account.
constexpr std::string_view currency_codes =
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL "
    "BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF "
    "DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG "
    "HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP "
    "LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN "
    "NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG "
    "SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS "
    "UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL ";

constexpr std::string_view currency_names[] = {"kr",  "kr.", "zł",   "Kč",  "Ft", "Rs",
                                               "Rs.", "Fr.", "SFr.", "lei", "лв", "лв."};

/// The characters of Unicode's category of currency signs.
bool is_currency_sign(char32_t c) noexcept {
  constexpr std::pair<char32_t, char32_t> ranges[] = {
      {0x24, 0x24},      {0xa2, 0xa5},     {0x58f, 0x58f},   {0x60b, 0x60b},     {0x7fe, 0x7ff},
      {0x9f2, 0x9f3},    {0x9fb, 0x9fb},   {0xaf1, 0xaf1},   {0xbf9, 0xbf9},     {0xe3f, 0xe3f},
      {0x17db, 0x17db},  {0x20a0, 0x20c0}, {0xa838, 0xa838}, {0xfdfc, 0xfdfc},   {0xfe69, 0xfe69},
      {0xff04, 0xff04},  {0xffe0, 0xffe1}, {0xffe5, 0xffe6}, {0x11fdd, 0x11fe0}, {0x1e2ff, 0x1e2ff},
      {0x1ecb0, 0x1ecb0}};
  return std::ranges::any_of(ranges, [&](auto const& r) { return r.first <= c && c <= r.second; });
}

/// A code, a name, or a sign, which may have a country before it: "EUR", "kr", "$", "US$".
bool is_currency(std::string_view word) noexcept {
  if (word.size() == 3)
    for (std::size_t at = 0; at < currency_codes.size(); at += 4)
      if (currency_codes.substr(at, 3) == word) return true;
  if (std::ranges::find(currency_names, word) != std::end(currency_names)) return true;
  for (int letters = 0; letters < 2 && !word.empty() && word[0] >= 'A' && word[0] <= 'Z'; ++letters)
    word.remove_prefix(1);
  if (word.empty()) return false;
  auto const sign = take_character(word);
  return sign && word.empty() && is_currency_sign(*sign);
}

bool begins_with_digit(std::string_view text) noexcept {
  return !text.empty() && is_digit(text[0]);
}

constexpr std::string_view blanks[] = {" ", "\u00a0", "\u202f", "\u2009"};
constexpr std::string_view minuses[] = {"-", "\u2212"};

/// What is taken from both ends of a text, which `text` then no longer has.
class amount_ends {
 public:
  amount_ends(std::string_view text, char decimal) : text_(text), decimal_(decimal) {}

  std::optional<amount> take_all() {
    while (take_front()) continue;
    while (take_back()) continue;
    bool const closed = opens_ == closes_ && !(opens_ && (minus_ || plus_));
    bool const is_number = begins_with_digit(text_) || text_.starts_with(decimal_);
    if (!closed || !is_number) return std::nullopt;
    return amount{text_, opens_ || minus_, before_ + after_};
  }

 private:
  bool take_front() {
    for (auto const blank : blanks)
      if (text_.starts_with(blank)) return remove_front(blank.size());
    if (!opens_ && text_.starts_with('(')) return opens_ = remove_front(1);
    if (!minus_ && !plus_) {
      for (auto const minus : minuses)
        if (text_.starts_with(minus)) return minus_ = remove_front(minus.size());
      if (text_.starts_with('+')) return plus_ = remove_front(1);
    }
    if (!before_.empty()) return false;
    std::size_t size = 0;
    while (size < text_.size() && border_size(text_.substr(size)) == 0) ++size;
    for (; size > 0; size -= text_[size - 1] == decimal_ ? 1 : size)  // "$.50"
      if (is_currency(text_.substr(0, size))) {
        before_ = text_.substr(0, size);
        return remove_front(size);
      }
    return false;
  }
  bool take_back() {
    for (auto const blank : blanks)
      if (text_.ends_with(blank)) return remove_back(blank.size());
    if (!closes_ && text_.ends_with(')')) return closes_ = remove_back(1);
    for (auto const minus : minuses) {
      if (minus_ || plus_ || !text_.ends_with(minus)) continue;
      auto const before = text_.substr(0, text_.size() - minus.size());
      bool const has_separator = before.ends_with(decimal_) || before.ends_with(',');
      if (has_separator &&
          begins_with_digit(before.substr(std::max<std::size_t>(before.size(), 2) - 2)))
        return false;  // "5.-"
      return minus_ = remove_back(minus.size());
    }
    if (!after_.empty()) return false;
    std::size_t at = text_.size(), border = 0;
    while (at > 0 && border == 0) border = border_size(text_.substr(--at));
    auto word = text_.substr(at + border);
    if (word.starts_with(decimal_)) word.remove_prefix(1);  // "5.€"
    if (!is_currency(word)) return false;
    after_ = word;
    return remove_back(word.size());
  }
  /// How long the digit, blank, sign or parenthesis is with which `rest` begins; otherwise 0.
  [[nodiscard]] static std::size_t border_size(std::string_view rest) {
    char const first = rest[0];
    if (static_cast<signed char>(first) >= 0)  // one byte, the common case
      return is_digit(first) || first == ' ' || first == '-' || first == '+' || first == '(' ||
             first == ')';
    for (auto const blank : blanks)
      if (rest.starts_with(blank)) return blank.size();
    for (auto const minus : minuses)
      if (rest.starts_with(minus)) return minus.size();
    return 0;
  }
  bool remove_front(std::size_t n) {
    text_.remove_prefix(n);
    return true;
  }
  bool remove_back(std::size_t n) {
    text_.remove_suffix(n);
    return true;
  }

  std::string_view text_;
  char decimal_;
  bool opens_ = false, closes_ = false, minus_ = false, plus_ = false;
  std::string before_, after_;
};

}  // namespace

std::optional<amount> parse_amount(std::string_view text, char decimal) {
  return amount_ends(text, decimal).take_all();
}

bool one_currency::takes(std::string_view currency) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, currency.data(), std::min(currency.size(), sizeof bytes));
  auto known = bytes_.load();
  if (bytes == 0 || bytes == known) return true;
  return known == 0 && (bytes_.compare_exchange_strong(known, bytes) || known == bytes);
}

std::string one_currency::name() const {
  auto const bytes = bytes_.load();
  char text[sizeof bytes + 1] = {};
  std::memcpy(text, &bytes, sizeof bytes);
  return text;
}

}  // namespace upsweep::io
