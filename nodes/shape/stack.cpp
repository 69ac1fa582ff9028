// Stack: any number of tensors of one shape, side by side along a new axis.
#include "engine/node/many_inputs.h"

namespace hw::nodes::stack {

static void declare(NodeDecl& d) {
  d.title("Stack").category("Shape").summary("Joins tensors along a new axis.");
  d.doc(
      "All inputs have one dtype and one shape; `y` has one axis more, at `axis`, as long as there are inputs. Three "
      "wires [H, W] stacked at axis 0 give [3, H, W]. `inputs` says how many sockets there are; open "
      "ones do not count. Concat joins along an axis that is there already.");
  d.source("PyTorch, `torch.stack`");
  d.keywords("join new axis combine channels unsqueeze");
  d.autocast(Autocast::widest);
  d.integer("axis", 0).docs("Where the new axis stands, from the end when negative; -1: last.").range(-9, 8);
  d.text("name", "").labelled("Axis name").docs("Of the new axis, such as `C`; empty: none.");
  shapes::declare_input_count(d);
  d.output("y").dtype_group("T");
}

static Status sockets(NodeDecl& d, const Params& p) {
  shapes::add_inputs(d, p);
  return ok();
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& first = a.shape("a");
  const auto rank = static_cast<int64_t>(first.rank()) + 1;
  const int64_t axis = a.params().integer("axis");
  if (axis < -rank || axis >= rank)
    return Error{codes::bad_parameter, "axis",
                 "must be from " + std::to_string(-rank) + " to " + std::to_string(rank - 1) + " for inputs " +
                     to_string(first) + ", got " + std::to_string(axis) + ".",
                 "-1 makes the new axis the last."};
  int64_t count = 0;
  for (const std::string& socket : shapes::input_ids(a.params())) {
    if (!a.in(socket)) continue;
    ++count;
    const Shape& shape = a.shape(socket);
    const std::string both = shapes::beside_first(first, shape);
    if (shape.rank() != first.rank())
      return Error{codes::rank_mismatch, socket, "needs as many axes as input a: " + both, ""};
    for (size_t i = 0; i < first.rank(); ++i)
      if (first[i].known() && shape[i].known() && first[i].size != shape[i].size)
        return Error{codes::size_mismatch, socket,
                     "axis " + std::to_string(i) + (first[i].name.empty() ? "" : " (" + first[i].name + ")") +
                         " must have the size it has in input a: " + both,
                     ""};
  }
  Shape out;
  const int at = shapes::wrap_axis(axis, static_cast<size_t>(rank));
  for (int i = 0; i < static_cast<int>(rank); ++i)
    out.push_back(i == at ? Axis{a.params().text("name"), count, ""} : first[static_cast<size_t>(i - (i > at))]);
  return Shapes{shapes::tensor(a.dtype("a"), out)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  Dims dims = b[a.in("a")].dims;
  std::vector<std::string> axes = b[a.in("a")].axes;
  const bool named = axes.size() == dims.size();
  const int axis = shapes::wrap_axis(a.params().integer("axis"), dims.size() + 1);
  dims.insert(dims.begin() + axis, 1);
  if (named) axes.insert(axes.begin() + axis, a.params().text("name"));
  std::vector<Val> parts;
  for (const std::string& socket : shapes::input_ids(a.params()))
    if (a.has(socket)) parts.push_back(b.reshape(a.in(socket), dims, named ? axes : std::vector<std::string>{}));
  return {b.concat(parts, axis)};
}

static Examples examples() {
  return {
      {.name = "pair", .inputs = {{"a", DType::f32, {7, 3}, {"N", "C"}}, {"b", DType::f32, {7, 3}, {"N", "C"}}}},
      {.name = "channels",
       .inputs = {{"a", DType::f32, {2, 5, 4}, {"N", "H", "W"}},
                  {"b", DType::f32, {2, 5, 4}, {"N", "H", "W"}},
                  {"c", DType::f32, {2, 5, 4}, {"N", "H", "W"}}},
       .params = {{"axis", int64_t{1}}, {"name", std::string("C")}}},
      {.name = "scalars_last",
       .inputs =
           {{"a", DType::f32, {}, {}}, {"b", DType::f32, {}, {}}, {"c", DType::f32, {}, {}}, {"d", DType::f32, {}, {}}},
       .params = {{"axis", int64_t{-1}}}},
  };
}

}  // namespace hw::nodes::stack

HW_ADAPTIVE_NODE(stack)
