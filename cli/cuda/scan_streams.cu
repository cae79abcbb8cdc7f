/// The kernels by which inexact operators are scanned chunk by chunk.
#include <cli/cuda/scan_streams.cuh>
#include <upsweep/cuda.cuh>

namespace upsweep::cli::gpu {

template std::unique_ptr<device_scan> scan_by<plus>(dynamic::dtype, void const*);
template std::unique_ptr<device_scan> scan_by<multiplies>(dynamic::dtype, void const*);
template std::unique_ptr<device_scan> scan_by<affine>(dynamic::dtype, void const*);

}  // namespace upsweep::cli::gpu
