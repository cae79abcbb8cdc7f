/// What programs call to prepare cuBLASLt.
#pragma once

#include "cublas_v2.h"

typedef struct upsweep_emulated_blas_lt* cublasLtHandle_t;

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}
