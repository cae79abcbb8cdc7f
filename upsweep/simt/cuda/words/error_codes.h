/// The error codes of CUDA's runtime: f(name, value, what cudaGetErrorString() says).
#pragma once

// clang-format off
#define UPSWEEP_EMULATED_ERRORS(f) \
  f(cudaSuccess, 0, "no error") \
  f(cudaErrorInvalidValue, 1, "invalid argument") \
  f(cudaErrorMemoryAllocation, 2, "out of memory") \
  f(cudaErrorInitializationError, 3, "initialization error") \
  f(cudaErrorCudartUnloading, 4, "driver shutting down") \
  f(cudaErrorProfilerDisabled, 5, "profiler disabled while using external profiling tool") \
  f(cudaErrorProfilerNotInitialized, 6, "profiler not initialized: call cudaProfilerInitialize()") \
  f(cudaErrorProfilerAlreadyStarted, 7, "profiler already started") \
  f(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped") \
  f(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
  f(cudaErrorInvalidPitchValue, 12, "invalid pitch argument") \
  f(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
  f(cudaErrorInvalidHostPointer, 16, "invalid host pointer") \
  f(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
  f(cudaErrorInvalidTexture, 18, "invalid texture reference") \
  f(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer") \
  f(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor") \
  f(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
  f(cudaErrorAddressOfConstant, 22, "invalid address of constant") \
  f(cudaErrorTextureFetchFailed, 23, "fetch from texture failed") \
  f(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound") \
  f(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()") \
  f(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type") \
  f(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for data type") \
  f(cudaErrorMixedDeviceExecution, 28, \
    "device emulation mode and device execution mode cannot be mixed") \
  f(cudaErrorNotYetImplemented, 31, "feature not yet implemented") \
  f(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large to fit in 32 bit") \
  f(cudaErrorStubLibrary, 34, "CUDA driver is a stub library") \
  f(cudaErrorInsufficientDriver, 35, \
    "CUDA driver version is insufficient for CUDA runtime version") \
  f(cudaErrorCallRequiresNewerDriver, 36, \
    "API call is not supported in the installed CUDA driver") \
  f(cudaErrorInvalidSurface, 37, "invalid surface reference") \
  f(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name") \
  f(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name") \
  f(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name") \
  f(cudaErrorDevicesUnavailable, 46, "CUDA-capable device(s) is/are busy or unavailable") \
  f(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context") \
  f(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") \
  f(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch") \
  f(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches") \
  f(cudaErrorLaunchFileScopedTex, 66, \
    "launch failed because kernel uses unsupported, file-scoped textures (texture " \
    "objects are supported)") \
  f(cudaErrorLaunchFileScopedSurf, 67, \
    "launch failed because kernel uses unsupported, file-scoped surfaces (surface " \
    "objects are supported)") \
  f(cudaErrorSyncDepthExceeded, 68, \
    "cudaDeviceSynchronize failed because caller's grid depth exceeds " \
    "cudaLimitDevRuntimeSyncDepth") \
  f(cudaErrorLaunchPendingCountExceeded, 69, \
    "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount") \
  f(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
  f(cudaErrorNoDevice, 100, "no CUDA-capable device is detected") \
  f(cudaErrorInvalidDevice, 101, "invalid device ordinal") \
  f(cudaErrorDeviceNotLicensed, 102, "device doesn't have valid Grid license") \
  f(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed") \
  f(cudaErrorStartupFailure, 127, "startup failure in cuda runtime") \
  f(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid") \
  f(cudaErrorDeviceUninitialized, 201, "invalid device context") \
  f(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed") \
  f(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed") \
  f(cudaErrorArrayIsMapped, 207, "array is mapped") \
  f(cudaErrorAlreadyMapped, 208, "resource already mapped") \
  f(cudaErrorNoKernelImageForDevice, 209, \
    "no kernel image is available for execution on the device") \
  f(cudaErrorAlreadyAcquired, 210, "resource already acquired") \
  f(cudaErrorNotMapped, 211, "resource not mapped") \
  f(cudaErrorNotMappedAsArray, 212, "resource not mapped as array") \
  f(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer") \
  f(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered") \
  f(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture") \
  f(cudaErrorDeviceAlreadyInUse, 216, \
    "exclusive-thread device already in use by a different thread") \
  f(cudaErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices") \
  f(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed") \
  f(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context") \
  f(cudaErrorNvlinkUncorrectable, 220, "uncorrectable NVLink error detected during the execution") \
  f(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found") \
  f(cudaErrorUnsupportedPtxVersion, 222, \
    "the provided PTX was compiled with an unsupported toolchain.") \
  f(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation was disabled") \
  f(cudaErrorUnsupportedExecAffinity, 224, "the provided execution affinity is not supported") \
  f(cudaErrorUnsupportedDevSideSync, 225, \
    "the provided PTX contains unsupported call to cudaDeviceSynchronize") \
  f(cudaErrorContained, 226, "Invalid access of peer GPU memory over nvlink or a hardware error") \
  f(cudaErrorInvalidSource, 300, "device kernel image is invalid") \
  f(cudaErrorFileNotFound, 301, "file not found") \
  f(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found") \
  f(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed") \
  f(cudaErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS") \
  f(cudaErrorInvalidResourceHandle, 400, "invalid resource handle") \
  f(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state") \
  f(cudaErrorLossyQuery, 402, "attempted introspection would be semantically lossy") \
  f(cudaErrorSymbolNotFound, 500, "named symbol not found") \
  f(cudaErrorNotReady, 600, "device not ready") \
  f(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") \
  f(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
  f(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated") \
  f(cudaErrorLaunchIncompatibleTexturing, 703, "launch uses incompatible texturing mode") \
  f(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled") \
  f(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled") \
  f(cudaErrorSetOnActiveProcess, 708, "cannot set while device is active in this process") \
  f(cudaErrorContextIsDestroyed, 709, "context is destroyed") \
  f(cudaErrorAssert, 710, "device-side assert triggered") \
  f(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted") \
  f(cudaErrorHostMemoryAlreadyRegistered, 712, \
    "part or all of the requested memory range is already mapped") \
  f(cudaErrorHostMemoryNotRegistered, 713, \
    "pointer does not correspond to a registered memory region") \
  f(cudaErrorHardwareStackError, 714, "hardware stack error") \
  f(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered") \
  f(cudaErrorMisalignedAddress, 716, "misaligned address") \
  f(cudaErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space") \
  f(cudaErrorInvalidPc, 718, "invalid program counter") \
  f(cudaErrorLaunchFailure, 719, "unspecified launch failure") \
  f(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch") \
  f(cudaErrorTensorMemoryLeak, 721, "tensor memory not completely freed") \
  f(cudaErrorNotPermitted, 800, "operation not permitted") \
  f(cudaErrorNotSupported, 801, "operation not supported") \
  f(cudaErrorSystemNotReady, 802, "system not yet initialized") \
  f(cudaErrorSystemDriverMismatch, 803, \
    "system has unsupported display driver / cuda driver combination") \
  f(cudaErrorCompatNotSupportedOnDevice, 804, \
    "forward compatibility was attempted on non supported HW") \
  f(cudaErrorMpsConnectionFailed, 805, \
    "MPS client failed to connect to the MPS control daemon or the MPS server") \
  f(cudaErrorMpsRpcFailure, 806, \
    "the remote procedural call between the MPS server and the MPS client failed") \
  f(cudaErrorMpsServerNotReady, 807, "MPS server is not ready to accept new MPS client requests") \
  f(cudaErrorMpsMaxClientsReached, 808, \
    "the hardware resources required to create MPS client have been exhausted") \
  f(cudaErrorMpsMaxConnectionsReached, 809, \
    "the hardware resources required to support device connections have been " \
    "exhausted") \
  f(cudaErrorMpsClientTerminated, 810, "the MPS client has been terminated by the server") \
  f(cudaErrorCdpNotSupported, 811, \
    "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does " \
    "not support it") \
  f(cudaErrorCdpVersionMismatch, 812, \
    "unsupported interaction between different versions of CUDA Dynamic Parallelism") \
  f(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
  f(cudaErrorStreamCaptureInvalidated, 901, \
    "operation failed due to a previous error during capture") \
  f(cudaErrorStreamCaptureMerge, 902, \
    "operation would result in a merge of separate capture sequences") \
  f(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began") \
  f(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work") \
  f(cudaErrorStreamCaptureIsolation, 905, \
    "dependency created on uncaptured work in another stream") \
  f(cudaErrorStreamCaptureImplicit, 906, \
    "operation would make the legacy stream depend on a capturing blocking stream") \
  f(cudaErrorCapturedEvent, 907, \
    "operation not permitted on an event last recorded in a capturing stream") \
  f(cudaErrorStreamCaptureWrongThread, 908, \
    "attempt to terminate a thread-local capture sequence from another thread") \
  f(cudaErrorTimeout, 909, "wait operation timed out") \
  f(cudaErrorGraphExecUpdateFailure, 910, \
    "the graph update was not performed because it included changes which violated " \
    "constraints specific to instantiated graph update") \
  f(cudaErrorExternalDevice, 911, "an async error has occured in external entity outside of CUDA") \
  f(cudaErrorInvalidClusterSize, 912, \
    "a kernel launch error has occurred due to cluster misconfiguration") \
  f(cudaErrorFunctionNotLoaded, 913, \
    "the function handle is not loaded when calling an API that requires a loaded " \
    "function") \
  f(cudaErrorInvalidResourceType, 914, \
    "one or more resources passed in are not valid resource types for the operation") \
  f(cudaErrorInvalidResourceConfiguration, 915, \
    "one or more resources are insufficient or non-applicable for the operation") \
  f(cudaErrorUnknown, 999, "unknown error") \
  f(cudaErrorApiFailureBase, 10000, "api failure base")
// clang-format on
