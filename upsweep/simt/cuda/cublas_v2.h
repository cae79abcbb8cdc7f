/// What programs call to prepare cuBLAS. It computes nothing: products fail, and the report says
/// so.
#pragma once

#include "cuda_runtime.h"

typedef struct upsweep_emulated_blas* cublasHandle_t;
enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
typedef cudaDataType_t cudaDataType;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) {
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) {
  return CUBLAS_STATUS_SUCCESS;
}
inline char const* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "success" : "not supported";
}

#define UPSWEEP_EMULATED_PRODUCT(word)                                              \
  template <class... Arguments>                                                     \
  UPSWEEP_EMULATED_WORD cublasStatus_t word(cublasHandle_t, Arguments const&...) {  \
    upsweep_emulated_fail(cudaErrorNotSupported,                                    \
                          #word "() fails: the emulator runs kernels, not cuBLAS"); \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                             \
  }
UPSWEEP_EMULATED_PRODUCT(cublasSgemm)
UPSWEEP_EMULATED_PRODUCT(cublasDgemm)
UPSWEEP_EMULATED_PRODUCT(cublasHgemm)
UPSWEEP_EMULATED_PRODUCT(cublasGemmEx)
UPSWEEP_EMULATED_PRODUCT(cublasSgemmStridedBatched)
UPSWEEP_EMULATED_PRODUCT(cublasGemmStridedBatchedEx)
UPSWEEP_EMULATED_PRODUCT(cublasSgemv)
UPSWEEP_EMULATED_PRODUCT(cublasSdot)
UPSWEEP_EMULATED_PRODUCT(cublasSaxpy)
#undef UPSWEEP_EMULATED_PRODUCT
