// What the losses share: sockets, shape rules, examples.
#include "engine/node/shapes.h"

namespace hw::shapes {

void declare_loss_pair(NodeDecl& d) {
  d.input("prediction").docs("What the network says.").dtype_group("T", running_floats());
  d.input("target").docs("What it should say; same shape.").dtype_group("T", running_floats());
  d.output("loss").dtype_group("T");
}

Result<Shapes> loss_of_pair(const ShapeArgs& a) {
  const auto both = unify(a.shape("prediction"), a.shape("target"));
  if (!both) {
    const Error& error = both.error();
    const std::string axis = error.code == codes::size_mismatch ? " They differ on axis " + error.where + "." : "";
    return Error{error.code, "target",
                 "must have the shape of the prediction: prediction " + to_string(a.shape("prediction")) + ", target " +
                     to_string(a.shape("target")) + "." + axis,
                 "Slice or reshape one of them."};
  }
  return Shapes{tensor(a.dtype("prediction"), Shape{})};
}

Examples loss_pair_examples(const ParamMap& params) {
  const auto pair = [&](std::string name, Dims dims, std::vector<std::string> axes, double lo) {
    return Example{.name = std::move(name),
                   .inputs = {{"prediction", DType::f32, dims, axes, lo, 1}, {"target", DType::f32, dims, axes, lo, 1}},
                   .params = params};
  };
  return {pair("colour", {40, 3}, {"N", "C"}, 0), pair("image", {2, 3, 4, 4}, {"N", "C", "H", "W"}, -1),
          pair("scalar", {}, {}, -1)};
}

Status labels_of_logits(const ShapeArgs& a) {
  const Shape &logits = a.shape("logits"), &labels = a.shape("labels");
  const std::string both = "logits " + to_string(logits) + ", labels " + to_string(labels) + ".";
  if (logits.rank() < 2)
    return Error{codes::rank_mismatch, "logits", "needs the axes N and C: " + both, "Reshape to [N, C]."};
  Shape expected;
  for (size_t i = 0; i < logits.rank(); ++i)
    if (i != 1) expected.push_back(logits[i]);
  const auto same = unify(expected, labels);
  if (same) return ok();
  return Error{same.error().code, "labels", "must have the shape of the logits without axis 1, the classes: " + both,
               "One label, a whole number, for each row of scores."};
}

}  // namespace hw::shapes
