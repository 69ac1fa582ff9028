#include "engine/backend/cuda/cuda_error.h"
#include "engine/backend/cuda/elementwise.h"
#include "engine/backend/cuda/map.cuh"
#include "engine/kernels/elementwise.h"

namespace hw::cuda {
namespace {

// The numbers of an op's attributes: scale's factor; clamp's lo and hi.
struct Numbers {
  double p0 = 0, p1 = 0;
};

Numbers numbers(const Attr& attr) {
  if (const auto* s = std::get_if<ScaleAttr>(&attr)) return {s->factor, 0};
  if (const auto* c = std::get_if<ClampAttr>(&attr)) return {c->lo, c->hi};
  return {};
}

// A row: body(a, b, p0, p1), whatever of them it uses.
#define HW_ROW(op, expression)                                                                  \
  struct op##_row {                                                                             \
    static constexpr Op kOp = Op::op;                                                           \
    template <class T>                                                                          \
    __device__ static T body([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T p0, \
                             [[maybe_unused]] T p1) {                                           \
      return expression;                                                                        \
    }                                                                                           \
  };
HW_ROW(add, a + b)
HW_ROW(sub, a - b)
HW_ROW(mul, a* b)
HW_ROW(scale, a* p0)
HW_ROW(clamp, kernels::clamp(a, p0, p1))
HW_ROW(clamp_grad, kernels::clamp_grad(a, b, p0, p1))
HW_ROW(relu, kernels::relu(a))
HW_ROW(relu_grad, kernels::relu_grad(a, b))
HW_ROW(sigmoid, kernels::sigmoid(a))
HW_ROW(sigmoid_grad, kernels::sigmoid_grad(a, b))
#undef HW_ROW

template <class Row, class T>
cudaError_t launch(const Numbers& k, const void* a, const void* b, void* y, int64_t n, cudaStream_t stream) {
  const T* first = static_cast<const T*>(a);
  const T* second = b ? static_cast<const T*>(b) : first;
  T* out = static_cast<T*>(y);
  const T p0 = static_cast<T>(k.p0), p1 = static_cast<T>(k.p1);
  return map(n, stream, [=] __device__(int64_t i) { out[i] = Row::template body<T>(first[i], second[i], p0, p1); });
}

struct Entry {
  Op op;
  cudaError_t (*f32)(const Numbers&, const void*, const void*, void*, int64_t, cudaStream_t);
  cudaError_t (*f64)(const Numbers&, const void*, const void*, void*, int64_t, cudaStream_t);
};

template <class Row>
constexpr Entry entry() {
  return {Row::kOp, launch<Row, float>, launch<Row, double>};
}

const Entry kEntries[] = {
    entry<add_row>(),        entry<sub_row>(),  entry<mul_row>(),       entry<scale_row>(),   entry<clamp_row>(),
    entry<clamp_grad_row>(), entry<relu_row>(), entry<relu_grad_row>(), entry<sigmoid_row>(), entry<sigmoid_grad_row>(),
};

const Entry* find(Op op) {
  for (const Entry& e : kEntries)
    if (e.op == op) return &e;
  return nullptr;
}

}  // namespace

bool has_elementwise(Op op) {
  return find(op) != nullptr;
}

Status launch_elementwise(Op op, DType dtype, const Attr& attr, const void* a, const void* b, void* y, int64_t n,
                          void* stream) {
  const Entry* e = find(op);
  if (!e || (dtype != DType::f32 && dtype != DType::f64))
    return Error{codes::unsupported, "cuda", "There is no elementwise kernel for this op and dtype.",
                 "Choose the cpu device."};
  const auto run = dtype == DType::f64 ? e->f64 : e->f32;
  HW_CUDA(run(numbers(attr), a, b, y, n, static_cast<cudaStream_t>(stream)));
  return ok();
}

}  // namespace hw::cuda
