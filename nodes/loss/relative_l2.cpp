// Relative squared error, for values of very different size (HDR colours).
#include "engine/node/shapes.h"

namespace hw::nodes::relative_l2 {

static void declare(NodeDecl& d) {
  d.title("Relative L2").category("Loss").summary("Squared error relative to the prediction's own size.");
  d.doc(
      "`loss = mean((prediction - target)² / (prediction² + epsilon))` over all elements, a scalar `[]`. Both inputs "
      "have the same shape and dtype; every step is rounded to that dtype, the mean is summed in f32 (f64 for f64). "
      "Large and small values count alike, which suits HDR colours.\n\nThe gradient takes the denominator for a "
      "constant: else a prediction could lower its loss by growing.");
  d.source("Lehtinen et al. 2018, Noise2Noise; tiny-cuda-nn, RelativeL2");
  d.keywords("hdr relative squared error regression loss objective");
  d.autocast(Autocast::f32);
  d.real("epsilon", 0.01).docs("Keeps the denominator from 0.").above(0);
  d.boolean("constant_denominator", true).docs("No gradient through the denominator, as tiny-cuda-nn does.");
  shapes::declare_loss_pair(d);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::loss_of_pair(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Val prediction = a.in("prediction"), difference = b.sub(prediction, a.in("target"));
  const double epsilon[] = {a.params().real("epsilon")};
  const Val offset = b.constant(Tensor::from_f64(b[prediction].dtype, {}, epsilon));
  const Val size = a.params().boolean("constant_denominator") ? b.stop_gradient(prediction) : prediction;
  return {b.mean(b.div(b.mul(difference, difference), b.add(b.mul(size, size), offset)))};
}

static Examples examples() {
  Examples all = shapes::loss_pair_examples({{"constant_denominator", false}});
  Example constant = all[0];
  constant.name = "constant_denominator";
  constant.params = {};
  constant.no_gradient_because = "the gradient leaves the denominator out: it is not that of the value";
  all.push_back(std::move(constant));
  return all;
}

}  // namespace hw::nodes::relative_l2

HW_NODE(relative_l2)
