/* A user's C program, which checks the version when it is compiled and compares it with the
 * library's when it runs. */
#include <upsweep/upsweep.h>

#include <stdio.h>
#include <string.h>

#if UPSWEEP_VERSION < 100
#error this program needs upsweep 0.1.0 or newer
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION upsweep_version()
#endif

int main(void) {
  double const x[] = {3, 1, 2};
  double total = 0, sorted[3];
  char compiled[32];
  if (upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 3, NULL, &total) != UPSWEEP_OK)
    puts(upsweep_last_error_message());
  if (upsweep_sort(UPSWEEP_F64, x, 3, NULL, sorted) != UPSWEEP_OK)
    puts(upsweep_last_error_message());
  snprintf(compiled, sizeof compiled, "%d.%d.%d", UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR,
           UPSWEEP_VERSION_PATCH);
  printf("total %.1f; headers %s, package %s, library %s\n", total, compiled, PACKAGE_VERSION,
         upsweep_version());
  return total == 6 && sorted[0] == 1 && sorted[2] == 3 && strcmp(compiled, PACKAGE_VERSION) == 0 &&
                 strcmp(compiled, upsweep_version()) == 0
             ? 0
             : 1;
}
