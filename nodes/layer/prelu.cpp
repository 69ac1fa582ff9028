// PReLU: a leaky ReLU whose slope is trained.
#include <limits>

#include "engine/node/shapes.h"

namespace hw::nodes::prelu {

static void declare(NodeDecl& d) {
  d.title("PReLU").category("Layer").summary("A leaky ReLU whose slope is trained.");
  d.doc(
      "`y = x > 0 ? x : weight · x`. [N, C, ..] to [N, C, ..]: with `per_channel` each channel has a slope of its own, "
      "`weight` [C], else all share one, `weight` [1]. It starts at `initial`. The gradient at 0 is the slope.");
  d.source("He et al. 2015, Delving Deep into Rectifiers; PyTorch, `torch.nn.PReLU`; ONNX, PRelu");
  d.keywords("activation parametric rectifier leaky relu nonlinearity PRelu");
  d.autocast(Autocast::low);
  d.boolean("per_channel", false).docs("A slope for each channel, else one for all.");
  d.real("initial", 0.25).docs("Slope at the start.").range(-100, 100);
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weight, input and output.");
  d.weight("weight", "dtype", "[C] or [1]");
  d.input("x").dtype_of("dtype").with_axes("N C ..");
  d.output("y").dtype_of("dtype").with_axes("N C ..");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.params().boolean("per_channel")) HW_CHECK(shapes::channels_of(a, "x"));
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const bool per_channel = a.params().boolean("per_channel");
  const int64_t channels = per_channel ? b[x].dims[1] : 1;
  Dims stretched(per_channel ? b[x].dims.size() - 1 : 1, 1);  // against the axes from C on
  stretched[0] = channels;
  if (b[x].dims.empty()) stretched.clear();
  const Val weight =
      b.param("weight", a.params().dtype("dtype"), {channels}, {Init::Kind::constant, a.params().real("initial")});
  const Val low = b.clamp(x, -std::numeric_limits<double>::infinity(), 0);
  return {b.add(b.relu(x), b.mul(low, b.reshape(weight, stretched)))};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  return {
      {.name = "shared", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, axes}}},
      {.name = "per_channel", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, axes}}, .params = {{"per_channel", true}}},
      {.name = "features",
       .inputs = {{"x", DType::f32, {9, 4}, {"N", "C"}}},
       .params = {{"per_channel", true}, {"initial", -0.5}}},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}, -1, -0.5}}},
  };
}

}  // namespace hw::nodes::prelu

HW_NODE(prelu)
