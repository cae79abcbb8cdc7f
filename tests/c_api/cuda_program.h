/* For the C programs on a GPU: what failed, and what a call has to refuse. */
#pragma once

#include <upsweep/upsweep.h>

#include <stdio.h>
#include <string.h>

static int checks, failures;

/* The status of a call that has just returned, and a part of the sentence. */
static void expect(upsweep_status status, upsweep_status wanted, char const* part) {
  ++checks;
  if (status == wanted && strstr(upsweep_last_error_message(), part)) return;
  printf("failed: status %d, not %d with '%s'; the last error is: %s\n", status, wanted, part,
         upsweep_last_error_message());
  ++failures;
}
