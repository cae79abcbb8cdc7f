/// What programs call to prepare cuBLAS, and its copies. It computes nothing: products fail, and
/// the report says so.
#pragma once

#include "cuda_runtime.h"

#include <cstddef>

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
inline cublasStatus_t cublasGetStream(cublasHandle_t, cudaStream_t* stream) {
  *stream = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t) {
  return CUBLAS_STATUS_SUCCESS;
}

/// Columns of `rows` elements, whose distances in elements may differ.
inline cublasStatus_t upsweep_emulated_copy_columns(int rows, int columns, int bytes,
                                                    void const* from, int from_pitch, void* to,
                                                    int to_pitch, cudaMemcpyKind kind) {
  if (rows < 0 || columns < 0 || bytes <= 0 || from_pitch <= 0 || to_pitch <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  std::size_t const size = static_cast<std::size_t>(bytes);
  cudaError_t const error =
      cudaMemcpy2D(to, static_cast<std::size_t>(to_pitch) * size, from,
                   static_cast<std::size_t>(from_pitch) * size,
                   static_cast<std::size_t>(rows) * size, static_cast<std::size_t>(columns), kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
inline cublasStatus_t cublasSetVector(int n, int bytes, void const* from, int from_stride, void* to,
                                      int to_stride) {
  return upsweep_emulated_copy_columns(1, n, bytes, from, from_stride, to, to_stride,
                                       cudaMemcpyHostToDevice);
}
inline cublasStatus_t cublasGetVector(int n, int bytes, void const* from, int from_stride, void* to,
                                      int to_stride) {
  return upsweep_emulated_copy_columns(1, n, bytes, from, from_stride, to, to_stride,
                                       cudaMemcpyDeviceToHost);
}
inline cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, void const* from,
                                      int from_pitch, void* to, int to_pitch) {
  return upsweep_emulated_copy_columns(rows, columns, bytes, from, from_pitch, to, to_pitch,
                                       cudaMemcpyHostToDevice);
}
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, void const* from,
                                      int from_pitch, void* to, int to_pitch) {
  return upsweep_emulated_copy_columns(rows, columns, bytes, from, from_pitch, to, to_pitch,
                                       cudaMemcpyDeviceToHost);
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
UPSWEEP_EMULATED_PRODUCT(cublasSgemmBatched)
UPSWEEP_EMULATED_PRODUCT(cublasDgemmBatched)
UPSWEEP_EMULATED_PRODUCT(cublasSgemmStridedBatched)
UPSWEEP_EMULATED_PRODUCT(cublasDgemmStridedBatched)
UPSWEEP_EMULATED_PRODUCT(cublasSgemv)
UPSWEEP_EMULATED_PRODUCT(cublasDgemv)
UPSWEEP_EMULATED_PRODUCT(cublasSger)
UPSWEEP_EMULATED_PRODUCT(cublasDger)
UPSWEEP_EMULATED_PRODUCT(cublasSsymm)
UPSWEEP_EMULATED_PRODUCT(cublasDsymm)
UPSWEEP_EMULATED_PRODUCT(cublasSsyrk)
UPSWEEP_EMULATED_PRODUCT(cublasDsyrk)
UPSWEEP_EMULATED_PRODUCT(cublasStrsm)
UPSWEEP_EMULATED_PRODUCT(cublasDtrsm)
UPSWEEP_EMULATED_PRODUCT(cublasSgeam)
UPSWEEP_EMULATED_PRODUCT(cublasDgeam)
UPSWEEP_EMULATED_PRODUCT(cublasSdot)
UPSWEEP_EMULATED_PRODUCT(cublasDdot)
UPSWEEP_EMULATED_PRODUCT(cublasSaxpy)
UPSWEEP_EMULATED_PRODUCT(cublasDaxpy)
UPSWEEP_EMULATED_PRODUCT(cublasSscal)
UPSWEEP_EMULATED_PRODUCT(cublasDscal)
UPSWEEP_EMULATED_PRODUCT(cublasSnrm2)
UPSWEEP_EMULATED_PRODUCT(cublasDnrm2)
UPSWEEP_EMULATED_PRODUCT(cublasSasum)
UPSWEEP_EMULATED_PRODUCT(cublasDasum)
UPSWEEP_EMULATED_PRODUCT(cublasScopy)
UPSWEEP_EMULATED_PRODUCT(cublasDcopy)
UPSWEEP_EMULATED_PRODUCT(cublasSswap)
UPSWEEP_EMULATED_PRODUCT(cublasDswap)
UPSWEEP_EMULATED_PRODUCT(cublasIsamax)
UPSWEEP_EMULATED_PRODUCT(cublasIdamax)
UPSWEEP_EMULATED_PRODUCT(cublasIsamin)
UPSWEEP_EMULATED_PRODUCT(cublasIdamin)
UPSWEEP_EMULATED_PRODUCT(cublasCgemm)
UPSWEEP_EMULATED_PRODUCT(cublasZgemm)
UPSWEEP_EMULATED_PRODUCT(cublasHgemm)
UPSWEEP_EMULATED_PRODUCT(cublasGemmEx)
UPSWEEP_EMULATED_PRODUCT(cublasGemmBatchedEx)
UPSWEEP_EMULATED_PRODUCT(cublasGemmStridedBatchedEx)
#undef UPSWEEP_EMULATED_PRODUCT
