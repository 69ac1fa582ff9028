// Norms. Weights become parameters, which can be trained.
#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

/// The axes from `axis` on.
std::vector<double> axes_from(int64_t axis, int64_t rank) {
  std::vector<double> axes;
  for (int64_t d = axis; d < rank; ++d) axes.push_back(static_cast<double>(d));
  return axes;
}

Status batch_normalization(Importer& im, const OnnxNode& n) {
  if (n.integer("training_mode", 0) != 0 || im.wants(n, 1)) return unsupported("it is in training mode.");
  if (n.integer("spatial", 1) == 0) return unsupported("statistics of each element (spatial 0).");
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *scale = im.bound(n, 1), *bias = im.bound(n, 2), *mean = im.bound(n, 3), *variance = im.bound(n, 4);
  if (!scale || !bias || !mean || !variance) return unsupported("its statistics are computed.");
  HW_TRY(const WireType given, im.type(x));
  const DType wide = given.dtype == DType::f64 ? DType::f64 : DType::f32;
  const double momentum = n.real("momentum", static_cast<double>(0.9f));
  HW_TRY(const Wire y, im.add_layer("batch_norm", {{"x", x}},
                                    {{"semantics", std::string(im.is_of_pytorch() ? "pytorch" : "onnx")},
                                     {"momentum", im.is_of_pytorch() ? 1 - momentum : momentum},
                                     {"epsilon", n.real("epsilon", static_cast<double>(1e-5f))},
                                     {"dtype", std::string(name(given.dtype))}},
                                    {{"weight", scale->to(given.dtype)},
                                     {"bias", bias->to(given.dtype)},
                                     {"running_mean", mean->to(wide)},
                                     {"running_var", variance->to(wide)}}));
  im.set(n, 0, y);
  return ok();
}

Status instance_normalization(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *scale = im.bound(n, 1), *bias = im.bound(n, 2);
  if (!scale || !bias) return unsupported("its weights are computed.");
  // A Group Norm is exported so, with its own scale and bias behind.
  if (im.is_filler(n, 1, 1) && im.is_filler(n, 2, 0)) {
    HW_TRY(const Wire plain, im.add("instance_norm", {{"x", x}},
                                    {{"epsilon", n.real("epsilon", static_cast<double>(1e-5f))},
                                     {"affine", false},
                                     {"dtype", dtype_name(*scale)}}));
    im.set(n, 0, plain);
    return ok();
  }
  HW_TRY(const Wire y, im.add_layer("instance_norm", {{"x", x}},
                                    {{"epsilon", n.real("epsilon", static_cast<double>(1e-5f))},
                                     {"affine", true},
                                     {"dtype", dtype_name(*scale)}},
                                    {{"weight", *scale}, {"bias", *bias}}));
  im.set(n, 0, y);
  return ok();
}

/// Over the last axis with a weight and a bias for each channel a Layer Norm; else its parts.
Status layer_normalization(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", -1)));
  HW_TRY(const int64_t rank, im.rank(x));
  const Tensor *scale = im.constant(n, 1), *bias = im.constant(n, 2);
  const double epsilon = n.real("epsilon", static_cast<double>(1e-5f));
  HW_TRY(const WireType given, im.type(x));
  const Dims channels{given.shape[static_cast<size_t>(rank - 1)].size};
  const bool fits = scale && bias && scale->dims() == channels && bias->dims() == channels;
  if (axis == rank - 1 && fits && !im.wants(n, 1) && !im.wants(n, 2)) {
    HW_TRY(const Wire y, im.add_layer("layer_norm", {{"x", x}},
                                      {{"epsilon", epsilon}, {"affine", true}, {"dtype", dtype_name(*scale)}},
                                      {{"weight", *scale}, {"bias", *bias}}));
    im.set(n, 0, y);
    return ok();
  }
  const std::vector<double> axes = axes_from(axis, rank);
  HW_TRY(const Wire wide, im.widened(x));
  HW_TRY(const WireType stash, im.type(wide));
  HW_TRY(const Wire mean, im.add("mean", {{"x", wide}}, {{"axes", axes}, {"keep", true}}));
  HW_TRY(const Wire variance,
         im.add("variance", {{"x", wide}}, {{"axes", axes}, {"keep", true}, {"correction", int64_t{0}}}));
  HW_TRY(const Wire tiny, im.scalar(stash.dtype, epsilon));
  HW_TRY(const Wire raised, im.add("add", {{"a", variance}, {"b", tiny}}));
  HW_TRY(const Wire deviation, im.add("sqrt", {{"x", raised}}));
  HW_TRY(const Wire inverse, im.add("reciprocal", {{"x", deviation}}));
  HW_TRY(const Wire centred, im.add("sub", {{"a", wide}, {"b", mean}}));
  HW_TRY(Wire y, im.add("mul", {{"a", centred}, {"b", inverse}}));
  HW_TRY(y, im.cast(y, given.dtype));
  if (im.has(n, 1)) {
    HW_TRY(const Wire by, im.in(n, 1));
    HW_TRY(y, im.add("mul", {{"a", y}, {"b", by}}));
  }
  if (im.has(n, 2)) {
    HW_TRY(const Wire shift, im.in(n, 2));
    HW_TRY(y, im.add("add", {{"a", y}, {"b", shift}}));
  }
  im.set(n, 0, y);
  im.set(n, 1, mean);
  im.set(n, 2, inverse);
  return ok();
}

