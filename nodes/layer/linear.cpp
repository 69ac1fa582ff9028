// Linear: an affine map of the last axis.
#include "engine/node/shapes.h"
#include "engine/node/weight_init.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::linear {

static void declare(NodeDecl& d) {
  d.title("Linear").category("Layer").summary("A fully connected layer over the last axis.");
  d.doc(
      "`y = x · weightᵀ + bias`: [.., in] to [.., out_features], `weight` [out_features, in], `bias` [out_features]. "
      "Weights and input are stored in `dtype`; products accumulate in f32 (f64 for f64), the bias is added there, and "
      "the sum is rounded once. Both start uniform in "
      "±1/√in, as PyTorch's Linear does. A dtype narrower than f32 keeps an f32 master copy for the optimiser.");
  d.source("PyTorch, `torch.nn.Linear`; He et al. 2015 (Kaiming initialisation)");
  d.keywords("dense fully connected fc matmul gemm affine projection");
  d.autocast(Autocast::low);
  d.integer("out_features", 32).docs("Size of the output's last axis.").range(1, 65536).logarithmic();
  shapes::declare_expected(d, "in_features");
  d.boolean("bias", true).docs("Add a bias.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  d.weight("weight", "dtype", "[out_features, in]");
  d.weight("bias", "dtype", "[out_features]", "bias");
  shapes::declare_weight_init(d);
  d.input("x").dtype_of("dtype").with_axes(".. in");
  d.output("y").dtype_of("dtype").with_axes(".. out");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t in, shapes::last_size(a, "x"));
  HW_CHECK(shapes::as_expected(a, "in_features", in));
  Shape shape = a.shape("x");
  shape[shape.rank() - 1].size = a.params().integer("out_features");
  return Shapes{shapes::tensor(a.params().dtype("dtype"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int64_t in = b[x].dims.back(), out = a.params().integer("out_features");
  const DType dtype = a.params().dtype("dtype");
  const auto init = shapes::layer_init(a.params(), {out, in});
  const Val weight = b.param("weight", dtype, {out, in}, init.weight);
  const Val bias = a.params().boolean("bias") ? b.param("bias", dtype, {out}, init.bias) : Val{};
  return {product_with_bias(b, Op::matmul, x, weight, bias, MatmulAttr{true, false, shapes::compute_of(a.params())})};
}

static Examples examples() {
  return {
      {.name = "wide",
       .inputs = {{"x", DType::f32, {13, 32}, {"N", "C"}}},
       .params = {{"out_features", int64_t{17}}},
       .tolerance_factor = 6},
      {.name = "no_bias",
       .inputs = {{"x", DType::f32, {7, 5}, {"N", "C"}}},
       .params = {{"out_features", int64_t{3}}, {"bias", false}},
       .tolerance_factor = 3},
      {.name = "in_bf16",
       .inputs = {{"x", DType::f32, {9, 40}, {"N", "C"}}},
       .params = {{"out_features", int64_t{24}}, {"compute", std::string("bf16")}},
       .tolerance_factor = 6,
       .no_gradient_because = "factors are rounded: differences see steps"},
      {.name = "tokens",
       .inputs = {{"x", DType::f32, {2, 4, 9}, {"batch", "seq", "hidden"}}},
       .params = {{"out_features", int64_t{6}}},
       .tolerance_factor = 4},
      {.name = "vector",
       .inputs = {{"x", DType::f32, {6}, {"C"}}},
       .params = {{"out_features", int64_t{1}}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::linear

HW_NODE(linear)
