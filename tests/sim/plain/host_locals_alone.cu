/// Thread-local variables of the host, all without a value, in a module that has no shared arrays.
#include <exception>
#include <stdexcept>
#include <string>

thread_local int calls;
thread_local long doubled;

extern "C" void use_host_locals_alone(int count, long* values) {
  long caught = 0;
  for (int i = 0; i < count; ++i) {
    ++calls;
    doubled += 2;
    try {
      throw std::runtime_error(std::to_string(calls));
    } catch (std::exception const& e) {
      caught += std::stol(e.what());
    }
  }
  values[0] = calls, values[1] = doubled, values[2] = caught;
}
