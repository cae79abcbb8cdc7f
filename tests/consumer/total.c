/* A C program with one reduction: tests/package/consumer.cmake bounds its size. */
#include <upsweep/upsweep.h>

int main(void) {
  double const x[] = {3, 1, 2};
  double total = 0;
  return upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 3, NULL, &total) == UPSWEEP_OK && total == 6
             ? 0
             : 1;
}
