// Position Embedding: adds a learned vector to each token, by its place in the sequence.
#include "engine/node/shapes.h"

namespace hw::nodes::position_embedding {

static void declare(NodeDecl& d) {
  d.title("Position Embedding").category("Layer").summary("Adds a learned vector to each token, by its place.");
  d.doc(
      "`y = x + table`, `x` [.., seq, hidden], `table` [seq, hidden]: the same for every sample. Attention alone does "
      "not know the order of its tokens; this tells it. `table` is stored in `dtype` and starts normal with mean 0 and "
      "standard deviation `scale`. Its gradient is the sum over all samples.");
  d.source("Vaswani et al. 2017, Attention Is All You Need; Dosovitskiy et al. 2021 (learned, over patches)");
  d.keywords("learned positional encoding token transformer vit sequence bias table");
  d.real("scale", 0.02).docs("Standard deviation at the start.").at_least(0).at_most(100);
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of table, input and output.");
  d.weight("table", "dtype", "[seq, hidden]");
  d.input("x").dtype_of("dtype").with_axes(".. seq hidden");
  d.output("y").dtype_of("dtype").with_axes(".. seq hidden");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::last_size(a, "x"));
  const Shape& x = a.shape("x");
  if (x.rank() < 2 || !x[x.rank() - 2].known())
    return Error{codes::rank_mismatch, "x", "tokens are [.., seq, hidden] with known sizes, got " + to_string(x) + ".",
                 "Patchify makes tokens of pictures; Reshape of other tensors."};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims& dims = b[x].dims;
  const Dims table{dims[dims.size() - 2], dims.back()};
  return {b.add(x, b.param("table", a.params().dtype("dtype"), table, {Init::Kind::normal, a.params().real("scale")}))};
}

static Examples examples() {
  return {
      {.name = "tokens", .inputs = {{"x", DType::f32, {3, 5, 4}, {"batch", "seq", "hidden"}}}},
      {.name = "one_sequence", .inputs = {{"x", DType::f32, {7, 6}, {"seq", "hidden"}}}, .params = {{"scale", 1.0}}},
      {.name = "heads", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"batch", "heads", "seq", "hidden"}}}},
  };
}

}  // namespace hw::nodes::position_embedding

HW_NODE(position_embedding)
