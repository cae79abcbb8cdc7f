/** SHA-256 (FIPS 180-4) of bytes that arrive piece by piece, for C and C++.
 * @file
 */
#ifndef UPSWEEP_GOLDEN_SHA256_H
#define UPSWEEP_GOLDEN_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct golden_sha256 {
  uint32_t state[8];
  uint8_t block[64];
  uint64_t size;
} golden_sha256;

static inline void golden_sha256_begin(golden_sha256* hash) {
  static uint32_t const first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int i = 0; i < 8; ++i) hash->state[i] = first[i];
  hash->size = 0;
}

static inline uint32_t golden_rotated(uint32_t x, int by) {
  return x >> by | x << (32 - by);
}

static inline void golden_sha256_mix(golden_sha256* hash) {
  static uint32_t const k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; ++i) {
    uint8_t const* const b = hash->block + 4 * i;
    w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
  }
  for (int i = 16; i < 64; ++i) {
    uint32_t const a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (golden_rotated(a, 7) ^ golden_rotated(a, 18) ^ a >> 3) + w[i - 7] +
           (golden_rotated(b, 17) ^ golden_rotated(b, 19) ^ b >> 10);
  }
  for (int i = 0; i < 8; ++i) s[i] = hash->state[i];
  for (int i = 0; i < 64; ++i) {
    uint32_t const e = s[4], a = s[0];
    uint32_t const t1 = s[7] +
                        (golden_rotated(e, 6) ^ golden_rotated(e, 11) ^ golden_rotated(e, 25)) +
                        ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
    uint32_t const t2 = (golden_rotated(a, 2) ^ golden_rotated(a, 13) ^ golden_rotated(a, 22)) +
                        ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (int i = 0; i < 8; ++i) hash->state[i] += s[i];
}

static inline void golden_sha256_add(golden_sha256* hash, void const* bytes, size_t n) {
  uint8_t const* const b = (uint8_t const*)bytes;
  for (size_t i = 0; i < n; ++i) {
    hash->block[hash->size++ % 64] = b[i];
    if (hash->size % 64 == 0) golden_sha256_mix(hash);
  }
}

/** Ends the text, and writes its 64 digits and a zero. */
static inline void golden_sha256_end(golden_sha256* hash, char digits[65]) {
  uint64_t const bits = 8 * hash->size;
  uint8_t end[72] = {0x80};
  size_t const padding = 1 + (119 - hash->size % 64) % 64;
  for (int i = 0; i < 8; ++i) end[padding + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
  golden_sha256_add(hash, end, padding + 8);
  for (int i = 0; i < 64; ++i)
    digits[i] = "0123456789abcdef"[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
  digits[64] = 0;
}

#endif
