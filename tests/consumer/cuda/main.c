/* A user's C program. Without a GPU it prints the library's message and exits with 5. */
#include <cuda_runtime_api.h>
#include <upsweep/upsweep_cuda.h>

#include <stdio.h>

int main(void) {
  double const values[] = {1, 2, 3, 4};
  double total = 0;
  double *x = NULL, *out = NULL;
  upsweep_status const status = upsweep_cuda_available();
  if (status != UPSWEEP_OK) puts(upsweep_last_error_message());
  if (status == UPSWEEP_UNAVAILABLE) return 5;
  if (cudaMalloc((void**)&x, sizeof values) != cudaSuccess ||
      cudaMalloc((void**)&out, sizeof total) != cudaSuccess)
    return 1;
  if (cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  if (upsweep_cuda_reduce(UPSWEEP_F64, UPSWEEP_PRODUCT, x, 4, NULL, out, NULL) != UPSWEEP_OK) {
    puts(upsweep_last_error_message());
    return 1;
  }
  if (cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  printf("the product is %.1f\n", total);
  return total == 24 ? 0 : 1;
}
