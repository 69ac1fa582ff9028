// Conv1d: a bank of filters slid over lines.
#include "engine/core/sizes.h"
#include "engine/node/sliding.h"
#include "engine/node/weight_init.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::conv1d {

static void declare(NodeDecl& d) {
  d.title("Conv1d").category("Layer").summary("A bank of filters slid over lines, such as sound.");
  d.doc(
      "Cross-correlation, as PyTorch's Conv1d: [N, C, T] to [N, out_channels, T'] with "
      "`T' = ⌊(T + padding - dilation · (kernel - 1) - 1) / stride⌋ + 1`; `weight` [out_channels, C / groups, k], "
      "`bias` "
      "[out_channels]. `padding` is `same` (as many zeros as give ⌈T / stride⌉ elements; the odd one at the end), "
      "`valid` (none), `causal` (all in front, so that no output looks ahead), one number for both ends, or two for "
      "begin and end. With `groups` each group of output channels sees its own share of the input channels. Weights, "
      "input and output are stored in `dtype`; products accumulate in f32 (f64 for f64). Weight and bias start uniform "
      "in ±1/√(C / groups · k), as PyTorch's do. It runs as a Conv2d of one row.");
  d.source("PyTorch, `torch.nn.Conv1d`; ONNX, Conv; He et al. 2015 (Kaiming initialisation)");
  d.keywords("convolution temporal sound audio signal sequence wavenet causal dilated filter kernel time Conv1D");
  sliding::declare_convolution(d, 1);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return sliding::convolved(a, 1);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const auto w = sliding::convolution(a.params(), sliding::sizes_behind(dims));
  if (!w) return b.fail(w.error()), Lowered{Val{}};
  ConvAttr attr{{1, w->stride[0]}, {1, w->dilation[0]}, {0, w->begin[0]}, {0, w->end[0]}, a.params().integer("groups")};
  attr.compute = shapes::compute_of(a.params());
  const int64_t out = a.params().integer("out_channels"), in = dims[1] / attr.groups, k = w->kernel[0];
  const DType dtype = a.params().dtype("dtype");
  const auto init = shapes::layer_init(a.params(), {out, in, k});
  const Val weight = b.reshape(b.param("weight", dtype, {out, in, k}, init.weight), {out, in, 1, k});
  const Val bias = a.params().boolean("bias") ? b.param("bias", dtype, {out}, init.bias) : Val{};
  if (!b.status()) return {Val{}};
  return {sliding::as_line(b, product_with_bias(b, Op::conv2d, sliding::as_picture(b, x), weight, bias, attr), axes)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "T"};
  using List = std::vector<double>;
  return {
      {.name = "same",
       .inputs = {{"x", DType::f32, {2, 3, 9}, axes}},
       .params = {{"out_channels", int64_t{4}}, {"in_channels", int64_t{3}}},
       .tolerance_factor = 4},
      {.name = "causal_dilated",
       .inputs = {{"x", DType::f32, {2, 2, 11}, axes}},
       .params = {{"out_channels", int64_t{3}}, {"padding", std::string("causal")}, {"dilation", List{2}}},
       .tolerance_factor = 4},
      {.name = "strided_groups_no_bias",
       .inputs = {{"x", DType::f32, {1, 4, 12}, axes}},
       .params = {{"out_channels", int64_t{6}},
                  {"kernel_size", List{4}},
                  {"stride", List{3}},
                  {"padding", std::string("2 0")},
                  {"groups", int64_t{2}},
                  {"bias", false}},
       .tolerance_factor = 4},
      {.name = "in_bf16",
       .inputs = {{"x", DType::f32, {2, 3, 6}, axes}},
       .params = {{"out_channels", int64_t{4}}, {"compute", std::string("bf16")}},
       .tolerance_factor = 6,
       .no_gradient_because = "factors are rounded: differences see steps"},
  };
}

}  // namespace hw::nodes::conv1d

HW_NODE(conv1d)
