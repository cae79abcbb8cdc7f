/** The inputs of the golden set: docs/spec/golden.md has the tables that this file follows. */
#include <golden/inputs.h>

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void* golden_room(golden_memory* memory, size_t bytes) {
  enum { front = 16 };
  void** const block = calloc(1, bytes + front);
  if (block == NULL) longjmp(memory->none, 1);
  *block = memory->first;
  memory->first = block;
  return (char*)block + front;
}

void golden_free(golden_memory* memory) {
  while (memory->first != NULL) {
    void** const block = memory->first;
    memory->first = *block;
    free(block);
  }
}

upsweep_type golden_type(char const* name) {
  static char const* const names[] = {"i8",  "i16", "i32", "i64",  "u8",  "u16",
                                      "u32", "u64", "f16", "bf16", "f32", "f64"};
  for (int i = 0; i < 12; ++i)
    if (strcmp(names[i], name) == 0) return (upsweep_type)(i + 1);
  return (upsweep_type)0;
}

int golden_is_float(upsweep_type type) {
  return type >= UPSWEEP_F16;
}
int golden_is_signed(upsweep_type type) {
  return type <= UPSWEEP_I64;
}

uint64_t golden_bits(void const* array, upsweep_type type, size_t i) {
  switch (upsweep_type_size(type)) {
    case 1:
      return ((uint8_t const*)array)[i];
    case 2:
      return ((uint16_t const*)array)[i];
    case 4:
      return ((uint32_t const*)array)[i];
    default:
      return ((uint64_t const*)array)[i];
  }
}
void golden_store(void* array, upsweep_type type, size_t i, uint64_t bits) {
  switch (upsweep_type_size(type)) {
    case 1:
      ((uint8_t*)array)[i] = (uint8_t)bits;
      break;
    case 2:
      ((uint16_t*)array)[i] = (uint16_t)bits;
      break;
    case 4:
      ((uint32_t*)array)[i] = (uint32_t)bits;
      break;
    default:
      ((uint64_t*)array)[i] = bits;
  }
}

/** How a floating-point type is laid out. */
typedef struct layout {
  int bits, fraction_bits, bias;
  uint64_t sign, fraction_mask, exponents, infinity, nan;
} layout;

static layout layout_of(upsweep_type type) {
  static int const fraction_bits[] = {10, 7, 23, 52}, bits[] = {16, 16, 32, 64};
  int const m = fraction_bits[type - UPSWEEP_F16], b = bits[type - UPSWEEP_F16];
  uint64_t const one = 1, exponents = one << (b - 1 - m), infinity = (exponents - 1) << m;
  return (layout){b,         m,        (int)(exponents / 2) - 1, one << (b - 1), (one << m) - 1,
                  exponents, infinity, infinity | one << (m - 1)};
}

double golden_value(upsweep_type type, uint64_t bits) {
  if (!golden_is_float(type)) {
    int const unused = 64 - 8 * (int)upsweep_type_size(type);
    if (!golden_is_signed(type)) return (double)bits;
    uint64_t const sign = UINT64_C(1) << (63 - unused);
    return (bits & sign) != 0 ? -(double)(sign - (bits & (sign - 1))) : (double)bits;
  }
  layout const f = layout_of(type);
  uint64_t const fraction = bits & f.fraction_mask,
                 exponent = bits >> f.fraction_bits & (f.exponents - 1);
  double const sign = (bits & f.sign) != 0 ? -1 : 1;
  if (exponent == f.exponents - 1) return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
  uint64_t const whole = exponent == 0 ? fraction : fraction | (f.fraction_mask + 1);
  return sign *
         ldexp((double)whole, (int)(exponent == 0 ? 1 : exponent) - f.bias - f.fraction_bits);
}

/** The bits of a finite number that the type has, 0 or normal there. */
static uint64_t encoded(upsweep_type type, double x) {
  layout const f = layout_of(type);
  uint64_t const sign = signbit(x) != 0 ? f.sign : 0;
  if (x == 0) return sign;
  int exponent;
  double const fraction = frexp(fabs(x), &exponent);  // in [1/2, 1)
  uint64_t const whole = (uint64_t)ldexp(fraction, f.fraction_bits + 1);
  return sign | (uint64_t)(exponent - 1 + f.bias) << f.fraction_bits | (whole & f.fraction_mask);
}

uint64_t golden_converted(upsweep_type from, uint64_t bits, upsweep_type to) {
  if (from == to) return bits;
  if (!golden_is_float(from)) {
    int const unused = 64 - 8 * (int)upsweep_type_size(from);
    uint64_t const sign = UINT64_C(1) << (63 - unused);
    return golden_is_signed(from) && (bits & sign) != 0 ? bits | ~(sign - 1) : bits;
  }
  double const x = golden_value(from, bits);
  if (from == UPSWEEP_BF16) return golden_canonical(to, bits << 16);
  if (isfinite(x)) {
    float const single = (float)x;  // f16 becomes f32, which has all of its numbers
    uint32_t pattern;
    memcpy(&pattern, &single, sizeof pattern);
    return pattern;
  }
  layout const f = layout_of(to);
  return isnan(x) ? f.nan : f.infinity | (x < 0 ? f.sign : 0);
}

