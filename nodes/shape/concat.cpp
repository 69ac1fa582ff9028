// Concat: any number of tensors, one after the other along an axis.
#include "engine/core/sizes.h"
#include "engine/node/many_inputs.h"

namespace hw::nodes::concat {

static void declare(NodeDecl& d) {
  d.title("Concat").category("Shape").summary("Joins tensors along an axis.");
  d.doc(
      "All inputs have one dtype, the same number of axes, and the same sizes except along `axis`, where the output "
      "has their sum. [N, 3] and [N, 2] along the last axis give [N, 5]. `inputs` says how many sockets there are; "
      "open ones "
      "do not count.");
  d.source("PyTorch, `torch.cat`; ONNX, Concat");
  d.keywords("cat join stack append merge Concatenate");
  d.autocast(Autocast::widest);
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  shapes::declare_input_count(d);
  d.output("y").dtype_group("T");
}

static Status sockets(NodeDecl& d, const Params& p) {
  shapes::add_inputs(d, p);
  return ok();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const size_t axis, shapes::axis_of(a, "a"));
  Shape out = a.shape("a");
  for (const std::string& socket : shapes::input_ids(a.params())) {
    if (socket == "a" || !a.in(socket)) continue;
    const Shape& shape = a.shape(socket);
    const std::string both = shapes::beside_first(a.shape("a"), shape);
    if (shape.rank() != out.rank())
      return Error{codes::rank_mismatch, socket, "needs as many axes as input a: " + both, ""};
    for (size_t i = 0; i < out.rank(); ++i) {
      if (i == axis || !out[i].known() || !shape[i].known() || out[i].size == shape[i].size) continue;
      return Error{codes::size_mismatch, socket,
                   "axis " + std::to_string(i) + (out[i].name.empty() ? "" : " (" + out[i].name + ")") +
                       " must have the size it has in input a: " + both,
                   ""};
    }
    if (!shape[axis].known() || !out[axis].known())
      return Error{codes::size_mismatch, socket, "the joined axis needs a known size: " + both, ""};
    out[axis].size = size_sum({out[axis].size, shape[axis].size});
  }
  return Shapes{shapes::tensor(a.dtype("a"), out)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  std::vector<Val> parts;
  for (const std::string& socket : shapes::input_ids(a.params()))
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
      {.name = "whole_numbers",
       .inputs = {{"a", DType::i64, {4, 2}, {}, -9, 9}, {"b", DType::i64, {4, 3}, {}, -9, 9}},
       .no_gradient_because = "whole numbers have no gradient"},
      {.name = "bools",
       .inputs = {{"a", DType::boolean, {4, 2}, {}}, {"b", DType::boolean, {1, 2}, {}}},
       .params = {{"axis", int64_t{0}}},
       .no_gradient_because = "bools have no gradient"},
      {.name = "six",
       .inputs = {{"a", DType::f32, {2, 3}, {}},
                  {"b", DType::f32, {1, 3}, {}},
                  {"c", DType::f32, {1, 3}, {}},
                  {"e", DType::f32, {3, 3}, {}},
                  {"f", DType::f32, {1, 3}, {}}},
       .params = {{"axis", int64_t{0}}, {"inputs", int64_t{6}}}},
  };
}

}  // namespace hw::nodes::concat

HW_ADAPTIVE_NODE(concat)
