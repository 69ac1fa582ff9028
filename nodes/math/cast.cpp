// Cast: the same values in another dtype, rounded once.
#include "engine/node/shapes.h"

namespace hw::nodes::cast {

static std::vector<DType> every_dtype() {
  std::vector<DType> list;
  for (const DTypeInfo& row : dtype_table())
    if (row.storable) list.push_back(row.dtype);
  return list;
}

static void declare(NodeDecl& d) {
  d.title("Cast").category("Math").summary("Converts a tensor to another dtype.");
  d.doc(
      "`y = round(x)` in one step. Any shape. `nearest`: to nearest, ties to even; values below half of the smallest "
      "subnormal of `to` become 0. `stochastic`: up or down, each with a chance by the distance, so that the mean is "
      "`x`; drawn from the run's seed, the step and the node's id. Values beyond the largest of `to` become infinite "
      "(f16: from 65520 on), in f8e4m3, which has no infinity, NaN (from above 464 on); with `saturate` all of them, "
      "infinite ones too, become that largest number with their sign. NaN stays. The gradient is cast back to the "
      "dtype of `x`, to nearest: a cast to f32 of an f16 wire still stores that wire's gradient in f16.\n\nTo whole "
      "numbers, fractions are dropped (-1.7 becomes -1; Round before it rounds), values out of range stop at the ends, "
      "NaN "
      "becomes 0; bool is false for 0 alone. No gradient passes whole numbers.");
  d.source("PyTorch, `torch.Tensor.to`; ONNX, Cast (saturate); IEEE 754; Gupta et al. 2015 (stochastic rounding)");
  d.keywords(
      "convert dtype precision half float to f16 f32 bf16 f8 saturate stochastic quantise fp16 fp32 fp64 fp8 float16 "
      "float32 float64 bfloat16 double quantize quantise type integer int8 uint8 int32 int64 bool int long");
  d.dtype("to", DType::f32, every_dtype()).docs("dtype of the output.");
  d.choice("rounding", "nearest", {"nearest", "stochastic"}).docs("To nearest, ties to even, or at random.");
  d.boolean("saturate", false).docs("Out of range: the largest number, not infinite or NaN.");
  d.random(ParamIs{"rounding", std::string("stochastic")});
  d.input("x");
  d.output("y").dtype_of("to");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const DType to = a.params().dtype("to");
  if (a.params().text("rounding") == "stochastic" && !(info(to).is_float && info(a.dtype("x")).is_float))
    return Error{codes::bad_parameter, "rounding",
                 "stochastic is between floats, not from " + std::string(name(a.dtype("x"))) + " to " +
                     std::string(name(to)) + ".",
                 "Choose nearest."};
  return Shapes{shapes::tensor(a.params().dtype("to"), a.shape("x"))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Params& p = a.params();
  const CastAttr attr{p.dtype("to"), p.boolean("saturate"), p.text("rounding") == "stochastic"};
  if (!attr.saturate && !attr.stochastic) return {b.cast(a.in("x"), attr.dtype)};
  return {b.cast(a.in("x"), attr)};
}

static Examples examples() {
  return {
      {.name = "from_f32", .inputs = {{"x", DType::f32, {33, 3}, {"N", "C"}, -100, 100}}},
      {.name = "from_f16", .inputs = {{"x", DType::f16, {33, 3}, {"N", "C"}, -1, 1}}},
      {.name = "from_bf16", .inputs = {{"x", DType::bf16, {17}, {"N"}, -1, 1}}},
      {.name = "saturated",
       .inputs = {{"x", DType::f32, {33, 3}, {"N", "C"}, -2000, 2000}},
       .params = {{"to", std::string("f8e4m3")}, {"saturate", true}},
       .no_gradient_because = "rounded to 4 significant bits: differences see steps"},
      {.name = "stochastic",
       .inputs = {{"x", DType::f32, {33, 3}, {"N", "C"}, -2, 2}},
       .params = {{"to", std::string("bf16")}, {"rounding", std::string("stochastic")}},
       .no_gradient_because = "rounded at random"},
      {.name = "from_f64", .inputs = {{"x", DType::f64, {2, 2, 5}, {}, -1e-4, 1e-4}}},
  };
}

}  // namespace hw::nodes::cast

HW_NODE(cast)
