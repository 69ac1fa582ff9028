// Depth to Space: channels as blocks of pixels. Space to Depth is its inverse.
#include "engine/core/sizes.h"
#include "engine/node/windows.h"

namespace hw::nodes::depth_to_space {

static void declare(NodeDecl& d) {
  d.title("Depth to Space").category("Shape").summary("Turns channels into blocks of pixels, or pixels into channels.");
  d.doc(
      "[N, C · b², H, W] to [N, C, H · b, W · b], b the `block`: pixel (u, v) of a block comes from channel "
      "`c · b² + u · b + v` (`channels_first`: PyTorch's PixelShuffle, ONNX's CRD) or `(u · b + v) · C + c` "
      "(`blocks_first`: TensorFlow's, ONNX's DCR). With `inverse` the other way round: [N, C, H, W] to "
      "[N, C · b², H / b, W / b]. Any dtype; elements are copied as they are.");
  d.source(
      "Shi et al. 2016 (sub-pixel convolution); PyTorch, `torch.nn.PixelShuffle`; ONNX, DepthToSpace, SpaceToDepth");
  d.keywords(
      "pixel shuffle unshuffle subpixel super resolution upsample space depth PixelShuffle PixelUnshuffle DepthToSpace "
      "SpaceToDepth");
  d.integer("block", 2).docs("Pixels of a block along H and W.").range(1, 1024);
  d.choice("order", "channels_first", {"channels_first", "blocks_first"}).docs("How channels are numbered.");
  d.boolean("inverse", false).docs("Space to depth: blocks of pixels become channels.");
  d.input("x").dtype_group("T").with_axes("N C H W");
  d.output("y").dtype_group("T").with_axes("N C H W");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const Pair size, windows::picture_size(a, "x"));
  const Shape& x = a.shape("x");
  const int64_t block = a.params().integer("block"), pixels = block * block;
  const bool inverse = a.params().boolean("inverse");
  if (inverse ? size[0] % block != 0 || size[1] % block != 0 : x[1].size % pixels != 0)
    return Error{codes::size_mismatch, "x",
                 (inverse ? "H and W must be multiples of " + std::to_string(block)
                          : "the channels must be a multiple of " + std::to_string(pixels)) +
                     ", got " + to_string(x) + ".",
                 "Choose another block."};
  if (inverse)
    return Shapes{shapes::tensor(
        a.dtype("x"), windows::resized(x, size_product({x[1].size, pixels}), {size[0] / block, size[1] / block}))};
  return Shapes{shapes::tensor(
      a.dtype("x"),
      windows::resized(x, x[1].size / pixels, {size_product({size[0], block}), size_product({size[1], block})}))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims in = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const int64_t n = in[0], block = a.params().integer("block"), pixels = block * block;
  const bool channels_first = a.params().text("order") == "channels_first";
  if (a.params().boolean("inverse")) {
    const int64_t h = in[2] / block, w = in[3] / block;
    const Val split = b.reshape(x, {n, in[1], h, block, w, block});
    const Val moved =
        b.transpose(split, channels_first ? std::vector<int>{0, 1, 3, 5, 2, 4} : std::vector<int>{0, 3, 5, 1, 2, 4});
    return {b.reshape(moved, {n, size_product({in[1], pixels}), h, w}, axes)};
  }
  const int64_t c = in[1] / pixels;
  const Val split = channels_first ? b.reshape(x, {n, c, block, block, in[2], in[3]})
                                   : b.reshape(x, {n, block, block, c, in[2], in[3]});
  const Val moved =
      b.transpose(split, channels_first ? std::vector<int>{0, 1, 4, 2, 5, 3} : std::vector<int>{0, 3, 4, 1, 5, 2});
  return {b.reshape(moved, {n, c, size_product({in[2], block}), size_product({in[3], block})}, axes)};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  const std::string blocks = "blocks_first";
  return {
      {.name = "shuffle", .inputs = {{"x", DType::f32, {2, 8, 3, 2}, axes}}},
      {.name = "blocks",
       .inputs = {{"x", DType::f32, {1, 18, 2, 3}, axes}},
       .params = {{"block", int64_t{3}}, {"order", blocks}}},
      {.name = "unshuffle", .inputs = {{"x", DType::f32, {2, 3, 4, 6}, axes}}, .params = {{"inverse", true}}},
      {.name = "blocks_back",
       .inputs = {{"x", DType::f32, {1, 2, 4, 4}, axes}},
       .params = {{"inverse", true}, {"order", blocks}}},
  };
}

}  // namespace hw::nodes::depth_to_space

HW_NODE(depth_to_space)
