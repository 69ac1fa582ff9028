// Avg Pool 3d: the mean of each window of a volume.
#include "engine/core/sizes.h"
#include "engine/node/sliding.h"

namespace hw::nodes::avg_pool3d {

static void declare(NodeDecl& d) {
  d.title("Avg Pool 3d").category("Layer").summary("The mean of each window of a volume.");
  d.doc(
      "[N, C, D, H, W] to [N, C, D', H', W'] with `D' = ⌊(D + padding - kernel) / stride⌋ + 1`. Padding is zeros, at "
      "most half of the window. With `count_include_pad` a window is divided by all its elements, padding among them "
      "(PyTorch's default); without, by those inside the volume (ONNX's default). Computed in f32 (f64 for f64), "
      "rounded "
      "once. It runs as pools over H and W, then over D.");
  d.source("PyTorch, `torch.nn.AvgPool3d`; ONNX, AveragePool");
  d.keywords("pooling downsample subsample volume voxel video average mean avgpool AveragePool AveragePooling3D");
  sliding::declare_pool(d, 3);
  d.boolean("count_include_pad", true).labelled("Count padding").docs("Divide by the padding too.");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return sliding::pooled(a, 3);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const auto w = sliding::pool(a.params(), sliding::sizes_behind(dims));
  if (!w) return b.fail(w.error()), Lowered{Val{}};
  const int64_t n = dims[0], c = dims[1], d = dims[2], rows = w->count[1], columns = w->count[2];
  PoolAttr flat{{w->kernel[1], w->kernel[2]},
                {w->stride[1], w->stride[2]},
                {w->begin[1], w->begin[2]},
                {w->end[1], w->end[2]},
                a.params().boolean("count_include_pad")};
  PoolAttr deep{
      {w->kernel[0], 1}, {w->stride[0], 1}, {w->begin[0], 0}, {w->end[0], 0}, a.params().boolean("count_include_pad")};
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const Val slices =
      b.emit(Op::avg_pool, {b.reshape(b.cast(x, wide), {n, size_product({c, d}), dims[3], dims[4]})}, flat)[0];
  const Val y = b.emit(Op::avg_pool, {b.reshape(slices, {n, c, d, size_product({rows, columns})})}, deep)[0];
  return {b.cast(b.reshape(y, {n, c, w->count[0], rows, columns}, axes), dtype)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "D", "H", "W"};
  using List = std::vector<double>;
  return {
      {.name = "halves", .inputs = {{"x", DType::f32, {2, 2, 4, 2, 4}, axes}}, .tolerance_factor = 3},
      {.name = "overlapping",
       .inputs = {{"x", DType::f32, {1, 2, 5, 4, 3}, axes}},
       .params = {{"kernel_size", List{3, 2, 2}},
                  {"stride", List{2, 1, 1}},
                  {"padding", std::string("1 1 0")},
                  {"count_include_pad", false}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::avg_pool3d

HW_NODE(avg_pool3d)
