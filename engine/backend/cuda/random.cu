#include "engine/backend/cuda/cuda_error.h"
#include "engine/backend/cuda/map.cuh"
#include "engine/backend/cuda/random.h"
#include "engine/kernels/draw.h"
#include "engine/kernels/random.h"

namespace hw::cuda {
namespace {

Status supported(DType dtype) {
  if (dtype == DType::f32 || dtype == DType::f64) return ok();
  return Error{codes::unsupported, "cuda", "There is no kernel for random numbers in this dtype.",
               "Choose the cpu device."};
}

template <class T>
cudaError_t dropout(const DropoutAttr& attr, const Draw& d, const void* x, void* y, int64_t n, cudaStream_t stream) {
  const T* in = static_cast<const T*>(x);
  T* out = static_cast<T*>(y);
  const uint32_t keep = kernels::keep_below(attr.p);
  const T factor = static_cast<T>(1 / (1 - attr.p));
  return map(n, stream, [=] __device__(int64_t i) {
    const uint32_t word = kernels::word_at(d.seed, d.stream, d.step, d.first + static_cast<uint64_t>(i));
    out[i] = kernels::dropout(in[i], word, keep, factor);
  });
}

template <class T>
cudaError_t uniform(const RandomAttr& attr, const Draw& d, void* y, int64_t n, cudaStream_t stream) {
  T* out = static_cast<T*>(y);
  const T a = static_cast<T>(attr.a), span = static_cast<T>(attr.b - attr.a);
  return map(n, stream, [=] __device__(int64_t i) {
    const uint32_t word = kernels::word_at(d.seed, d.stream, d.step, d.first + static_cast<uint64_t>(i));
    out[i] = kernels::uniform_between(word, a, span);
  });
}

template <class T>
cudaError_t normal(const RandomAttr& attr, const Draw& d, void* y, int64_t n, cudaStream_t stream) {
  T* out = static_cast<T*>(y);
  const T a = static_cast<T>(attr.a), b = static_cast<T>(attr.b);
  return map(n, stream, [=] __device__(int64_t i) {
    const uint64_t at = d.first + static_cast<uint64_t>(i), even_at = at - at % 2;
    T even, odd;
    kernels::normal_pair(kernels::word_at(d.seed, d.stream, d.step, even_at),
                         kernels::word_at(d.seed, d.stream, d.step, even_at + 1), even, odd);
    out[i] = a + b * (at % 2 ? odd : even);
  });
}

}  // namespace

Status launch_dropout(DType dtype, const DropoutAttr& attr, const Draw& draw, const void* x, void* y, int64_t n,
                      void* stream) {
  HW_CHECK(supported(dtype));
  const auto run = dtype == DType::f64 ? dropout<double> : dropout<float>;
  HW_CUDA(run(attr, draw, x, y, n, static_cast<cudaStream_t>(stream)));
  return ok();
}

Status launch_random(const RandomAttr& attr, const Draw& draw, void* y, int64_t n, void* stream) {
  HW_CHECK(supported(attr.dtype));
  const bool wide = attr.dtype == DType::f64;
  const auto run = attr.distribution == RandomAttr::Distribution::normal ? (wide ? normal<double> : normal<float>)
                                                                         : (wide ? uniform<double> : uniform<float>);
  HW_CUDA(run(attr, draw, y, n, static_cast<cudaStream_t>(stream)));
  return ok();
}

}  // namespace hw::cuda
