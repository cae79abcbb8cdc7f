/// A call from a static destructor works or throws, but never hangs: exits with 0 when it did
/// either.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <exception>
#include <vector>

#include <unistd.h>

namespace {

/// Constructed before main() starts, so destroyed after everything that main() has started.
struct last_words {
  ~last_words() {
    alarm(30);  // a hang ends here, and ctest sees the signal
    try {
      std::vector<double> out(x.size());
      upsweep::inclusive_scan(x, out);
      if (out.back() != 1048576.0 || upsweep::reduce(x) != 1048576.0) {
        std::fputs("a call from a static destructor gave a wrong result\n", stderr);
        _exit(1);
      }
    } catch (std::exception const& e) {
      std::fprintf(stderr, "a call from a static destructor threw, as it may: %s\n", e.what());
    }
  }
  std::vector<double> x = std::vector<double>(1048576, 1.0);
};

last_words const at_exit;

}  // namespace

int main(int argc, char**) {
  // With an argument, the destructor makes the first call; without, the threads exist by then.
  if (argc == 1 && upsweep::reduce(at_exit.x) != 1048576.0) return 1;
  return 0;
}
