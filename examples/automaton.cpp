/// Which characters of a text are in quotes or in comments: an automaton on all threads.
#include <upsweep/apps/automaton.hpp>

#include <cstdio>
#include <string>
#include <string_view>

int main() {
  // 0 code, 1 "string", 2 after a backslash in a string, 3 # comment up to the end of the line
  upsweep::apps::automaton const lexer(4, [](std::size_t state, unsigned char c) {
    switch (state) {
      case 0:
        return c == '"' ? 1 : c == '#' ? 3 : 0;
      case 1:
        return c == '"' ? 0 : c == '\\' ? 2 : 1;
      case 2:
        return 1;
      default:
        return c == '\n' ? 0 : 3;
    }
  });
  std::string const text = "say \"a \\\" # b\" # not \"this\"\nend";

  std::string states(text.size(), ' ');
  upsweep::apps::running_states(lexer, text, states);
  for (char& state : states) state = static_cast<char>('0' + state);

  std::string shown = text;
  shown[shown.find('\n')] = '|';
  std::printf("%s\n%s\n", shown.c_str(), states.c_str());

  auto const map = lexer.map_of(std::string_view(text).substr(9, 6));  // a part of it, as a map
  std::printf("the map of '%s' from states 0 1 2 3 is %d %d %d %d\n", text.substr(9, 6).c_str(),
              map.to[0], map.to[1], map.to[2], map.to[3]);
}
