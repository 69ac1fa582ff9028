// How an op's functors reach the device. A functor is a kernel for one item: pointers, sizes and operator()(int64_t).
// Every family of ops is a template over the Launcher, which has a static
//   template <class F> Status launch(Driver&, int64_t n, const F&);
// so that a GPU and a test in host memory run the same bodies.
#pragma once

#include "engine/backend/gpu/layout.h"
#include "engine/backend/gpu/op_context.h"
#include "engine/backend/gpu/ops/glsl_kernel.h"

namespace hw::gpu {

/// f(i) for i in [0, n), in any order.
template <class Launcher, class F>
void map(OpContext& c, int64_t n, const F& f) {
  if (n > 0) c.add([n, f](Driver& d) { return Launcher::launch(d, n, f); });
}

/// Calls f(T()) with T = double for f64, else float.
template <class F>
void with_real(DType compute, F f) {
  if (compute == DType::f64)
    f(double());
  else
    f(float());
}

/// make_strided_index; its error goes to the context.
inline kernels::StridedIndex strided_index(OpContext& c, const std::vector<StridedAxis>& axes, int64_t offset = 0) {
  const auto made = make_strided_index(axes, offset);
  if (made) return *made;
  c.fail(made.error());
  return {};
}
/// Input k, stretched to the output.
inline kernels::StridedIndex broadcast(OpContext& c, size_t k) {
  return strided_index(c, broadcast_axes(c.in(k).dims, c.out().dims));
}

/// Memory `elements` further on.
template <class View>
View further(View view, int64_t elements) {
  using Byte =
      std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(view.data)>>, const std::byte, std::byte>;
  if (view.data) view.data = static_cast<Byte*>(view.data) + static_cast<size_t>(elements) * size_of(view.dtype);
  return view;
}

}  // namespace hw::gpu
