// Layers with weights, norms, and what goes with them. Weights become parameters, which can be trained.
#include <algorithm>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/windows.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

std::string dtype_name(const Tensor& t) {
  return std::string(name(t.dtype()));
}

Status conv(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *weight = im.bound(n, 1), *bias = im.bound(n, 2);
  if (!weight || (im.has(n, 2) && !bias)) return unsupported("its weights are computed.");
  const Dims& dims = weight->dims();
  if (dims.size() < 3) return unsupported("its weight has too few axes.");
  HW_TRY(const Windows w, windows_of(im, n, x, {dims.begin() + 2, dims.end()}));
  HW_TRY(const std::string type, w.type("conv"));
  std::map<std::string, Tensor> weights{{"weight", *weight}};
  if (bias) weights["bias"] = *bias;
  HW_TRY(const Wire y, im.add_layer(type, {{"x", x}},
                                    {{"out_channels", dims[0]},
                                     {"kernel_size", w.kernel_size()},
                                     {"stride", w.strides()},
                                     {"padding", w.padding()},
                                     {"dilation", w.dilations()},
                                     {"groups", n.integer("group", 1)},
                                     {"bias", bias != nullptr},
                                     {"dtype", dtype_name(*weight)}},
                                    weights));
  im.set(n, 0, y);
  return ok();
}

Status conv_transpose(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *weight = im.bound(n, 1), *bias = im.bound(n, 2);
  if (!weight || (im.has(n, 2) && !bias)) return unsupported("its weights are computed.");
  const Dims& dims = weight->dims();
  if (dims.size() < 3) return unsupported("its weight has too few axes.");
  const int64_t groups = n.integer("group", 1);
  HW_TRY(Windows w, windows_of(im, n, x, {dims.begin() + 2, dims.end()}));
  HW_TRY(const std::string type, w.type("conv_transpose"));
  if (w.axes() > 2) return unsupported("it slides along three axes.");
  std::vector<int64_t> extra = n.integers("output_padding"), wanted = n.integers("output_shape");
  extra.resize(w.axes(), 0);
  const std::string automatic = n.text("auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (same || !wanted.empty()) {
    HW_TRY(const Dims sizes, im.open_dims(x));
    if (sizes.size() != w.axes() + 2 || std::ranges::count(Dims(sizes.begin() + 2, sizes.end()), -1))
      return unsupported("its padding depends on a symbolic size.");
    if (!wanted.empty() && wanted.size() < w.axes())
      return unsupported("its output has fewer axes than it slides along.");
    if (wanted.size() > w.axes()) wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(w.axes()));
    for (size_t d = 0; d < w.axes(); ++d) {
      const int64_t out = wanted.empty() ? sizes[d + 2] * w.stride[d] : wanted[d];
      const int64_t total = (sizes[d + 2] - 1) * w.stride[d] + extra[d] + (w.kernel[d] - 1) * w.dilation[d] + 1 - out;
      if (total < 0) {
        extra[d] -= total;
        w.begin[d] = w.end[d] = 0;
        continue;
      }
      if (im.opset() < 11 && total % 2 != 0)
        return unsupported("before opset 11 an odd padding lies at the other end.");
      w.begin[d] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      w.end[d] = total - w.begin[d];
    }
  }
  std::map<std::string, Tensor> weights{{"weight", *weight}};
  if (bias) weights["bias"] = *bias;
  HW_TRY(const Wire y, im.add_layer(type, {{"x", x}},
                                    {{"out_channels", dims[1] * groups},
                                     {"kernel_size", w.kernel_size()},
                                     {"stride", w.strides()},
                                     {"padding", w.padding()},
                                     {"output_padding", std::vector<double>(extra.begin(), extra.end())},
                                     {"dilation", w.dilations()},
                                     {"groups", groups},
                                     {"bias", bias != nullptr},
                                     {"dtype", dtype_name(*weight)}},
                                    weights));
  im.set(n, 0, y);
  return ok();
}

