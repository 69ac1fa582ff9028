// Gradient: ∂y/∂x of two wires as a tensor.
//
// The nodes before this one are lowered already, so their ops stand in the builder's program: lower() walks back from y
// to x and appends the adjoints of the ops in between as ops of this node. Lowered by itself, with inputs that do not
// depend on one another, it fails with HW-G011: what looks at nodes one by one then knows nothing of its ops. Its
// examples therefore make y of x.
#include "engine/node/shapes.h"
#include "engine/program/adjoint.h"

namespace hw::nodes::gradient {

static void declare(NodeDecl& d) {
  d.title("Gradient").category("Math").summary("The derivative of one wire by another before it, as a tensor.");
  d.doc(
      "`gradient = ∂(Σ y)/∂x`, with the shape and dtype of `x`. Where each row of `y` depends on its own row of `x` "
      "alone, as in a field, a row of it is the derivative of that row's `y`: of a distance by positions, the normal. "
      "`y` must be made of `x`: wire `x` from the output where the way to `y` begins. A Cast before `x` is no part of "
      "that way.\n\n"
      "A loss of it trains what `y` is made of (double backward): an eikonal term is the mean of `(|gradient| − 1)²`. "
      "That needs second derivatives of the nodes in between; at kinks (ReLU, the border of a cell) they are 0. Where "
      "an op has none the training says which, and so it does where no gradient reaches `x` (Stop Gradient, whole "
      "numbers, comparisons). Gradient Scales in between with `unscale` are divided out.");
  d.source("PyTorch, `torch.autograd.grad` with `create_graph`; Gropp et al. 2020, IGR (the eikonal term)");
  d.keywords("derivative autograd backward jacobian normal eikonal sdf slope double grad differentiate");
  d.input("y").docs("What is differentiated: its sum.").dtypes(running_floats());
  d.input("x").docs("By what: a wire that y depends on.").dtype_group("T", running_floats()).must_precede("y");
  d.output("gradient").docs("The shape and dtype of x.").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x"), gradient = gradient_of(b, a.in("y"), x);
  if (gradient) b.set_axes(gradient, b[x].axes);
  return {gradient};
}

static Val x_of(const LowerArgs::In& before) {
  return std::get<Val>(before.at("x"));
}

static Val itself(OpBuilder&, const LowerArgs::In& before) {
  return x_of(before);
}

// √ Σ softplus(x²), one number a row.
static Val length(OpBuilder& b, const LowerArgs::In& before) {
  const Val squares = b.unary(UnaryFn::softplus, b.mul(x_of(before), x_of(before)), 1);
  return b.unary(UnaryFn::sqrt, b.sum(squares, {1}));
}

// Every element depends on all of its row.
static Val attention(OpBuilder& b, const LowerArgs::In& before) {
  return b.mul(b.softmax(x_of(before), 1), b.unary(UnaryFn::sin, x_of(before)));
}

static Examples examples() {
  return {
      {.name = "of_rows",
       .inputs = {{"x", DType::f32, {7, 3}, {"N", "C"}}, {"y", DType::f32, {7}, {"N"}, 0, 0, length}},
       .tolerance_factor = 10},
      {.name = "of_a_matrix",
       .inputs = {{"x", DType::f32, {4, 5}, {}}, {"y", DType::f32, {4, 5}, {}, 0, 0, attention}},
       .tolerance_factor = 10},
      {.name = "by_itself",
       .inputs = {{"x", DType::f32, {3}, {"N"}}, {"y", DType::f32, {3}, {"N"}, 0, 0, itself}},
       .no_gradient_because = "it is 1 everywhere"},
  };
}

}  // namespace hw::nodes::gradient

HW_NODE(gradient)
