// Remap: an affine map of one range to another.
#include <algorithm>

#include "engine/node/shapes.h"

namespace hw::nodes::remap {

static void declare(NodeDecl& d) {
  d.title("Remap").category("Math").summary("Maps one range to another: an affine map of every value.");
  d.doc(
      "`y = (x - from_min) / (from_max - from_min) · (to_max - to_min) + to_min`, computed as `x · scale + offset` "
      "with both numbers from f64. With clamp, `y` stays between to_min and to_max.\n\nAny shape; `y` has the shape "
      "and dtype of `x`. from 0..1 to 0..s is a multiplication by s.");
  d.source("Blender, Map Range node");
  d.keywords("affine map range scale offset normalise linear");
  d.real("from_min", 0).docs("Becomes to_min.");
  d.real("from_max", 1).docs("Becomes to_max; another number than from_min.");
  d.real("to_min", -1).docs("What from_min becomes.");
  d.real("to_max", 1).docs("What from_max becomes.");
  d.boolean("clamp", false).docs("Limits the result to the target range.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.params().real("from_min") == a.params().real("from_max"))
    return Error{codes::bad_parameter, "from_max",
                 "must differ from from_min, got " + to_string(ParamValue(a.params().real("from_max"))) + " for both.",
                 ""};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Params& p = a.params();
  const double from = p.real("from_min"), to = p.real("to_min"), end = p.real("to_max");
  const double scale = (end - to) / (p.real("from_max") - from);
  const Val x = a.in("x");
  // The op has a factor for each channel of the last axis: a scalar, and what has very many, goes through one axis
  // more.
  const Dims dims = b[x].dims;
  const bool reshaped = dims.empty() || dims.back() > 4096;
  Dims split = dims;
  if (reshaped) split.push_back(1);
  const Val row = reshaped ? b.reshape(x, split) : x;
  const auto channels = static_cast<size_t>(split.back());
  Val y = b.affine(row, std::vector<double>(channels, scale), std::vector<double>(channels, to - from * scale));
  if (reshaped) y = b.reshape(y, dims, b.status() ? b[x].axes : std::vector<std::string>{});
  return {p.boolean("clamp") ? b.clamp(y, std::min(to, end), std::max(to, end)) : y};
}

static Examples examples() {
  return {
      {.name = "to_signed", .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}, 0, 1}}},
      {.name = "degrees",
       .inputs = {{"x", DType::f32, {2, 5, 3}, {}, 0, 360}},
       .params = {{"from_max", 360.0}, {"to_min", 0.0}, {"to_max", 6.283185307179586}}},
      {.name = "clamped",
       .inputs = {{"x", DType::f32, {40}, {}, -1, 2}},
       .params = {{"clamp", true}, {"to_min", 4.0}, {"to_max", 2.0}}},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}}}},
  };
}

}  // namespace hw::nodes::remap

HW_NODE(remap)
