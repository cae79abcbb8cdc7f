/// For a tool that cannot load modules: it was built without libbacktrace.
#include <lab/program/program.hpp>

#include <cstdlib>

namespace upsweep::lab {

bool can_run_programs() {
  return false;
}
void become_program(program_request const&, int) {
  std::abort();
}

}  // namespace upsweep::lab
