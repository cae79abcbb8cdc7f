/** The text of results: few numbers as bits, more as a hash. */
#include <golden/case.h>
#include <golden/inputs.h>
#include <golden/sha256.h>

#include <stdio.h>
#include <string.h>

static void append(char text[golden_text_size], char const* more) {
  size_t const used = strlen(text);
  snprintf(text + used, golden_text_size - used, "%s", more);
}

void golden_append(char text[golden_text_size], int parts, golden_part const* part, size_t n,
                   int moved) {
  enum { most_numbers = 6 };
  golden_sha256 hash;
  char digits[65];
  if (*text != 0) append(text, " ");
  if (n == 0) append(text, "-");
  golden_sha256_begin(&hash);
  for (size_t i = 0; i < n; ++i)
    for (int p = 0; p < parts; ++p) {
      int const size = (int)upsweep_type_size(part[p].type);
      uint64_t bits = golden_bits(part[p].numbers, part[p].type, i);
      if (!moved) bits = golden_canonical(part[p].type, bits);
      if (n * (size_t)parts <= most_numbers) {
        snprintf(digits, sizeof digits, "%s%0*llx",
                 p > 0   ? ":"
                 : i > 0 ? ","
                         : "",
                 2 * size, (unsigned long long)bits);
        append(text, digits);
      }
      uint8_t bytes[8];
      for (int b = 0; b < size; ++b) bytes[b] = (uint8_t)(bits >> 8 * b);
      golden_sha256_add(&hash, bytes, (size_t)size);
    }
  if (n * (size_t)parts <= most_numbers) return;
  golden_sha256_end(&hash, digits);
  digits[16] = 0;
  append(text, "#");
  append(text, digits);
}

void golden_append_results(char text[golden_text_size], upsweep_type type, void const* x,
                           size_t n) {
  golden_append(text, 1, &(golden_part){type, x}, n, 0);
}
void golden_append_moved(char text[golden_text_size], upsweep_type type, void const* x, size_t n) {
  golden_append(text, 1, &(golden_part){type, x}, n, 1);
}
