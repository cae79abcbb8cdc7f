/// Arrays in the memory of a GPU: their types, their memory, the order of streams.
#include <python/cuda/binding/arrays.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::python {
namespace {

using dynamic::dtype;

nb::dlpack::dtype described(dtype t) {
  using nb::dlpack::dtype_code;
  auto const code = t == dtype::boolean             ? dtype_code::Bool
                    : t == dtype::bf16              ? dtype_code::Bfloat
                    : is_float(t)                   ? dtype_code::Float
                    : dynamic::is_signed_integer(t) ? dtype_code::Int
                                                    : dtype_code::UInt;
  return {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * size_of(t)), 1};
}

std::optional<dtype> type_of(nb::dlpack::dtype const& described_as) {
  for (dtype const t : dynamic::all_dtypes)
    if (described(t) == described_as) return t;
  return {};
}

/// Device memory that is freed in the order of the stream in which it was allocated.
struct memory {
  void* data;
  int device;
  cudaStream_t stream;

  memory(std::size_t bytes, int on, cudaStream_t in) : data(nullptr), device(on), stream(in) {
    current_device const here(device);
    auto const what = [&] { return "allocate " + std::to_string(bytes) + " bytes on the device"; };
    raising([&] { check_cuda(cudaMallocAsync(&data, bytes > 0 ? bytes : 1, stream), what); });
  }
  /// Errors cannot be reported here, and are cleared so that the next call does not report them.
  ~memory() {
    int before = 0;
    bool const changes = cudaGetDevice(&before) == cudaSuccess && before != device;
    if (changes) (void)cudaSetDevice(device);
    (void)cudaFreeAsync(data, stream);
    if (changes) (void)cudaSetDevice(before);
    (void)cudaGetLastError();
  }
  memory(memory const&) = delete;
  memory& operator=(memory const&) = delete;
};

/// An uninitialized array of this package, allocated in the order of a stream.
view allocate(std::vector<std::size_t> const& shape, std::string_view type, int device,
              std::uintptr_t stream) {
  auto const t = dynamic::find_dtype(type);
  detail::expects(t.has_value(), "_core: not a type of elements");
  std::size_t bytes = size_of(*t);
  for (std::size_t const extent : shape) bytes *= extent;
  auto owner = std::make_unique<memory>(bytes, device, stream_of(stream));
  void* const data = owner->data;
  nb::capsule const held(owner.get(), [](void* m) noexcept { delete static_cast<memory*>(m); });
  (void)owner.release();
  return view(nb::ndarray<>(data, shape.size(), shape.data(), held, nullptr, described(*t),
                            nb::device::cuda::value, device));
}

/// The same memory in another shape, for a call.
view reshaped(view const& x, std::vector<std::size_t> const& shape) {
  detail::expects(x.contiguous(), "_core: an array is not contiguous");
  return view(nb::ndarray<>(x.data(), shape.size(), shape.data(), nb::handle(), nullptr,
                            x.array().dtype(), x.array().device_type(), x.device()));
}

/// Work that `later` gets from now on runs after the work that `earlier` has so far.
void wait(std::uintptr_t later, std::uintptr_t earlier, int device) {
  if (later == earlier) return;
  current_device const here(device);
  cudaEvent_t event = nullptr;
  cudaError_t code = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (code == cudaSuccess) code = cudaEventRecord(event, stream_of(earlier));
  if (code == cudaSuccess) code = cudaStreamWaitEvent(stream_of(later), event, 0);
  if (event != nullptr) (void)cudaEventDestroy(event);
  raising([&] { check_cuda(code, "let a stream wait for another"); });
}

/// Holds an array whose owner does not know that a stream reads it, until all work that the stream
/// has so far is done and this is called again.
void keep(view const& x, std::uintptr_t stream) {
  struct held {
    cudaEvent_t done;
    view array;
  };
  static auto& all = *new std::deque<held>;  // outlives the interpreter's end
  current_device const here(x.device());
  while (!all.empty() && cudaEventQuery(all.front().done) != cudaErrorNotReady) {
    held const first = std::move(all.front());
    all.pop_front();  // before the owner's code runs
    (void)cudaEventDestroy(first.done);
  }
  (void)cudaGetLastError();  // "not ready" would look like a failed launch
  cudaEvent_t done = nullptr;
  cudaError_t code = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  if (code == cudaSuccess) code = cudaEventRecord(done, stream_of(stream));
  if (code == cudaSuccess) return all.push_back({done, x});
  if (done != nullptr) (void)cudaEventDestroy(done);
  raising([&] { check_cuda(code, "record an event"); });
}

