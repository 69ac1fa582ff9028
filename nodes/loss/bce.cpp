// Binary cross entropy on probabilities: only in dtypes that distinguish probabilities near 1.
#include "engine/node/shapes.h"

namespace hw::nodes::bce {

static constexpr double kLeast = 1e-7;  // Keras's epsilon: the logarithm of 0 is not asked for

static void declare(NodeDecl& d) {
  d.title("BCE").category("Loss").summary("Binary cross entropy of probabilities; prefer BCE with Logits.");
  d.doc(
      "`loss = mean(-target · ln p - (1 - target) · ln(1 - p))` over all elements, a scalar `[]`, with the prediction "
      "p "
      "and the target in [0, 1], of one shape and dtype; p is clipped to [1e-7, 1 - 1e-7]. f32 and f64 alone: f16 "
      "keeps no p between 0.9995 and 1, bf16 none between 0.996 and 1, and there the loss would be infinite or "
      "constant. BCE with Logits takes the scores before the Sigmoid, in any dtype.");
  d.source("PyTorch, `torch.nn.BCELoss`, refused under autocast; clipped as Keras does, `keras.config.epsilon`");
  d.keywords("binary cross entropy probability classification mask loss objective BCELoss BinaryCrossentropy");
  d.input("prediction").docs("Probabilities.").dtype_group("T", {DType::f64, DType::f32});
  d.input("target").docs("What they should be; same shape.").dtype_group("T", {DType::f64, DType::f32});
  d.output("loss").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::loss_of_pair(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Val p = b.clamp(a.in("prediction"), kLeast, 1 - kLeast), target = a.in("target");
  const auto rest = [&](Val x) {
    return b.unary(UnaryFn::neg, b.sub(x, b.constant(Tensor::from_f64(b[x].dtype, {}, std::vector<double>{1}))));
  };
  const Val yes = b.mul(target, b.unary(UnaryFn::log, p));
  const Val no = b.mul(rest(target), b.unary(UnaryFn::log, rest(p)));
  return {b.mean(b.unary(UnaryFn::neg, b.add(yes, no)))};
}

static Examples examples() {
  const auto pair = [](std::string name, Dims dims, std::vector<std::string> axes) {
    return Example{
        .name = std::move(name),
        .inputs = {{"prediction", DType::f32, dims, axes, 0.05, 0.95}, {"target", DType::f32, dims, axes, 0, 1}},
        .tolerance_factor = 3};
  };
  return {pair("mask", {2, 1, 4, 4}, {"N", "C", "H", "W"}), pair("rows", {40, 3}, {"N", "C"}), pair("scalar", {}, {})};
}

}  // namespace hw::nodes::bce

HW_NODE(bce)
