// MLP: linear layers with an activation between them; the small networks of nvdiffrec and tiny-cuda-nn.
#include <cmath>

#include "engine/node/shapes.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::mlp {

static void declare(NodeDecl& d) {
  d.title("MLP").category("Layer").summary("A stack of fully connected layers with an activation between them.");
  d.doc(
      "`hidden_layers` times `h = activation(h · layer_iᵀ)` of size `width`, then one more product to `out_features` "
      "and the output activation. [.., in] to [.., out_features]; weights `layer_i` [out, in], optional `bias_i` "
      "[out]. Weights, input, hidden values and output are stored in `dtype`; products accumulate in f32 (f64 for "
      "f64). Weights start uniform in ±√(6/in) (Kaiming for ReLU), biases at 0. A dtype narrower than f32 keeps an "
      "f32 master copy for the optimiser. The wire into `x` must carry `dtype`: an encoder in f16 needs a Cast before "
      "an MLP in f32.");
  d.source("nvdiffrec, `render/mlptexture.py` (Munkberg et al. 2022); He et al. 2015 (Kaiming initialisation)");
  d.keywords("perceptron network neural fully fused dense decoder head FullyFusedMLP CutlassMLP");
  d.autocast(Autocast::low);
  d.integer("width", 32).labelled("Hidden width").docs("Size of the hidden layers.").range(1, 65536).logarithmic();
  d.integer("hidden_layers", 2).docs("0: one linear map.").range(0, 64);
  d.integer("out_features", 3).docs("Size of the output's last axis.").range(1, 65536).logarithmic();
  d.choice("activation", "relu", {"relu", "sigmoid", "none"}).docs("After each hidden layer.");
  d.choice("output_activation", "none", {"none", "relu", "sigmoid"}).docs("After the last layer.");
  d.boolean("bias", false).docs("Add a bias in every layer.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  d.weight("layer_*", "dtype", "`layer_0` .. `layer_L`, each [out, in]");
  d.weight("bias_*", "dtype", "`bias_0` .. `bias_L`, each [out]", "bias");
  d.input("x").dtype_of("dtype").with_axes(".. in");
  d.output("y").dtype_of("dtype").with_axes(".. out");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::last_size(a, "x"));
  Shape shape = a.shape("x");
  shape[shape.rank() - 1].size = a.params().integer("out_features");
  return Shapes{shapes::tensor(a.params().dtype("dtype"), shape)};
}

static Val activate(OpBuilder& b, Val x, const std::string& activation) {
  if (activation == "relu") return b.relu(x);
  return activation == "sigmoid" ? b.sigmoid(x) : x;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Params& p = a.params();
  const DType dtype = p.dtype("dtype");
  const int64_t hidden = p.integer("hidden_layers");
  Val h = a.in("x");
  for (int64_t i = 0; i <= hidden && b.status(); ++i) {
    const std::string index = std::to_string(i);
    const int64_t in = b[h].dims.back(), out = p.integer(i < hidden ? "width" : "out_features");
    const Init kaiming{Init::Kind::uniform, std::sqrt(6.0 / static_cast<double>(in))};
    const Val weight = b.param("layer_" + index, dtype, {out, in}, kaiming);
    const Val bias = p.boolean("bias") ? b.param("bias_" + index, dtype, {out}, {}) : Val{};
    h = product_with_bias(b, Op::matmul, h, weight, bias, MatmulAttr{true, false, shapes::compute_of(p)});
    h = activate(b, h, p.text(i < hidden ? "activation" : "output_activation"));
  }
  return {h};
}

static Examples examples() {
  return {
      {.name = "texture", .inputs = {{"x", DType::f32, {19, 32}, {"N", "C"}}}, .tolerance_factor = 40},
      {.name = "bias_sigmoid",
       .inputs = {{"x", DType::f32, {9, 8}, {"N", "C"}}},
       .params = {{"width", int64_t{16}},
                  {"hidden_layers", int64_t{1}},
                  {"out_features", int64_t{9}},
                  {"output_activation", std::string("sigmoid")},
                  {"bias", true}},
       .tolerance_factor = 10},
      {.name = "sigmoid_hidden",
       .inputs = {{"x", DType::f32, {5, 4}, {"N", "C"}}},
       .params = {{"width", int64_t{7}}, {"activation", std::string("sigmoid")}},
       .tolerance_factor = 10},
      {.name = "one_map",
       .inputs = {{"x", DType::f32, {2, 3, 6}, {"batch", "seq", "hidden"}}},
       .params = {{"hidden_layers", int64_t{0}}, {"out_features", int64_t{4}}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::mlp

HW_NODE(mlp)
