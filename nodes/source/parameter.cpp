// Parameter: a tensor that training changes, as a source of its own.
#include "engine/node/shapes.h"

namespace hw::nodes::parameter {

static void declare(NodeDecl& d) {
  d.title("Parameter").category("Source").summary("A trainable tensor: a colour, a latent code, a picture, a matrix.");
  d.doc(
      "`y` is the tensor `value` of the given shape, stored in `dtype`; one narrower than f32 keeps an f32 master copy "
      "for the optimiser. It starts at 0, at `scale` everywhere, uniform in ±`scale`, or normal with mean 0 and "
      "standard deviation `scale`, drawn by Philox from the run's seed. Not `trainable`: it keeps what it starts with "
      "or what was loaded, as the random matrix of Fourier features does.");
  d.source("PyTorch, `torch.nn.Parameter`");
  d.keywords("weight learnable trainable variable tensor latent embedding bias free freeze");
  d.vector("shape", {3}).docs("Sizes, outermost first; empty: a scalar.").range(1, 1 << 28);
  d.text("axes", "").docs("Names of the axes, such as `N C`; empty: none.");
  d.choice("init", "normal", {"zeros", "constant", "uniform", "normal"}).labelled("Start").docs("How it starts.");
  d.real("scale", 0.1).docs("The constant, the bound of the uniform numbers, or the standard deviation.");
  d.boolean("trainable", true).docs("Off: frozen, no optimiser touches it.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype.");
  d.weight("value", "dtype", "of the given shape");
  d.output("y").dtype_of("dtype");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Params& p = a.params();
  const bool drawn = p.text("init") == "uniform" || p.text("init") == "normal";
  if (drawn && p.real("scale") < 0)
    return Error{codes::bad_parameter, "scale",
                 "cannot be negative, got " + to_string(ParamValue(p.real("scale"))) + ".", ""};
  HW_TRY(const Dims dims, shapes::sizes_of(p, "shape"));
  HW_TRY(const Shape shape, shapes::named_shape(p, dims, "axes"));
  return Shapes{shapes::tensor(p.dtype("dtype"), shape)};
}

static Init init_of(const Params& p) {
  const std::string& kind = p.text("init");
  if (kind == "constant") return {Init::Kind::constant, p.real("scale")};
  if (kind == "uniform") return {Init::Kind::uniform, p.real("scale")};
  if (kind == "normal") return {Init::Kind::normal, p.real("scale")};
  return {};
}

static Lowered lower(OpBuilder& b, const LowerArgs& args) {
  const Params& p = args.params();
  auto dims = shapes::sizes_of(p, "shape");
  if (!dims) {
    b.fail(dims.error());
    return {Val{}};
  }
  const Val y = b.param("value", p.dtype("dtype"), std::move(*dims), init_of(p), p.boolean("trainable"));
  b.set_axes(y, shapes::axis_names(p, "axes"));
  return {y};
}

static Examples examples() {
  return {
      {.name = "colour", .params = {{"axes", std::string("C")}}},
      {.name = "codes",
       .params = {{"shape", std::vector<double>{17, 4}},
                  {"axes", std::string("N C")},
                  {"init", std::string("uniform")},
                  {"scale", 0.5}}},
      {.name = "frozen",
       .params = {{"shape", std::vector<double>{3, 8}}, {"trainable", false}},
       .no_gradient_because = "a frozen parameter has none"},
  };
}

}  // namespace hw::nodes::parameter

HW_NODE(parameter)