Status batch_normalization(Importer& im, const OnnxNode& n) {
  if (n.integer("training_mode", 0) != 0 || im.wants(n, 1)) return unsupported("it is in training mode.");
  if (n.integer("spatial", 1) == 0) return unsupported("statistics of each element (spatial 0).");
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *scale = im.bound(n, 1), *bias = im.bound(n, 2), *mean = im.bound(n, 3), *variance = im.bound(n, 4);
  if (!scale || !bias || !mean || !variance) return unsupported("its statistics are computed.");
  HW_TRY(const WireType given, im.type(x));
  const DType wide = given.dtype == DType::f64 ? DType::f64 : DType::f32;
  HW_TRY(const Wire y, im.add_layer("batch_norm", {{"x", x}},
                                    {{"semantics", std::string("onnx")},
                                     {"momentum", n.real("momentum", static_cast<double>(0.9f))},
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
  std::vector<double> axes;
  for (int64_t d = axis; d < rank; ++d) axes.push_back(static_cast<double>(d));
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
  std::vector<double> axes;
  for (int64_t d = axis; d < rank; ++d) axes.push_back(static_cast<double>(d));
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

Status quantize(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire scale, im.in(n, 1));
  Wires inputs{{"x", x}, {"scale", scale}};
  if (n.integer("block_size", 0) != 0 || n.integer("saturate", 1) == 0)
    return unsupported("blocks, or values that leave the range.");
  if (n.integer("precision", 0) != 0) return unsupported("a precision of its own.");
  const int64_t asked = n.integer("output_dtype", 0);
  if (asked != 0 && !dtype_of(asked)) return unsupported("Halfwire does not have its output_dtype.");
  DType to = asked != 0 ? *dtype_of(asked) : DType::u8;
  if (im.has(n, 2)) {
    HW_TRY(const Wire zero, im.in(n, 2));
    HW_TRY(const WireType type, im.type(zero));
    to = type.dtype;
    inputs.emplace_back("zero_point", zero);
  }
  HW_TRY(const Wire y,
         im.add("quantize_linear", inputs, {{"axis", n.integer("axis", 1)}, {"to", std::string(name(to))}}));
  im.set(n, 0, y);
  return ok();
}

/// (x − zero) · scale of constants, as a Dequantize Linear computes it. Nothing: their sizes do not fit.
std::optional<Tensor> dequantized(const Tensor& x, const Tensor& scale, const Tensor* zero, int64_t axis) {
  const auto rank = static_cast<int64_t>(x.dims().size());
  const bool of_all = scale.size() == 1;
  if (axis < 0) axis += rank;
  if (!of_all && (axis < 0 || axis >= rank || x.dims()[static_cast<size_t>(axis)] != scale.size())) return std::nullopt;
  if (zero && zero->size() != scale.size()) return std::nullopt;
  int64_t inner = 1;
  for (int64_t d = of_all ? rank : axis + 1; d < rank; ++d) inner *= x.dims()[static_cast<size_t>(d)];
  std::vector<double> values = x.to_f64();
  const std::vector<double> scales = scale.to_f64();
  const std::vector<double> zeros = zero ? zero->to_f64() : std::vector<double>(scales.size(), 0.0);
  const bool wide = scale.dtype() == DType::f64;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t at = of_all ? 0 : i / static_cast<size_t>(inner) % scales.size();
    values[i] -= zeros[at];
    values[i] = wide ? values[i] * scales[at] : static_cast<float>(values[i]) * static_cast<float>(scales[at]);
  }
  return Tensor::from_f64(scale.dtype(), x.dims(), values);
}

/// Of constants the floats that they stand for, so that layers have them as weights.
Status dequantize(Importer& im, const OnnxNode& n) {
  if (n.integer("block_size", 0) != 0) return unsupported("blocks.");
  if (n.integer("output_dtype", 0) != 0) return unsupported("an output_dtype of its own.");
  const Tensor *whole = im.constant(n, 0), *scales = im.constant(n, 1), *zeros = im.constant(n, 2);
  if (whole && scales && (zeros || !im.has(n, 2))) {
    auto floats = dequantized(*whole, *scales, zeros, n.integer("axis", 1));
    if (!floats) return unsupported("its scale and its input do not fit.");
    im.set_dequantized(n, std::move(*floats));
    return ok();
  }
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire scale, im.in(n, 1));
  Wires inputs{{"x", x}, {"scale", scale}};
  if (im.has(n, 2)) {
    HW_TRY(const Wire zero, im.in(n, 2));
    inputs.emplace_back("zero_point", zero);
  }
  HW_TRY(const Wire y, im.add("dequantize_linear", inputs, {{"axis", n.integer("axis", 1)}}));
  im.set(n, 0, y);
  return ok();
}

Status grid_sample(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire grid, im.in(n, 1));
  std::string mode = n.text("mode", "bilinear");
  if (mode == "linear") mode = "bilinear";
  if (mode == "bicubic" || mode == "cubic") return unsupported("cubic sampling.");
  HW_TRY(const Wire y, im.add("grid_sample", {{"x", x}, {"grid", grid}},
                              {{"mode", mode},
                               {"padding", n.text("padding_mode", "zeros")},
                               {"align_corners", n.integer("align_corners", 0) != 0}}));
  im.set(n, 0, y);
  return ok();
}

