// Random: a tensor of random numbers, anew at every step.
#include "engine/node/shapes.h"

namespace hw::nodes::random {

static void declare(NodeDecl& d) {
  d.title("Random").category("Source").summary("A tensor of random numbers, drawn anew at every step.");
  d.doc(
      "`uniform`: evenly in [a, b]; `normal`: mean `a`, standard deviation `b`, by Box and Muller from pairs of "
      "uniform numbers (none lies beyond 5.8 deviations). The numbers come from Philox4x32-10 with the run's seed as "
      "key and (element, node, step) as counter: the same on every device and at any number of threads. Computed in "
      "f32 (f64 for f64) and rounded once. `evaluation` says what a run outside training gets: new numbers too, as "
      "samples need, or the mean of the distribution, as noise that only regularises needs.");
  d.source("Salmon et al. 2011, Parallel Random Numbers: As Easy as 1, 2, 3; Box and Muller 1958");
  d.keywords("noise rand randn uniform normal gaussian latent sample source");
  d.choice("distribution", "uniform", {"uniform", "normal"});
  d.real("a", 0).labelled("A").docs("Uniform: lower bound. Normal: mean.");
  d.real("b", 1).labelled("B").docs("Uniform: upper bound. Normal: standard deviation.");
  d.vector("shape", {65536, 3}).docs("Sizes, outermost first; empty: a scalar.").range(1, 1 << 28);
  d.text("axes", "N C").docs("Names of the axes, such as `N C`; empty: none.");
  d.choice("evaluation", "draw", {"draw", "mean"}).docs("Outside training: new numbers, or their mean.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of the output.");
  d.random();
  d.output("y").dtype_of("dtype");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Params& p = a.params();
  const bool normal = p.text("distribution") == "normal";
  if (normal ? p.real("b") < 0 : p.real("b") < p.real("a"))
    return Error{
        codes::bad_parameter, "b",
        normal ? "is the standard deviation and cannot be negative, got " + to_string(ParamValue(p.real("b"))) + "."
               : "must not be below a: from " + to_string(ParamValue(p.real("a"))) + " to " +
                     to_string(ParamValue(p.real("b"))) + ".",
        ""};
  HW_TRY(const Dims dims, shapes::sizes_of(p, "shape"));
  HW_TRY(const Shape shape, shapes::named_shape(p, dims, "axes"));
  return Shapes{shapes::tensor(p.dtype("dtype"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& args) {
  const Params& p = args.params();
  const auto dims = shapes::sizes_of(p, "shape");
  if (!dims) {
    b.fail(dims.error());
    return {Val{}};
  }
  const bool normal = p.text("distribution") == "normal";
  Val y;
  if (b.training() || p.text("evaluation") == "draw") {
    RandomAttr attr;
    attr.distribution = normal ? RandomAttr::Distribution::normal : RandomAttr::Distribution::uniform;
    attr.dims = *dims;
    attr.dtype = p.dtype("dtype");
    attr.a = p.real("a");
    attr.b = p.real("b");
    y = b.random(std::move(attr));
  } else {
    const double mean = normal ? p.real("a") : (p.real("a") + p.real("b")) / 2;
    y = b.broadcast_to(b.constant(Tensor::from_f64(p.dtype("dtype"), {}, {{mean}})), *dims);
  }
  b.set_axes(y, shapes::axis_names(p, "axes"));
  return {y};
}

static Examples examples() {
  const std::string why = "it has no inputs and no weights";
  return {
      {.name = "uniform",
       .params = {{"shape", std::vector<double>{129, 3}}, {"a", -2.0}, {"b", 5.0}},
       .no_gradient_because = why},
      {.name = "normal",
       .params =
           {{"shape", std::vector<double>{77, 5}}, {"distribution", std::string("normal")}, {"a", 0.5}, {"b", 2.0}},
       .no_gradient_because = why},
      {.name = "odd_rows",
       .params = {{"shape", std::vector<double>{2001, 3}}, {"distribution", std::string("normal")}},
       .no_gradient_because = why},
      {.name = "scalar",
       .params = {{"shape", std::vector<double>{}}, {"axes", std::string()}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::random

HW_NODE(random)