/// The number in an array of one integer of 8 bytes; waits for the stream.
std::uint64_t read(view const& x, std::uintptr_t stream) {
  detail::expects(x.size() == 1 && x.array().itemsize() == 8, "_core: not a number of 8 bytes");
  current_device const here(x.device());
  std::uint64_t value = 0;
  cudaError_t code =
      cudaMemcpyAsync(&value, x.data(), sizeof value, cudaMemcpyDeviceToHost, stream_of(stream));
  if (code == cudaSuccess) {
    nb::gil_scoped_release const released;
    code = cudaStreamSynchronize(stream_of(stream));
  }
  raising([&] { check_cuda(code, "copy a count to the host"); });
  return value;
}

}  // namespace

view::view(nb::ndarray<> array) : array_(std::move(array)), type_(python::type_of(array_.dtype())) {
  int const where = array_.device_type();
  detail::expects(where == nb::device::cuda::value || where == nb::device::cuda_managed::value,
                  "_core: an array is not on a CUDA device");
}

upsweep_type view::type_in_c() const {
  detail::expects(type_.has_value(), "_core: not a type of elements");
  return c_api::type_of(*type_);
}

bool view::contiguous() const {
  if (size() <= 1) return true;
  std::int64_t expected = 1;
  for (std::size_t d = array_.ndim(); d-- > 0;) {
    if (array_.shape(d) != 1 && array_.stride(d) != expected) return false;
    expected *= static_cast<std::int64_t>(array_.shape(d));
  }
  return true;
}

current_device::current_device(int device) {
  changed_ = cudaGetDevice(&before_) == cudaSuccess && before_ != device;
  if (changed_) raising([&] { check_cuda(cudaSetDevice(device), "use the device of the array"); });
}
current_device::~current_device() {
  if (changed_) (void)cudaSetDevice(before_);
}

void expect_ok(upsweep_status status) {
  if (status == UPSWEEP_OK) return;
  PyObject* kind = PyExc_RuntimeError;
  if (status == UPSWEEP_INVALID_ARGUMENT) kind = PyExc_ValueError;
  if (status == UPSWEEP_UNSUPPORTED) kind = PyExc_TypeError;
  if (status == UPSWEEP_OUT_OF_MEMORY) kind = PyExc_MemoryError;
  PyErr_SetString(kind, upsweep_last_error_message());
  throw nb::python_error();
}

void raise(cuda_error const& e) {
  bool const memory = e.code() == cudaErrorMemoryAllocation;
  PyErr_SetString(memory ? PyExc_MemoryError : PyExc_RuntimeError, e.what());
  throw nb::python_error();
}

void add_arrays(nb::module_& m) {
  nb::class_<view>(m, "View", "An array in the memory of a GPU.")
      .def(nb::init<nb::ndarray<>>())
      .def_prop_ro(
          "type",
          [](view const& x) { return x.type() ? std::optional(name_of(*x.type())) : std::nullopt; })
      .def_prop_ro("shape",
                   [](view const& x) {
                     nb::list shape;
                     for (std::size_t d = 0; d < x.array().ndim(); ++d)
                       shape.append(x.array().shape(d));
                     return nb::tuple(shape);
                   })
      .def_prop_ro("size", &view::size)
      .def_prop_ro("device", &view::device)
      .def_prop_ro("contiguous", &view::contiguous)
      .def_prop_ro("address",
                   [](view const& x) { return reinterpret_cast<std::uintptr_t>(x.data()); })
      .def("reshaped", reshaped)
      .def(
          "exported", [](view const& x) { return nb::ndarray<nb::array_api>(x.array()); },
          nb::rv_policy::reference);
  m.def("allocate", allocate);
  m.def("wait", wait);
  m.def("keep", keep);
  m.def("read", read);
}

}  // namespace upsweep::python
