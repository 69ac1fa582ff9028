// ConvTranspose1d: the adjoint of a convolution over lines as a layer.
#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/node/sliding.h"
#include "engine/node/weight_init.h"
#include "engine/node/windows.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::conv_transpose1d {

struct Layout {
  sliding::Windows windows;
  int64_t size;  // of the output
};

static Result<Layout> layout_of(const Params& p, int64_t in) {
  Layout l{{{in}, {}, {}, {}, {}, {}, {}}, 0};
  sliding::Windows& w = l.windows;
  HW_TRY(w.kernel, sliding::list_of(p, "kernel_size", 1, 1));
  HW_TRY(w.stride, sliding::list_of(p, "stride", 1, 1));
  HW_TRY(w.dilation, sliding::list_of(p, "dilation", 1, 1));
  HW_TRY(const auto extra, sliding::list_of(p, "output_padding", 1, 0));
  if (p.text("padding") == "same" || p.text("padding") == "causal")
    return Error{codes::bad_parameter, "padding",
                 "cannot be " + p.text("padding") + " here, as several sizes would be.",
                 "Write the elements to take off the ends: 1 or 2 numbers."};
  HW_CHECK(sliding::pad(p, w));
  if (extra[0] >= std::max(w.stride[0], w.dilation[0]))
    return Error{codes::bad_parameter, "output_padding",
                 "must be smaller than the stride or the dilation, got " + std::to_string(extra[0]) + " beside " +
                     std::to_string(w.stride[0]) + ".",
                 "It tells apart the sizes that the same strided convolution maps here: stride - 1 at most."};
  l.size = size_sum({size_product({in - 1, w.stride[0]}), size_product({w.dilation[0], w.kernel[0] - 1}), extra[0], 1,
                     -w.begin[0], -w.end[0]});
  if (l.size < 1)
    return Error{codes::bad_parameter, "padding", "takes off all of the output of " + std::to_string(in) + " elements.",
                 "Make the padding smaller."};
  return l;
}

static void declare(NodeDecl& d) {
  d.title("ConvTranspose1d").category("Layer").summary("The transposed convolution: filters that lengthen lines.");
  d.doc(
      "The adjoint of Conv1d, as PyTorch's ConvTranspose1d: [N, C, T] to [N, out_channels, T'] with "
      "`T' = (T - 1) · stride - padding + dilation · (kernel - 1) + output_padding + 1`; `weight` "
      "[C, out_channels / groups, k], `bias` [out_channels]. `padding` takes elements off the output: `valid` (none), "
      "one "
      "number for both ends, or two. `output_padding` adds elements at the end. Weights, input and output are stored "
      "in "
      "`dtype`; products accumulate in f32 (f64 for f64). Weight and bias start uniform in "
      "±1/√(out_channels / groups · k), as PyTorch's do. It runs as a ConvTranspose2d of one row.");
  d.source("PyTorch, `torch.nn.ConvTranspose1d`; ONNX, ConvTranspose");
  d.keywords("transposed convolution deconvolution upsample decoder vocoder sound audio signal Conv1DTranspose");
  d.autocast(Autocast::low);
  d.integer("out_channels", 32).docs("Channels of the output.").range(1, 65536).logarithmic();
  shapes::declare_expected(d, "in_channels");
  d.vector("kernel_size", {2}, 1).docs("Taps of a filter.");
  d.vector("stride", {2}, 1).docs("Elements of the output from one element of the input to the next.");
  d.text("padding", "valid").docs("valid, or elements off the output's ends: 1 or 2 numbers.");
  d.vector("output_padding", {0}, 1).docs("Elements more at the end.");
  d.vector("dilation", {1}, 1).docs("Distance between the taps of a filter.");
  d.integer("groups", 1).docs("Must divide both channel counts.").range(1, 65536);
  d.boolean("bias", true).docs("Add a bias to each channel.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  d.weight("weight", "dtype", "[C, out_channels / groups, k]");
  d.weight("bias", "dtype", "[out_channels]", "bias");
  shapes::declare_weight_init(d);
  d.input("x").dtype_of("dtype").with_axes("N C T");
  d.output("y").dtype_of("dtype").with_axes("N C T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const auto size, sliding::sizes(a, "x", 1));
  const Shape& x = a.shape("x");
  HW_CHECK(shapes::as_expected(a, "in_channels", x[1].size));
  HW_CHECK(windows::check_groups(a));
  HW_TRY(const Layout l, layout_of(a.params(), size[0]));
  return Shapes{
      shapes::tensor(a.params().dtype("dtype"), sliding::resized(x, a.params().integer("out_channels"), {l.size}))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const auto l = layout_of(a.params(), dims[2]);
  if (!l) return b.fail(l.error()), Lowered{Val{}};
  const sliding::Windows& w = l->windows;
  const int64_t out = a.params().integer("out_channels"), k = w.kernel[0];
  ConvAttr attr{{1, w.stride[0]}, {1, w.dilation[0]}, {0, w.begin[0]}, {0, w.end[0]}, a.params().integer("groups")};
  attr.compute = shapes::compute_of(a.params());
  attr.dims = {dims[0], out, 1, l->size};
  const int64_t each = out / attr.groups;
  const DType dtype = a.params().dtype("dtype");
  const auto init = shapes::layer_init(a.params(), {dims[1], each, k});
  const Val weight = b.reshape(b.param("weight", dtype, {dims[1], each, k}, init.weight), {dims[1], each, 1, k});
  const Val bias = a.params().boolean("bias") ? b.param("bias", dtype, {out}, init.bias) : Val{};
  if (!b.status()) return {Val{}};
  const Val y = product_with_bias(b, Op::conv2d_grad_input, sliding::as_picture(b, x), weight, bias, attr);
  return {sliding::as_line(b, y, axes)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "T"};
  using List = std::vector<double>;
  return {
      {.name = "doubles",
       .inputs = {{"x", DType::f32, {2, 3, 5}, axes}},
       .params = {{"out_channels", int64_t{4}}},
       .tolerance_factor = 4},
      {.name = "output_padding",
       .inputs = {{"x", DType::f32, {1, 4, 4}, axes}},
       .params = {{"out_channels", int64_t{2}},
                  {"kernel_size", List{4}},
                  {"stride", List{3}},
                  {"padding", std::string("1 2")},
                  {"output_padding", List{2}},
                  {"groups", int64_t{2}},
                  {"bias", false}},
       .tolerance_factor = 4},
  };
}

}  // namespace hw::nodes::conv_transpose1d

HW_NODE(conv_transpose1d)
