/* A library that leaves a strange floating-point environment to every program that loads it:
 * -ffast-math in gevent 20.6 to 21.8, CTranslate2 and others set flush to zero and denormals are
 * zeros so (crtfastmath.o). This one rounds up, too. */
#include <xmmintrin.h>

__attribute__((constructor)) static void change(void) {
  _mm_setcsr(_mm_getcsr() | 0x8040u | _MM_ROUND_UP);
}
