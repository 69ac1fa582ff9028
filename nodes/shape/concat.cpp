// Concat: two to four tensors, one after the other along an axis.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::concat {

static constexpr std::string_view kInputs[] = {"a", "b", "c", "d"};

static void declare(NodeDecl& d) {
  d.title("Concat").category("Shape").summary("Joins two to four tensors along an axis.");
  d.doc(
      "All inputs have one dtype, the same number of axes, and the same sizes except along `axis`, where the output "
      "has their sum. [N, 3] and [N, 2] along the last axis give [N, 5].");
  d.source("PyTorch, `torch.cat`");
  d.keywords("cat join stack append Concatenate");
  d.autocast(Autocast::widest);
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.input("a").dtype_group("T", running_floats());
  d.input("b").dtype_group("T", running_floats());
  d.input("c").dtype_group("T", running_floats()).may_be_open();
  d.input("d").dtype_group("T", running_floats()).may_be_open();
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "a"));
  Shape out = a.shape("a");
  for (const std::string_view socket : kInputs) {
    if (socket == "a" || !a.in(socket)) continue;
    const Shape& shape = a.shape(socket);
    const std::string both = "a is " + to_string(a.shape("a")) + ", this is " + to_string(shape) + ".";
    if (shape.rank() != out.rank())
      return Error{codes::rank_mismatch, std::string(socket), "needs as many axes as input a: " + both, ""};
    for (size_t i = 0; i < out.rank(); ++i) {
      if (i == axis || !out[i].known() || !shape[i].known() || out[i].size == shape[i].size) continue;
      return Error{codes::size_mismatch, std::string(socket),
                   "axis " + std::to_string(i) + (out[i].name.empty() ? "" : " (" + out[i].name + ")") +
                       " must have the size it has in input a: " + both,
                   ""};
    }
    if (!shape[axis].known() || !out[axis].known())
      return Error{codes::size_mismatch, std::string(socket), "the joined axis needs a known size: " + both, ""};
    out[axis].size = size_sum({out[axis].size, shape[axis].size});
  }
  return Shapes{shapes::tensor(a.dtype("a"), out)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  std::vector<Val> parts;
  for (const std::string_view socket : kInputs)
    if (a.has(socket)) parts.push_back(a.in(socket));
  if (!b.status()) return {Val{}};
  return {b.concat(parts, shapes::wrap_axis(a.params().integer("axis"), b[parts[0]].dims.size()))};
}

static Examples examples() {
  return {
      {.name = "channels", .inputs = {{"a", DType::f32, {9, 3}, {"N", "C"}}, {"b", DType::f32, {9, 2}, {"N", "C"}}}},
      {.name = "rows",
       .inputs = {{"a", DType::f32, {2, 4}, {}}, {"b", DType::f32, {1, 4}, {}}, {"c", DType::f32, {5, 4}, {}}},
       .params = {{"axis", int64_t{0}}}},
      {.name = "four_middle",
       .inputs = {{"a", DType::f32, {2, 1, 3}, {}},
                  {"b", DType::f32, {2, 2, 3}, {}},
                  {"c", DType::f32, {2, 3, 3}, {}},
                  {"d", DType::f32, {2, 1, 3}, {}}},
       .params = {{"axis", int64_t{1}}}},
  };
}

}  // namespace hw::nodes::concat

HW_NODE(concat)
