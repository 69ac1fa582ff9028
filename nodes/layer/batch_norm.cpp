// Batch Norm with PyTorch's or ONNX's rule for the running statistics. Statistics are f32 or wider for every storage
// dtype.
#include "engine/node/shapes.h"

namespace hw::nodes::batch_norm {

static void declare(NodeDecl& d) {
  d.title("Batch Norm").category("Layer").summary("Normalises each channel over the batch.");
  d.doc(
      "`y = (x - mean) / √(variance + epsilon) · weight + bias`, channel by channel; [N, C, ..] to [N, C, ..], "
      "`weight` "
      "and `bias` [C], starting at 1 and 0. Training: mean and variance (over n) of the batch, all axes but C, "
      "more than one value a channel; and the running statistics move towards them. Evaluation: the running "
      "statistics, `running_mean` and `running_var` [C], "
      "which are saved with the weights and start at 0 and 1. `semantics` says how they move: `pytorch`: "
      "`running = (1 - momentum) · running + momentum · batch`, with the variance over n - 1, momentum 0.1; `onnx`: "
      "`running = momentum · running + (1 - momentum) · batch`, with the variance over n, momentum 0.9. Frozen, it "
      "normalises by the running statistics in training too, and leaves them as they are. Each micro-batch of a step, "
      "and "
      "each rank, has statistics of its own, as in PyTorch. Sums are f64, "
      "statistics f32 (f64 for f64) whatever the storage dtype.");
  d.source("Ioffe and Szegedy 2015, Batch Normalization; PyTorch, `torch.nn.BatchNorm2d`; ONNX, BatchNormalization");
  d.keywords("batchnorm bn normalisation normalization running statistics momentum BatchNormalization");
  d.choice("semantics", "pytorch", {"pytorch", "onnx"}).docs("The rule of the running statistics.");
  d.real("momentum", 0.1)
      .docs("PyTorch: share of the new value. ONNX: share of the old one (usually 0.9).")
      .range(0, 1);
  d.real("epsilon", 1e-5).docs("Added to the variance.").above(0).at_most(1).logarithmic();
  d.boolean("affine", true).docs("Scale and shift each channel by trained numbers.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  d.weight("weight", "dtype", "[C]", "affine");
  d.weight("bias", "dtype", "[C]", "affine");
  d.statistics("running_mean", "dtype", "[C], f32 (f64 for f64), not trained");
  d.statistics("running_var", "dtype", "[C], f32 (f64 for f64), not trained");
  d.input("x").dtype_of("dtype").with_axes("N C ..");
  d.output("y").dtype_of("dtype").with_axes("N C ..");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::channels_of(a, "x"));
  return shapes::same_as(a, "x");
}

// The rate at which the running statistics move, and what the batch's variance is multiplied by.
static MomentsAttr update_of(const Params& p, double n) {
  const double momentum = p.real("momentum");
  if (p.text("semantics") == "onnx") return {1 - momentum, 1};
  return {momentum, n > 1 ? n / (n - 1) : 1};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const int64_t channels = dims[1];
  const DType dtype = a.params().dtype("dtype"), wide = dtype == DType::f64 ? DType::f64 : DType::f32;
  const auto filled = [&](const char* name, double value) {
    if (a.params().boolean("affine")) return b.param(name, dtype, {channels}, {Init::Kind::constant, value});
    return b.broadcast_to(b.constant(Tensor::from_f64(dtype, {}, {{value}})), {channels});
  };
  const Val scale = filled("weight", 1), bias = filled("bias", 0);
  const Val mean = b.param("running_mean", wide, {channels}, {}, false);
  const Val variance = b.param("running_var", wide, {channels}, {Init::Kind::constant, 1}, false);
  const bool batch = b.training() && !b.frozen();
  Val moments;
  if (batch) {
    if (element_count(dims) == channels) {
      b.fail({codes::size_mismatch, b.node() + ".x",
              "has one value a channel, whose variance is 0: training wants more, got " + to_string(dims) + ".",
              "Use a larger batch, or Layer Norm or Group Norm."});
      return {Val{}};
    }
    moments = b.emit(Op::channel_moments, {x})[0];
    const double n = static_cast<double>(element_count(dims)) / static_cast<double>(channels);
    b.emit(Op::moments_update, {mean, variance, moments}, update_of(a.params(), n));
  } else {
    const Val rows[] = {b.reshape(mean, {1, channels}), b.reshape(variance, {1, channels})};
    moments = b.concat(rows, 0);
  }
  return {b.emit(Op::batch_norm, {x, moments, scale, bias}, BatchNormAttr{a.params().real("epsilon"), batch})[0]};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  return {
      {.name = "pictures", .inputs = {{"x", DType::f32, {4, 3, 3, 4}, axes}}, .tolerance_factor = 4},
      {.name = "features_onnx",
       .inputs = {{"x", DType::f32, {9, 5}, {"N", "C"}}},
       .params = {{"semantics", std::string("onnx")}, {"momentum", 0.9}},
       .tolerance_factor = 3},
      {.name = "not_affine",
       .inputs = {{"x", DType::f32, {2, 2, 5, 3}, axes}},
       .params = {{"affine", false}, {"epsilon", 1e-3}},
       .tolerance_factor = 4},
  };
}

}  // namespace hw::nodes::batch_norm

HW_NODE(batch_norm)
