// RMS norm over the last axis. The mean square is taken in f32 for every storage dtype.
#include "engine/node/shapes.h"

namespace hw::nodes::rms_norm {

static void declare(NodeDecl& d) {
  d.title("RMS Norm").category("Layer").summary("Divides each row by its root mean square.");
  d.doc(
      "`y = x / √(mean(x²) + epsilon) · weight` over the last axis, [.., C] to [.., C]. Unlike Layer Norm it takes no "
      "mean away and adds no bias. `weight` [C] starts at 1; without `affine` there is none. Input, weight and output "
      "are stored in `dtype`; everything between is f32 (f64 for f64), rounded once.");
  d.source("Zhang and Sennrich 2019, Root Mean Square Layer Normalization; PyTorch, `torch.nn.RMSNorm`");
  d.keywords("root mean square normalisation normalization layer llama transformer RMSNormalization");
  d.autocast(Autocast::f32);
  d.real("epsilon", 1e-6).docs("Added to the mean square.").above(0).at_most(1).logarithmic();
  d.boolean("affine", true).docs("A trainable weight for each channel.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weight, input and output.");
  d.weight("weight", "dtype", "[C]", "affine");
  d.input("x").dtype_of("dtype").with_axes(".. C");
  d.output("y").dtype_of("dtype").with_axes(".. C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t channels, shapes::last_size(a, "x"));
  if (channels < 1)
    return Error{codes::size_mismatch, "x", "the last axis is empty in " + to_string(a.shape("x")) + ".",
                 "Give it at least one element."};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType dtype = a.params().dtype("dtype"), wide = dtype == DType::f64 ? DType::f64 : DType::f32;
  const int last = static_cast<int>(b[x].dims.size()) - 1;
  const Val row = b.cast(x, wide);
  const Val square = b.mean(b.mul(row, row), {last}, true);
  const Val epsilon = b.constant(Tensor::from_f64(wide, {}, std::vector<double>(1, a.params().real("epsilon"))));
  Val y = b.div(row, b.unary(UnaryFn::sqrt, b.add(square, epsilon)));
  if (a.params().boolean("affine"))
    y = b.mul(y, b.cast(b.param("weight", dtype, {b[x].dims.back()}, {Init::Kind::constant, 1}), wide));
  return {b.cast(y, dtype)};
}

static Examples examples() {
  return {
      {.name = "rows", .inputs = {{"x", DType::f32, {5, 9}, {"N", "C"}}}, .tolerance_factor = 3},
      {.name = "tokens",
       .inputs = {{"x", DType::f32, {2, 3, 8}, {"batch", "seq", "hidden"}}},
       .params = {{"affine", false}, {"epsilon", 1e-3}},
       .tolerance_factor = 3},
      {.name = "vector", .inputs = {{"x", DType::f32, {7}, {"C"}}}, .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::rms_norm

HW_NODE(rms_norm)
