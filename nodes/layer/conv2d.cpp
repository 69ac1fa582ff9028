// Conv2d: a bank of filters slid over pictures.
#include "engine/node/weight_init.h"
#include "engine/node/windows.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::conv2d {

static Result<ConvAttr> attr_of(const Params& p, Pair size) {
  ConvAttr a;
  HW_TRY(const Pair kernel, windows::pair_of(p, "kernel_size", 1));
  HW_TRY(a.stride, windows::pair_of(p, "stride", 1));
  HW_TRY(a.dilation, windows::pair_of(p, "dilation", 1));
  HW_TRY(windows::Padding padding, windows::padding_of(p, "padding"));
  padding = padding.around(size, kernel, a.stride, a.dilation);
  a.pad_begin = padding.begin;
  a.pad_end = padding.end;
  a.groups = p.integer("groups");
  a.compute = shapes::compute_of(p);
  return a;
}

static void declare(NodeDecl& d) {
  d.title("Conv2d").category("Layer").summary("A bank of filters slid over pictures.");
  d.doc(
      "Cross-correlation, as PyTorch's Conv2d: [N, C, H, W] to [N, out_channels, H', W'] with "
      "`H' = ⌊(H + padding - dilation · (kernel - 1) - 1) / stride⌋ + 1`; `weight` [out_channels, C / groups, kh, kw], "
      "`bias` [out_channels]. `padding` is `same` (as many zeros as give ⌈H / stride⌉ rows; the odd one at the end), "
      "`valid` (none), one number for all sides, two for H and W, or four for top, left, bottom and right. With "
      "`groups` each group of output channels sees its own share of the input channels; `groups` = C is a depthwise "
      "convolution. Weights, input and output are stored in `dtype`; products accumulate in f32 (f64 for f64). Weight "
      "and bias start uniform in ±1/√(C / groups · kh · kw), as PyTorch's do. A dtype narrower than f32 keeps an f32 "
      "master copy for the optimiser.");
  d.source("PyTorch, `torch.nn.Conv2d`; ONNX, Conv; He et al. 2015 (Kaiming initialisation)");
  d.keywords("convolution convolutional cnn filter kernel depthwise grouped dilated atrous image picture Conv");
  d.autocast(Autocast::low);
  d.integer("out_channels", 32).docs("Channels of the output.").range(1, 65536).logarithmic();
  shapes::declare_expected(d, "in_channels");
  d.vector("kernel_size", {3}).docs("One number, or H and W.");
  d.vector("stride", {1}).docs("One number, or H and W.");
  d.text("padding", "same").docs("same, valid, or zeros around: 1 number, 2 (H W) or 4 (top left bottom right).");
  d.vector("dilation", {1}).docs("Distance between the taps of a filter: one number, or H and W.");
  d.integer("groups", 1).docs("Must divide both channel counts.").range(1, 65536);
  d.boolean("bias", true).docs("Add a bias to each channel.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  d.weight("weight", "dtype", "[out_channels, C / groups, kh, kw]");
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
  HW_TRY(const ConvAttr c, attr_of(a.params(), size));
  HW_TRY(const Pair kernel, windows::pair_of(a.params(), "kernel_size", 1));
  HW_TRY(const Pair count,
         windows::count_windows(size, kernel, c.stride, c.dilation, {false, c.pad_begin, c.pad_end}, "kernel_size"));
  return Shapes{
      shapes::tensor(a.params().dtype("dtype"), windows::resized(x, a.params().integer("out_channels"), count))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const auto attr = attr_of(a.params(), windows::size_of_picture(dims));
  const auto kernel = windows::pair_of(a.params(), "kernel_size", 1);
  if (!attr || !kernel) return b.fail(attr ? kernel.error() : attr.error()), Lowered{Val{}};
  const int64_t out = a.params().integer("out_channels");
  const DType dtype = a.params().dtype("dtype");
  const Dims weight{out, dims[1] / attr->groups, (*kernel)[0], (*kernel)[1]};
  const auto init = shapes::layer_init(a.params(), weight);
  const Val w = b.param("weight", dtype, weight, init.weight);
  const Val bias = a.params().boolean("bias") ? b.param("bias", dtype, {out}, init.bias) : Val{};
  return {product_with_bias(b, Op::conv2d, x, w, bias, *attr)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "same",
       .inputs = {{"x", DType::f32, {2, 3, 6, 5}, axes}},
       .params = {{"out_channels", int64_t{4}}},
       .tolerance_factor = 6},
      {.name = "stride_same_even",
       .inputs = {{"x", DType::f32, {1, 2, 7, 6}, axes}},
       .params = {{"out_channels", int64_t{3}}, {"kernel_size", List{4}}, {"stride", List{2, 3}}},
       .tolerance_factor = 6},
      {.name = "one_sided_no_bias",
       .inputs = {{"x", DType::f32, {2, 1, 5, 6}, axes}},
       .params = {{"out_channels", int64_t{2}},
                  {"kernel_size", List{2, 3}},
                  {"padding", std::string("1 0 2 1")},
                  {"bias", false}},
       .tolerance_factor = 3},
      {.name = "in_tf32",
       .inputs = {{"x", DType::f32, {2, 3, 6, 5}, axes}},
       .params = {{"out_channels", int64_t{4}}, {"compute", std::string("tf32")}},
       .tolerance_factor = 6,
       .no_gradient_because = "factors are rounded: differences see steps"},
      {.name = "groups_dilated",
       .inputs = {{"x", DType::f32, {1, 4, 9, 7}, axes}},
       .params = {{"out_channels", int64_t{6}},
                  {"dilation", List{2, 1}},
                  {"padding", std::string("valid")},
                  {"groups", int64_t{2}}},
       .tolerance_factor = 5},
      {.name = "depthwise",
       .inputs = {{"x", DType::f32, {3, 5, 4, 4}, axes}},
       .params = {{"out_channels", int64_t{5}}, {"padding", std::string("1")}, {"groups", int64_t{5}}},
       .tolerance_factor = 3},
      {.name = "one_by_one",
       .inputs = {{"x", DType::f32, {2, 7, 3, 3}, axes}},
       .params = {{"out_channels", int64_t{1}}, {"kernel_size", List{1}}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::conv2d

HW_NODE(conv2d)
