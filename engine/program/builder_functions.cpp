// OpBuilder: elementwise functions, reductions over axes, softmax, indices.
#include <algorithm>
#include <cassert>

#include "engine/program/builder.h"

namespace hw {
namespace {

// `dims` with size 1 on the axes; no axes: on all.
Dims reduced(Dims dims, const std::vector<int>& axes) {
  if (axes.empty()) std::ranges::fill(dims, 1);
  for (int axis : axes) {
    assert(axis >= 0 && static_cast<size_t>(axis) < dims.size());
    dims[static_cast<size_t>(axis)] = 1;
  }
  return dims;
}

}  // namespace

Val OpBuilder::unary(UnaryFn fn, Val x, double a, double b) {
  return emit(Op::unary, {x}, UnaryAttr{fn, a, b})[0];
}
Val OpBuilder::binary(BinaryFn fn, Val a, Val b) {
  return emit(Op::binary, {a, b}, BinaryAttr{fn, 0})[0];
}
Val OpBuilder::compare(CompareFn fn, Val a, Val b) {
  return emit(Op::compare, {a, b}, CompareAttr{fn})[0];
}
Val OpBuilder::where(Val condition, Val a, Val b) {
  return emit(Op::where, {condition, a, b})[0];
}
Val OpBuilder::stop_gradient(Val x) {
  return emit(Op::stop_gradient, {x})[0];
}

Val OpBuilder::without_axes(Val kept, const std::vector<int>& axes) {
  if (!status_) return {};
  Dims dims;
  std::vector<std::string> names;
  const Value& v = p_[kept.id];
  for (size_t d = 0; d < v.dims.size(); ++d) {
    if (axes.empty() || std::ranges::find(axes, static_cast<int>(d)) != axes.end()) continue;
    dims.push_back(v.dims[d]);
    if (!v.axes.empty()) names.push_back(v.axes[d]);
  }
  return dims.size() == v.dims.size() ? kept : reshape(kept, std::move(dims), std::move(names));
}

Val OpBuilder::sum(Val x, const std::vector<int>& axes, bool keep) {
  if (!status_) return {};
  const DType dtype = p_[x.id].dtype;
  const Val total = cast(sum_to(x, reduced(p_[x.id].dims, axes), dtype == DType::f64 ? dtype : DType::f32), dtype);
  return keep ? total : without_axes(total, axes);
}

Val OpBuilder::mean(Val x, const std::vector<int>& axes, bool keep) {
  if (!status_) return {};
  const DType dtype = p_[x.id].dtype;
  const Dims to = reduced(p_[x.id].dims, axes);
  const auto count = static_cast<double>(element_count(p_[x.id].dims)) / static_cast<double>(element_count(to));
  const Val total = sum_to(x, to, dtype == DType::f64 ? dtype : DType::f32);
  const Val average = cast(scale(total, 1 / count), dtype);
  return keep ? average : without_axes(average, axes);
}

Val OpBuilder::reduce(ReduceFn fn, Val x, const std::vector<int>& axes, bool keep) {
  if (!status_) return {};
  const Val kept = emit(Op::reduce, {x}, ReduceAttr{fn, reduced(p_[x.id].dims, axes)})[0];
  return keep ? kept : without_axes(kept, axes);
}

Val OpBuilder::softmax(Val x, int axis) {
  return emit(Op::softmax, {x}, SoftmaxAttr{axis, false})[0];
}
Val OpBuilder::log_softmax(Val x, int axis) {
  return emit(Op::softmax, {x}, SoftmaxAttr{axis, true})[0];
}
Val OpBuilder::argmax(Val x, int axis) {
  return emit(Op::argmax, {x}, AxisAttr{axis, 0, 0, 0})[0];
}
Val OpBuilder::gather_elements(Val x, Val index, int axis) {
  return emit(Op::gather_elements, {x, index}, AxisAttr{axis, 0, 0, 0})[0];
}

}  // namespace hw