uint64_t golden_canonical(upsweep_type type, uint64_t bits) {
  if (!golden_is_float(type)) return bits;
  layout const f = layout_of(type);
  return (bits & ~f.sign) > f.infinity ? f.nan : bits;
}

double golden_decimal(char const* text, char** end) {
  int const rounding = fegetround();
  fesetround(FE_TONEAREST);
  double const x = strtod(text, end);
  fesetround(rounding);
  return x;
}

/** Word k of a stream (splitmix64). */
static uint64_t word(uint64_t stream, uint64_t k) {
  uint64_t z = stream + (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static uint64_t float_pattern(upsweep_type type, char const* kind, uint64_t u, uint64_t v) {
  layout const f = layout_of(type);
  int const m = f.fraction_bits;
  double const one = ldexp(1, m);
  uint64_t const sign = u >> 63 << (f.bits - 1), fraction = v & f.fraction_mask;
  uint64_t const finite[] = {
      0, 1, f.fraction_mask, UINT64_C(1) << m, (uint64_t)f.bias << m, f.infinity - 1};
  uint64_t const edge = finite[u % 12 / 2] | u % 12 % 2 << (f.bits - 1), rare = u >> 32;
  if (strcmp(kind, "bits") == 0) return v & (f.sign | (f.sign - 1));
  if (strcmp(kind, "scattered") == 0) {
    uint64_t const half = type == UPSWEEP_F16 ? 4 : 20;
    if (rare % 50 == 0) return sign;
    return sign | ((uint64_t)f.bias - half + (u >> 8) % (2 * half + 1)) << m | fraction;
  }
  if (strcmp(kind, "wide") == 0) return sign | (u >> 8) % (f.exponents - 1) << m | fraction;
  if (strcmp(kind, "unit") == 0) return encoded(type, (double)fraction / one);
  if (strcmp(kind, "near1") == 0) {
    uint64_t const low = (uint64_t)(901 * one / 1024), width = (uint64_t)(251 * one / 1024);
    return sign | encoded(type, (double)(low + v % width) / one);
  }
  if (strcmp(kind, "small") == 0) return encoded(type, (double)(u % 201) - 100);
  if (strcmp(kind, "few") == 0) {
    static double const values[] = {-1, -0.0, 0, 0, 1, 1, 2, 2};
    return u % 8 == 7 && rare % 16 == 0 ? f.nan : encoded(type, values[u % 8]);
  }
  if (strcmp(kind, "minus0") == 0) return f.sign;
  if (strcmp(kind, "special") == 0 && rare % 32 < 3)
    return rare % 32 == 0 ? f.nan : f.infinity | (rare % 32 == 2 ? f.sign : 0);
  return edge;
}

static uint64_t integer_pattern(upsweep_type type, char const* kind, uint64_t u) {
  uint64_t const top = UINT64_C(1) << (8 * upsweep_type_size(type) - 1);
  int const has_sign = golden_is_signed(type);
  if (strcmp(kind, "edges") == 0 || strcmp(kind, "special") == 0) {
    uint64_t const patterns[] = {0, 1, 2, ~UINT64_C(0), top, top + 1, top - 1, top - 2};
    return patterns[u % 8];
  }
  if (strcmp(kind, "minus0") == 0) return 0;
  if (strcmp(kind, "odd") == 0) return u | 1;
  if (strcmp(kind, "small") == 0) return u % 201 - (has_sign ? 100 : 0);
  if (strcmp(kind, "few") == 0) return u % 5 - (has_sign ? 2 : 0);
  if (strcmp(kind, "times6") == 0) return u % 20 * 6;
  return u;
}

void* golden_elements(golden_memory* memory, upsweep_type type, char const* kind, size_t n,
                      size_t more, uint64_t stream) {
  void* const x = golden_room(memory, (n + more) * upsweep_type_size(type));
  uint64_t const seed = n + (stream << 32);
  for (size_t i = 0; i < n + more; ++i) {
    uint64_t const u = word(seed, 2 * i), v = word(seed, 2 * i + 1);
    golden_store(
        x, type, i,
        golden_is_float(type) ? float_pattern(type, kind, u, v) : integer_pattern(type, kind, u));
  }
  return x;
}

uint64_t* golden_offsets(golden_memory* memory, size_t n, char const* cut, size_t* count) {
  size_t room = 16;
  uint64_t* offsets = golden_room(memory, room * sizeof *offsets);
  *count = 0;  // the first offset is 0
  for (uint64_t k = 0; offsets[*count] < n; ++k) {
    uint64_t const w = word(n + (UINT64_C(1) << 32), k), which = w & 15;
    uint64_t length = w >> 8;
    if (strcmp(cut, "short") == 0)
      length %= 4;
    else
      length = which < 3 ? 0 : length % (which < 8 ? 8 : which < 13 ? 50 : which < 15 ? 400 : 3000);
    if (*count + 3 > room) {
      uint64_t* const longer = golden_room(memory, 2 * room * sizeof *offsets);
      memcpy(longer, offsets, room * sizeof *offsets);
      offsets = longer;
      room *= 2;
    }
    uint64_t const end = offsets[*count] + length;
    offsets[++*count] = end < n ? end : n;
  }
  offsets[++*count] = n;
  return offsets;
}