/// Rows of `from` [rows, columns], gate by gate in another order.
Tensor gates_in_order(const Tensor& from, int64_t gates, const std::vector<int64_t>& order) {
  const std::vector<double> values = from.to_f64();
  const size_t each = values.size() / static_cast<size_t>(gates);
  std::vector<double> sorted;
  for (const int64_t gate : order)
    sorted.insert(sorted.end(), values.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(gate) * each),
                  values.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(gate + 1) * each));
  return Tensor::from_f64(from.dtype(), from.dims(), sorted);
}

Tensor part_of(const Tensor& from, int64_t part, const Dims& dims, int64_t offset = 0) {
  const std::vector<double> values = from.to_f64();
  const int64_t count = element_count(dims), whole = from.size() / from.dims()[0];
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(part * whole + offset);
  return Tensor::from_f64(from.dtype(), dims, std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count)));
}

/// None are given, or the default ones, in each direction.
bool has_usual_activations(const OnnxNode& n, bool lstm) {
  if (!n.has("activations")) return true;
  const auto* given = std::get_if<std::vector<std::string>>(&n.attributes.at("activations"));
  constexpr std::string_view kUsual[]{"Sigmoid", "Tanh", "Tanh"};
  for (size_t i = 0; given && i < given->size(); ++i)
    if ((*given)[i] != kUsual[i % (lstm ? 3 : 2)]) return false;
  return given != nullptr;
}

