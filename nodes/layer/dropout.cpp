// Dropout with a counter-based mask: a function of (seed, node, step, element) alone, so equal on every device.
#include "engine/node/shapes.h"

namespace hw::nodes::dropout {

static void declare(NodeDecl& d) {
  d.title("Dropout").category("Layer").summary("Sets a random share of the elements to zero while training.");
  d.doc(
      "Training: `y = x / (1 - p)` where a uniform number in [0, 1) is below `1 - p`, else 0. Evaluation: `y = x`. "
      "Any shape. The mask comes from Philox4x32-10 with the run's seed as key and (element, node, step) as counter: "
      "the same bits on every device and at any number of threads.");
  d.source("Srivastava et al. 2014, Dropout; Salmon et al. 2011, Parallel Random Numbers: As Easy as 1, 2, 3");
  d.keywords("regularisation regularization random mask noise");
  d.real("p", 0.5).labelled("Drop share").docs("Probability of dropping an element; 1: all are 0.").range(0, 1);
  d.random();
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.dropout(a.in("x"), a.params().real("p"))};
}

static Examples examples() {
  return {
      {.name = "half", .inputs = {{"x", DType::f32, {50, 7}, {"N", "C"}}}},
      {.name = "tokens", .inputs = {{"x", DType::f32, {2, 5, 9}, {"batch", "seq", "hidden"}}}, .params = {{"p", 0.1}}},
      {.name = "none", .inputs = {{"x", DType::f32, {11}, {}}}, .params = {{"p", 0.0}}},
      {.name = "all",
       .inputs = {{"x", DType::f32, {11}, {}}},
       .params = {{"p", 1.0}},
       .no_gradient_because = "all of it is dropped"},
  };
}

}  // namespace hw::nodes::dropout

HW_NODE(dropout)
