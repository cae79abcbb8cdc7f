/// What a page calls: a request in JSON gives an answer in JSON.
#include <lab/wasm/answers.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

extern "C" {

[[gnu::visibility("default"), clang::export_name("lab_allocate")]] char* lab_allocate(
    std::size_t bytes) {
  return static_cast<char*>(std::malloc(bytes));
}
[[gnu::visibility("default"), clang::export_name("lab_free")]] void lab_free(char* place) {
  std::free(place);
}

/// `request`: an object with `verb` and the options of that command. Returns its answer, or
/// {"error": sentence}; lab_free() frees it.
[[gnu::visibility("default"), clang::export_name("lab_answer")]] char* lab_answer(
    char const* request) {
  using object = nlohmann::ordered_json;
  constexpr auto replace = object::error_handler_t::replace;
  std::string text;
  try {
    text = upsweep::lab::answer_to(object::parse(request)).dump(-1, ' ', false, replace);
  } catch (std::exception const& e) {
    text = object{{"error", e.what()}}.dump(-1, ' ', false, replace);
  }
  char* const copy = lab_allocate(text.size() + 1);
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}
}