/// [seq, batch, in] to [seq, directions, batch, hidden]. ONNX's gates are i o f c and z r h; ours i f g o and r z n.
Status recurrent(Importer& im, const OnnxNode& n, int64_t gates, const std::vector<int64_t>& order) {
  const bool lstm = gates == 4;
  HW_TRY(const Wire x, im.in(n, 0));
  const Tensor *w = im.bound(n, 1), *r = im.bound(n, 2), *b = im.bound(n, 3);
  if (!w || !r || (im.has(n, 3) && !b)) return unsupported("its weights are computed.");
  if (im.has(n, 4)) return unsupported("sequences of several lengths.");
  if (im.has(n, 7)) return unsupported("peepholes.");
  if (!has_usual_activations(n, lstm) || n.has("clip") || n.integer("input_forget", 0) != 0)
    return unsupported("activations of its own, clipping, or coupled gates.");
  if (!lstm && n.integer("linear_before_reset", 0) == 0)
    return unsupported("its reset gate comes before the product (linear_before_reset 0).");
  const std::string direction = n.text("direction", "forward");
  const Dims &of_w = w->dims(), &of_r = r->dims();
  const bool fits = of_w.size() == 3 && of_r.size() == 3 && of_w[0] == (direction == "bidirectional" ? 2 : 1) &&
                    of_r[0] == of_w[0] && of_r[2] >= 1 && of_w[1] == gates * of_r[2] && of_r[1] == of_w[1] &&
                    (!b || b->dims() == Dims{of_w[0], 2 * of_w[1]});
  if (!fits) return unsupported("its weights do not fit each other.");
  const bool batch_first = n.integer("layout", 0) != 0;
  const int64_t directions = w->dims()[0], hidden = r->dims()[2], in = w->dims()[2];
  std::map<std::string, Tensor> weights;
  for (int64_t d = 0; d < directions; ++d) {
    const std::string tail = d == 0 && direction != "reverse" ? "" : "_reverse";
    weights["weight_ih" + tail] = gates_in_order(part_of(*w, d, {gates * hidden, in}), gates, order);
    weights["weight_hh" + tail] = gates_in_order(part_of(*r, d, {gates * hidden, hidden}), gates, order);
    if (!b) continue;
    weights["bias_ih" + tail] = gates_in_order(part_of(*b, d, {gates * hidden}), gates, order);
    weights["bias_hh" + tail] = gates_in_order(part_of(*b, d, {gates * hidden}, gates * hidden), gates, order);
  }
  const std::vector<double> swap{1, 0, 2};
  Wire steps = x;
  if (!batch_first) {
    HW_TRY(steps, im.add("transpose", {{"x", x}}, {{"axes", swap}}));
  }
  HW_TRY(const Dims dims, im.open_dims(steps));
  if (dims.size() != 3) return unsupported("its input does not have three axes.");
  Wires inputs{{"x", steps}};
  for (size_t i = 5; i <= (lstm ? 6u : 5u); ++i) {
    if (!im.has(n, i)) continue;
    HW_TRY(Wire state, im.in(n, i));
    if (!batch_first) {
      HW_TRY(state, im.add("transpose", {{"x", state}}, {{"axes", swap}}));
    }
    HW_TRY(state, im.add("flatten", {{"x", state}}, {{"first", int64_t{1}}}));
    inputs.emplace_back(i == 5 ? "initial_hidden" : "initial_cell", state);
  }
  HW_TRY(const Wire y,
         im.add_layer(
             lstm ? "lstm" : "gru", inputs,
             {{"hidden_size", hidden}, {"direction", direction}, {"bias", b != nullptr}, {"dtype", dtype_name(*w)}},
             weights));
  const std::vector<double> parts{static_cast<double>(directions), static_cast<double>(hidden)};
  const auto by_direction = [&](const Wire& from, std::vector<double> axes) -> Result<Wire> {
    HW_TRY(const Wire split, im.add("unflatten", {{"x", from}}, {{"sizes", parts}}));
    return im.add("transpose", {{"x", split}}, {{"axes", std::move(axes)}});
  };
  if (im.wants(n, 0)) {
    HW_TRY(const Wire all,
           by_direction(y, batch_first ? std::vector<double>{0, 1, 2, 3} : std::vector<double>{1, 2, 0, 3}));
    im.set(n, 0, all);
  }
  for (size_t i = 1; i <= (lstm ? 2u : 1u); ++i) {
    if (!im.wants(n, i)) continue;
    HW_TRY(const Wire last, by_direction(Wire{y.node, i == 1 ? "hidden" : "cell"},
                                         batch_first ? std::vector<double>{0, 1, 2} : std::vector<double>{1, 0, 2}));
    im.set(n, i, last);
  }
  return ok();
}
Status lstm(Importer& im, const OnnxNode& n) {
  return recurrent(im, n, 4, {0, 2, 3, 1});
}
Status gru(Importer& im, const OnnxNode& n) {
  return recurrent(im, n, 3, {1, 0, 2});
}

}  // namespace

std::span<const RuleRow> layer_rules() {
  static constexpr RuleRow kRows[]{
      {"BatchNormalization", batch_normalization},
      {"Conv", conv},
      {"ConvTranspose", conv_transpose},
      {"DequantizeLinear", dequantize},
      {"GRU", gru},
      {"GridSample", grid_sample},
      {"GroupNormalization", group_normalization},
      {"InstanceNormalization", instance_normalization},
      {"LRN", lrn},
      {"LSTM", lstm},
      {"LayerNormalization", layer_normalization},
      {"QuantizeLinear", quantize},
      {"RMSNormalization", rms_normalization},
  };
  return kRows;
}

}  // namespace hw::interop
