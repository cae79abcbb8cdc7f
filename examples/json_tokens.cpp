/// The tokens of a JSON file, how deep it is, and the names at its top.
#include <upsweep/apps/json_tokens.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

int main(int count, char** arguments) {
  std::ifstream file(count > 1 ? arguments[1] : "examples/data/earthquakes.geojson");
  std::string const text(std::istreambuf_iterator<char>(file), {});

  auto const tokens = upsweep::apps::tokens_of_json(text);
  try {
    upsweep::apps::expect_json(tokens);
  } catch (upsweep::apps::text_error const& e) {
    std::printf("%s\n", e.what());
    return 1;
  }
  auto const depths = upsweep::apps::depths_of_json(tokens);
  std::printf("%zu bytes, %zu tokens, %u deep; at the top:", text.size(), tokens.size(),
              upsweep::reduce(depths, upsweep::max{}));
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k)
    if (depths[k] == 1 && tokens.kind(k + 1) == ':')
      std::printf(" %s", std::string(tokens.raw(k)).c_str());
  std::printf("\n");
}
