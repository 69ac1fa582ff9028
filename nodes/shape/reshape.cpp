// Reshape: the same elements under other sizes.
#include <cmath>

#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::reshape {

// The sizes asked for, with the −1 filled in so that they hold `count` elements.
static Result<Dims> dims_of(const std::vector<double>& sizes, const Dims& from) {
  const int64_t count = element_count(from);
  const std::string asked = to_string(ParamValue(sizes));
  Dims dims;
  int64_t known = 1;  // elements
  size_t open = sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != std::trunc(sizes[i]) || sizes[i] == 0 || sizes[i] < -1 || sizes[i] > 0x1p53)
      return Error{codes::bad_parameter, "shape",
                   "sizes must be whole numbers of at least 1, or -1, got " + asked + ".", ""};
    if (sizes[i] == -1 && open != sizes.size())
      return Error{codes::bad_parameter, "shape", "can have one -1, got " + asked + ".", ""};
    if (sizes[i] == -1) open = i;
    dims.push_back(static_cast<int64_t>(sizes[i]));
    if (sizes[i] > 0) known = size_product({known, dims.back()});
  }
  if (open != sizes.size() && known > 0 && count % known == 0) dims[open] = count / known;
  if ((open != sizes.size() && dims[open] < 0) || element_count(dims) != count)
    return Error{codes::size_mismatch, "shape",
                 to_string(from) + " has " + std::to_string(count) + " elements, which do not fit " + asked + ".",
                 "Use -1 for the size that follows from the others."};
  return dims;
}

static void declare(NodeDecl& d) {
  d.title("Reshape").category("Shape").summary("The same elements, in the same order, under other sizes.");
  d.doc(
      "Row major: the last axis runs fastest. One size may be -1: it follows from the others. `axes` names the new "
      "axes, separated by spaces. No element is copied or rounded.");
  d.source("NumPy, `numpy.reshape`");
  d.keywords("view flatten squeeze unsqueeze sizes");
  d.vector("shape", {-1}).docs("New sizes, outermost first; -1: what is left.").range(-1, 1 << 28);
  d.text("axes", "").docs("Names of the new axes, such as `N C H W`; empty: none.");
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& from = a.shape("x");
  if (!from.fully_known())
    return Error{codes::size_mismatch, "x", "all sizes must be known, got " + to_string(from) + ".", ""};
  HW_TRY(const Dims dims, dims_of(a.params().vector("shape"), from.dims()));
  HW_TRY(const Shape shape, shapes::named_shape(a.params(), dims, "axes"));
  return Shapes{shapes::tensor(a.dtype("x"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const auto dims = dims_of(a.params().vector("shape"), b[a.in("x")].dims);
  if (!dims) {
    b.fail(dims.error());
    return {Val{}};
  }
  return {b.reshape(a.in("x"), *dims, shapes::axis_names(a.params(), "axes"))};
}

static Examples examples() {
  return {
      {.name = "flatten", .inputs = {{"x", DType::f32, {3, 4, 2}, {}}}},
      {.name = "image",
       .inputs = {{"x", DType::f32, {24, 3}, {"N", "C"}}},
       .params = {{"shape", std::vector<double>{4, -1, 3}}, {"axes", std::string("H W C")}}},
      {.name = "to_scalar", .inputs = {{"x", DType::f32, {1, 1}, {}}}, .params = {{"shape", std::vector<double>{}}}},
  };
}

}  // namespace hw::nodes::reshape

HW_NODE(reshape)
