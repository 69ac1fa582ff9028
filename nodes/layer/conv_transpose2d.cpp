// ConvTranspose2d: the adjoint of a convolution as a layer, for decoders.
#include "engine/core/sizes.h"
#include "engine/node/weight_init.h"
#include "engine/node/windows.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::conv_transpose2d {

struct Layout {
  ConvAttr attr;
  Pair kernel, size;  // size: of the output
};

static Result<Layout> layout_of(const Params& p, Pair in) {
  Layout l;
  ConvAttr& a = l.attr;
  HW_TRY(l.kernel, windows::pair_of(p, "kernel_size", 1));
  HW_TRY(a.stride, windows::pair_of(p, "stride", 1));
  HW_TRY(a.dilation, windows::pair_of(p, "dilation", 1));
  HW_TRY(const Pair extra, windows::pair_of(p, "output_padding", 0));
  HW_TRY(const windows::Padding padding, windows::padding_of(p, "padding"));
  if (padding.same)
    return Error{codes::bad_parameter, "padding", "cannot be same here, as several sizes would be.",
                 "Write the elements to take off each side: 1, 2 or 4 numbers."};
  a.pad_begin = padding.begin;
  a.pad_end = padding.end;
  a.groups = p.integer("groups");
  a.compute = shapes::compute_of(p);
  for (size_t d : {0, 1}) {
    if (extra[d] >= std::max(a.stride[d], a.dilation[d]))
      return Error{codes::bad_parameter, "output_padding",
                   "must be smaller than the stride or the dilation, got " + std::to_string(extra[d]) + " beside " +
                       std::to_string(a.stride[d]) + ".",
                   "It tells apart the sizes that the same strided convolution maps here: stride - 1 at most."};
    l.size[d] = size_sum({size_product({in[d] - 1, a.stride[d]}), size_product({a.dilation[d], l.kernel[d] - 1}),
                          extra[d], 1, -a.pad_begin[d], -a.pad_end[d]});
    if (l.size[d] < 1)
      return Error{codes::bad_parameter, "padding",
                   "takes off all of the output of a picture " + windows::to_string(in) + ".",
                   "Make the padding smaller."};
  }
  return l;
}

static void declare(NodeDecl& d) {
  d.title("ConvTranspose2d").category("Layer").summary("The transposed convolution: filters that enlarge pictures.");
  d.doc(
      "The adjoint of Conv2d, as PyTorch's ConvTranspose2d: [N, C, H, W] to [N, out_channels, H', W'] with "
      "`H' = (H - 1) · stride - padding + dilation · (kernel - 1) + output_padding + 1`; `weight` "
      "[C, out_channels / groups, kh, kw], `bias` [out_channels]. `padding` takes elements off the output: `valid` "
      "(none), one number for all sides, two for H and W, or four for top, left, bottom and right. `output_padding` "
      "adds rows and columns at the end. Weights, input and output are stored in `dtype`; products accumulate in f32 "
      "(f64 for f64). Weight and bias start uniform in ±1/√(out_channels / groups · kh · kw), as PyTorch's do. A dtype "
      "narrower than f32 keeps an f32 master copy for the optimiser.");
  d.source("PyTorch, `torch.nn.ConvTranspose2d`; ONNX, ConvTranspose; Zeiler et al. 2010");
  d.keywords(
      "transposed convolution deconvolution upsample decoder fractionally strided picture image ConvTranspose "
      "Conv2DTranspose");
  d.autocast(Autocast::low);
  d.integer("out_channels", 32).docs("Channels of the output.").range(1, 65536).logarithmic();
  shapes::declare_expected(d, "in_channels");
  d.vector("kernel_size", {2}).docs("One number, or H and W.");
  d.vector("stride", {2}).docs("One number, or H and W.");
  d.text("padding", "valid")
      .docs("valid, or elements off the output's sides: 1 number, 2 (H W) or 4 (top left bottom right).");
  d.vector("output_padding", {0}).docs("Rows and columns more at the end: one number, or H and W.");
  d.vector("dilation", {1}).docs("Distance between the taps of a filter: one number, or H and W.");
  d.integer("groups", 1).docs("Must divide both channel counts.").range(1, 65536);
  d.boolean("bias", true).docs("Add a bias to each channel.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  d.weight("weight", "dtype", "[C, out_channels / groups, kh, kw]");
  d.weight("bias", "dtype", "[out_channels]", "bias");
  shapes::declare_weight_init(d);
  d.input("x").dtype_of("dtype").with_axes("N C H W");
  d.output("y").dtype_of("dtype").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const Pair size, windows::picture_size(a, "x"));
  const Shape& x = a.shape("x");
  HW_CHECK(shapes::as_expected(a, "in_channels", x[1].size));
  HW_CHECK(windows::check_groups(a));
  HW_TRY(const Layout l, layout_of(a.params(), size));
  return Shapes{
      shapes::tensor(a.params().dtype("dtype"), windows::resized(x, a.params().integer("out_channels"), l.size))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  auto layout = layout_of(a.params(), windows::size_of_picture(dims));
  if (!layout) return b.fail(layout.error()), Lowered{Val{}};
  const int64_t out = a.params().integer("out_channels");
  const DType dtype = a.params().dtype("dtype");
  const Dims weight{dims[1], out / layout->attr.groups, layout->kernel[0], layout->kernel[1]};
  const auto init = shapes::layer_init(a.params(), weight);
  layout->attr.dims = {dims[0], out, layout->size[0], layout->size[1]};
  const Val w = b.param("weight", dtype, weight, init.weight);
  const Val bias = a.params().boolean("bias") ? b.param("bias", dtype, {out}, init.bias) : Val{};
  return {product_with_bias(b, Op::conv2d_grad_input, x, w, bias, layout->attr)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "doubles",
       .inputs = {{"x", DType::f32, {2, 3, 4, 3}, axes}},
       .params = {{"out_channels", int64_t{4}}},
       .tolerance_factor = 4},
      {.name = "output_padding",
       .inputs = {{"x", DType::f32, {1, 2, 3, 4}, axes}},
       .params = {{"out_channels", int64_t{3}},
                  {"kernel_size", List{3}},
                  {"stride", List{3, 2}},
                  {"padding", std::string("1 0 1 2")},
                  {"output_padding", List{2, 1}}},
       .tolerance_factor = 5},
      {.name = "groups_dilated_no_bias",
       .inputs = {{"x", DType::f32, {2, 4, 3, 3}, axes}},
       .params = {{"out_channels", int64_t{6}},
                  {"kernel_size", List{2, 3}},
                  {"stride", List{1}},
                  {"dilation", List{2, 1}},
                  {"groups", int64_t{2}},
                  {"bias", false}},
       .tolerance_factor = 4},
  };
}

}  // namespace hw::nodes::conv_transpose2d

HW_NODE(conv_transpose2d)
