// Squeeze: takes away axes of size 1.
#include <algorithm>

#include "engine/node/shapes.h"

namespace hw::nodes::squeeze {

// Whether each axis of x goes. Without `axes` all of size 1 do.
static std::vector<bool> gone(const std::vector<int>& axes, const Dims& dims) {
  std::vector<bool> list(dims.size(), false);
  for (size_t d = 0; axes.empty() && d < dims.size(); ++d) list[d] = dims[d] == 1;
  for (const int axis : axes) list[static_cast<size_t>(axis)] = true;
  return list;
}

static void declare(NodeDecl& d) {
  d.title("Squeeze").category("Shape").summary("Takes away axes of size 1.");
  d.doc(
      "Without `axes` every axis of size 1 goes: [N, 1, 1, C] becomes [N, C]. With `axes` these alone, each of which "
      "must have size 1. Any dtype; no element is copied or rounded. Unsqueeze is the reverse.");
  d.source("NumPy, `numpy.squeeze`; PyTorch, `torch.squeeze`; ONNX, Squeeze");
  d.keywords("remove drop axis axes dimension singleton reshape");
  d.vector("axes", {}).docs("Axes to take away, from the end when negative; empty: all of size 1.").range(-8, 7);
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const std::vector<int> axes, shapes::axes_of(a, "x"));
  const Shape& x = a.shape("x");
  for (const int axis : axes)
    if (const Axis& at = x[static_cast<size_t>(axis)]; at.size != 1)
      return Error{codes::size_mismatch, "x",
                   "axis " + std::to_string(axis) + (at.name.empty() ? "" : " (" + at.name + ")") +
                       " must have size 1 to be taken away, got " + to_string(x) + ".",
                   "Leave it out of axes."};
  const std::vector<bool> goes = gone(axes, x.dims());
  Shape y;
  for (size_t d = 0; d < x.rank(); ++d)
    if (!goes[d]) y.push_back(x[d]);
  return Shapes{shapes::tensor(a.dtype("x"), y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const std::vector<std::string> names = b[x].axes;
  const std::vector<bool> goes = gone(shapes::wrap_axes(a.params().vector("axes"), dims.size()), dims);
  Dims to;
  std::vector<std::string> axes;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (goes[d]) continue;
    to.push_back(dims[d]);
    if (!names.empty()) axes.push_back(names[d]);
  }
  return {b.reshape(x, to, axes)};
}

static Examples examples() {
  return {
      {.name = "all", .inputs = {{"x", DType::f32, {5, 1, 3, 1}, {"N", "C", "H", "W"}}}},
      {.name = "last",
       .inputs = {{"x", DType::f32, {5, 1, 1}, {"N", "H", "C"}}},
       .params = {{"axes", std::vector<double>{-1}}}},
      {.name = "to_scalar", .inputs = {{"x", DType::f32, {1, 1}, {}}}},
  };
}

}  // namespace hw::nodes::squeeze

HW_NODE(squeeze)
