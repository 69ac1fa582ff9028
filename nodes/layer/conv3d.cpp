// Conv3d: a bank of filters slid over volumes. A Conv2d of slices: what the filter sees along D lies side by side in
// the channels, so that one product sums all taps and rounds once.
#include "engine/core/sizes.h"
#include "engine/node/sliding.h"
#include "engine/node/weight_init.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::conv3d {

static void declare(NodeDecl& d) {
  d.title("Conv3d").category("Layer").summary("A bank of filters slid over volumes, such as scans or films.");
  d.doc(
      "Cross-correlation, as PyTorch's Conv3d: [N, C, D, H, W] to [N, out_channels, D', H', W'] with "
      "`D' = ⌊(D + padding - dilation · (kernel - 1) - 1) / stride⌋ + 1`; `weight` [out_channels, C / groups, kd, kh, "
      "kw], "
      "`bias` [out_channels]. `padding` is `same`, `valid`, one number for all sides, three for D, H and W, or three "
      "begins and three ends. Weights, input and output are stored in `dtype`; products accumulate in f32 (f64 for "
      "f64). "
      "Weight and bias start uniform in ±1/√(C / groups · kd · kh · kw), as PyTorch's do.\n\nIt runs as a Conv2d of "
      "slices, for which the input is copied kd times.");
  d.source("PyTorch, `torch.nn.Conv3d`; ONNX, Conv; He et al. 2015 (Kaiming initialisation)");
  d.keywords("convolution volume volumetric voxel video film medical scan filter kernel depth Conv3D");
  sliding::declare_convolution(d, 3);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(Shapes y, sliding::convolved(a, 3));
  // What the copies take.
  const Dims x = a.shape("x").dims();
  HW_TRY(const sliding::Windows w, sliding::convolution(a.params(), sliding::sizes_behind(x)));
  HW_CHECK(check_size(a.params().dtype("dtype"), {x[0], w.count[0], x[1], w.kernel[0], x[3], x[4]}));
  return y;
}

// [N · D', C · kd, H, W]: the slices under each place of the filter.
static Val slices(OpBuilder& b, Val x, const sliding::Windows& w) {
  const Dims dims = b[x].dims;
  Val deep = b.transpose(x, {2, 0, 1, 3, 4});  // [D, N, C, H, W]
  if (w.begin[0] + w.end[0] > 0) deep = b.pad(deep, 0, w.begin[0], w.end[0]);
  std::vector<double> index;
  for (int64_t i = 0; i < w.count[0]; ++i)
    for (int64_t k = 0; k < w.kernel[0]; ++k) index.push_back(static_cast<double>(i * w.stride[0] + k * w.dilation[0]));
  const Val taken = b.gather(deep, b.constant(Tensor::from_f64(DType::i64, {w.count[0], w.kernel[0]}, index)));
  return b.reshape(b.transpose(taken, {2, 0, 3, 1, 4, 5}),
                   {size_product({dims[0], w.count[0]}), size_product({dims[1], w.kernel[0]}), dims[3], dims[4]});
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const auto w = sliding::convolution(a.params(), sliding::sizes_behind(dims));
  if (!w) return b.fail(w.error()), Lowered{Val{}};
  ConvAttr attr{{w->stride[1], w->stride[2]},
                {w->dilation[1], w->dilation[2]},
                {w->begin[1], w->begin[2]},
                {w->end[1], w->end[2]},
                a.params().integer("groups")};
  attr.compute = shapes::compute_of(a.params());
  const int64_t out = a.params().integer("out_channels"), in = dims[1] / attr.groups;
  const int64_t kd = w->kernel[0], kh = w->kernel[1], kw = w->kernel[2];
  const DType dtype = a.params().dtype("dtype");
  const auto init = shapes::layer_init(a.params(), {out, in, kd, kh, kw});
  const Val weight = b.reshape(b.param("weight", dtype, {out, in, kd, kh, kw}, init.weight), {out, in * kd, kh, kw});
  const Val bias = a.params().boolean("bias") ? b.param("bias", dtype, {out}, init.bias) : Val{};
  if (!b.status()) return {Val{}};
  const Val flat = slices(b, x, *w);
  if (!b.status()) return {Val{}};
  const Val y = product_with_bias(b, Op::conv2d, flat, weight, bias, attr);
  const Val deep = b.reshape(y, {dims[0], w->count[0], out, w->count[1], w->count[2]});
  const Val result = b.transpose(deep, {0, 2, 1, 3, 4});
  b.set_axes(result, axes);
  return {result};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "D", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "same",
       .inputs = {{"x", DType::f32, {2, 2, 3, 4, 3}, axes}},
       .params = {{"out_channels", int64_t{3}}},
       .tolerance_factor = 8},
      {.name = "strided_dilated",
       .inputs = {{"x", DType::f32, {1, 2, 6, 5, 4}, axes}},
       .params = {{"out_channels", int64_t{2}},
                  {"kernel_size", List{2, 3, 1}},
                  {"stride", List{2, 1, 2}},
                  {"dilation", List{2, 1, 1}},
                  {"padding", std::string("1 0 0 2 1 0")}},
       .tolerance_factor = 5},
      {.name = "groups_no_bias",
       .inputs = {{"x", DType::f32, {1, 4, 3, 3, 3}, axes}},
       .params = {{"out_channels", int64_t{4}},
                  {"kernel_size", List{2}},
                  {"padding", std::string("valid")},
                  {"groups", int64_t{2}},
                  {"bias", false}},
       .tolerance_factor = 5},
  };
}

}  // namespace hw::nodes::conv3d

HW_NODE(conv3d)