/// x ÷ √(mean of squares + ε) · scale; the mean in f32 where x is narrower.
Status rms_normalization(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", -1)));
  HW_TRY(const WireType given, im.type(x));
  const auto rank = static_cast<int64_t>(given.shape.rank());
  const double epsilon = n.real("epsilon", static_cast<double>(1e-5f));
  const Tensor* scale = im.constant(n, 1);
  if (axis == rank - 1 && scale && scale->dims() == Dims{given.shape[static_cast<size_t>(axis)].size}) {
    HW_TRY(const Wire y,
           im.add_layer("rms_norm", {{"x", x}}, {{"epsilon", epsilon}, {"affine", true}, {"dtype", dtype_name(*scale)}},
                        {{"weight", *scale}}));
    im.set(n, 0, y);
    return ok();
  }
  const std::vector<double> axes = axes_from(axis, rank);
  HW_TRY(const Wire wide, im.widened(x));
  HW_TRY(const WireType stash, im.type(wide));
  HW_TRY(const Wire square, im.add("mul", {{"a", wide}, {"b", wide}}));
  HW_TRY(const Wire mean, im.add("mean", {{"x", square}}, {{"axes", axes}, {"keep", true}}));
  HW_TRY(const Wire tiny, im.scalar(stash.dtype, epsilon));
  HW_TRY(const Wire raised, im.add("add", {{"a", mean}, {"b", tiny}}));
  HW_TRY(const Wire root, im.add("sqrt", {{"x", raised}}));
  HW_TRY(Wire y, im.add("div", {{"a", wide}, {"b", root}}));
  HW_TRY(const Wire by, im.in(n, 1));
  HW_TRY(y, im.cast_like(y, by));
  HW_TRY(y, im.add("mul", {{"a", y}, {"b", by}}));
  im.set(n, 0, y);
  return ok();
}

Status group_normalization(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *scale = im.bound(n, 1), *bias = im.bound(n, 2);
  if (!scale || !bias) return unsupported("its weights are computed.");
  if (im.opset() < 21) return unsupported("before opset 21 it scales groups, not channels.");
  HW_TRY(const Wire y, im.add_layer("group_norm", {{"x", x}},
                                    {{"groups", n.integer("num_groups", 1)},
                                     {"epsilon", n.real("epsilon", static_cast<double>(1e-5f))},
                                     {"dtype", dtype_name(*scale)}},
                                    {{"weight", *scale}, {"bias", *bias}}));
  im.set(n, 0, y);
  return ok();
}

Status lrn(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const int64_t size = n.integer("size", 1);
  if (size % 2 == 0) return unsupported("an even number of channels lies otherwise around a channel.");
  HW_TRY(const Wire y, im.add("local_response_norm", {{"x", x}},
                              {{"channels", size},
                               {"alpha", n.real("alpha", static_cast<double>(1e-4f))},
                               {"beta", n.real("beta", 0.75)},
                               {"k", n.real("bias", 1)}}));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> norm_rules() {
  static constexpr RuleRow kRows[]{
      {"BatchNormalization", batch_normalization},       {"GroupNormalization", group_normalization},
      {"InstanceNormalization", instance_normalization}, {"LRN", lrn},
      {"LayerNormalization", layer_normalization},       {"RMSNormalization", rms_normalization},
  };
  return kRows;
}

}  // namespace hw::interop
