// Mean squared error.
#include "engine/node/shapes.h"

namespace hw::nodes::mse {

static void declare(NodeDecl& d) {
  d.title("MSE").category("Loss").summary("Mean squared error between a prediction and a target.");
  d.doc(
      "`loss = mean((prediction - target)²)` over all elements, a scalar `[]`. Both inputs have the same shape and "
      "dtype; difference and square are rounded to that dtype, the mean is summed in f32 (f64 for f64). In f16 the "
      "gradient `2 (prediction - target) / count` underflows for large batches: cast to f32 first, or scale the "
      "gradient.");
  d.source("PyTorch, `torch.nn.MSELoss`");
  d.keywords("l2 squared error regression loss objective");
  d.input("prediction").docs("What the network says.").dtype_group("T", running_floats());
  d.input("target").docs("What it should say; same shape.").dtype_group("T", running_floats());
  d.output("loss").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const auto both = unify(a.shape("prediction"), a.shape("target"));
  if (!both) {
    const Error& error = both.error();
    const std::string axis = error.code == codes::size_mismatch ? " They differ on axis " + error.where + "." : "";
    return Error{error.code, "target",
                 "must have the shape of the prediction: prediction " + to_string(a.shape("prediction")) + ", target " +
                     to_string(a.shape("target")) + "." + axis,
                 "Slice or reshape one of them."};
  }
  return Shapes{shapes::tensor(a.dtype("prediction"), Shape{})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val difference = b.sub(a.in("prediction"), a.in("target"));
  return {b.mean(b.mul(difference, difference))};
}

static Examples examples() {
  return {
      {.name = "colour",
       .inputs = {{"prediction", DType::f32, {40, 3}, {"N", "C"}, 0, 1},
                  {"target", DType::f32, {40, 3}, {"N", "C"}, 0, 1}}},
      {.name = "image",
       .inputs = {{"prediction", DType::f32, {2, 3, 4, 4}, {"N", "C", "H", "W"}},
                  {"target", DType::f32, {2, 3, 4, 4}, {"N", "C", "H", "W"}}}},
      {.name = "scalar", .inputs = {{"prediction", DType::f32, {}, {}}, {"target", DType::f32, {}, {}}}},
  };
}

}  // namespace hw::nodes::mse

HW_NODE(mse)
