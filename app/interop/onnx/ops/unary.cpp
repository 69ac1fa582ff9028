// Functions of each element.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/interop/onnx/rules.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

/// A node on input 0, whose values are computed as floats and go back to the dtype that they came in.
Status element(Importer& im, const OnnxNode& n, const std::string& type, const ParamMap& params = {}) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire wide, im.as_float(x));
  HW_TRY(const Wire y, im.add(type, {{"x", wide}}, params));
  HW_TRY(const Wire back, im.cast_like(y, x));
  im.set(n, 0, back);
  return ok();
}

template <const char* kType>
Status plain(Importer& im, const OnnxNode& n) {
  return element(im, n, kType);
}

#define HW_PLAIN(name) constexpr char k_##name[] = #name
HW_PLAIN(abs);
HW_PLAIN(acos);
HW_PLAIN(acosh);
HW_PLAIN(asin);
HW_PLAIN(asinh);
HW_PLAIN(atan);
HW_PLAIN(atanh);
HW_PLAIN(ceil);
HW_PLAIN(cos);
HW_PLAIN(cosh);
HW_PLAIN(erf);
HW_PLAIN(exp);
HW_PLAIN(floor);
HW_PLAIN(hard_swish);
HW_PLAIN(log);
HW_PLAIN(mish);
HW_PLAIN(neg);
HW_PLAIN(reciprocal);
HW_PLAIN(relu);
HW_PLAIN(round);
HW_PLAIN(sigmoid);
HW_PLAIN(sign);
HW_PLAIN(sin);
HW_PLAIN(sinh);
HW_PLAIN(softplus);
HW_PLAIN(softsign);
HW_PLAIN(sqrt);
HW_PLAIN(tan);
HW_PLAIN(tanh);
#undef HW_PLAIN

/// The wire itself.
Status identity(Importer& im, const OnnxNode& n) {
  if (const Tensor* value = im.constant(n, 0)) {
    im.set(n, 0, *value);
    return ok();
  }
  HW_TRY(const Wire x, im.in(n, 0));
  im.set(n, 0, x);
  return ok();
}

/// Nothing happens when a graph is evaluated. In training it drops.
Status dropout(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const std::optional<double> ratio, im.number(n, 1));
  if (im.has(n, 2) && !im.bound(n, 2)) return unsupported("whether it trains is computed.");
  if (const Tensor* training = im.bound(n, 2);
      training && training->size() == 1 && training->to_f64().front() != 0 && ratio.value_or(0.5) != 0)
    return unsupported("in training mode its random numbers are not those of ONNX.");
  const double p = n.real("ratio", ratio.value_or(0.5));
  HW_TRY(const Wire wide, im.as_float(x));
  HW_TRY(const Wire y, im.add("dropout", {{"x", wide}}, {{"p", std::clamp(p, 0.0, 0.999)}}));
  HW_TRY(const Wire back, im.cast_like(y, x));
  im.set(n, 0, back);
  if (im.wants(n, 1)) {
    HW_TRY(const Wire mask, im.add("compare", {{"a", x}, {"b", x}}, {{"operation", std::string("equal")}}));
    im.set(n, 1, mask);
  }
  return ok();
}

Status leaky_relu(Importer& im, const OnnxNode& n) {
  const double slope = n.real("alpha", static_cast<double>(0.01f));
  if (slope >= 0) return element(im, n, "leaky_relu", {{"negative_slope", slope}});
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const Wire zero, im.scalar(given.dtype, 0));
  HW_TRY(const Wire factor, im.scalar(given.dtype, slope));
  HW_TRY(const Wire below, im.add("compare", {{"a", x}, {"b", zero}}, {{"operation", std::string("less")}}));
  HW_TRY(const Wire scaled, im.add("mul", {{"a", x}, {"b", factor}}));
  HW_TRY(const Wire y, im.add("where", {{"condition", below}, {"a", scaled}, {"b", x}}));
  im.set(n, 0, y);
  return ok();
}
Status elu(Importer& im, const OnnxNode& n) {
  return element(im, n, "elu", {{"alpha", n.real("alpha", 1)}});
}
Status celu(Importer& im, const OnnxNode& n) {
  return element(im, n, "celu", {{"alpha", n.real("alpha", 1)}});
}
Status selu(Importer& im, const OnnxNode& n) {
  return element(im, n, "selu",
                 {{"alpha", n.real("alpha", static_cast<double>(1.67326319217681884765625f))},
                  {"gamma", n.real("gamma", static_cast<double>(1.05070102214813232421875f))}});
}
Status hard_sigmoid(Importer& im, const OnnxNode& n) {
  return element(im, n, "hard_sigmoid",
                 {{"slope", n.real("alpha", static_cast<double>(0.2f))}, {"offset", n.real("beta", 0.5)}});
}
Status thresholded_relu(Importer& im, const OnnxNode& n) {
  return element(im, n, "threshold", {{"threshold", n.real("alpha", 1)}, {"value", 0.0}});
}
Status shrink(Importer& im, const OnnxNode& n) {
  return element(im, n, "soft_shrink", {{"lambda", n.real("lambd", 0.5)}, {"bias", n.real("bias", 0)}});
}
Status gelu(Importer& im, const OnnxNode& n) {
  return element(im, n, "gelu", {{"approximate", n.text("approximate", "none")}});
}

Status is_nan(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("compare", {{"a", x}, {"b", x}}, {{"operation", std::string("not_equal")}}));
  im.set(n, 0, y);
  return ok();
}

Status is_inf(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  const bool above = n.integer("detect_positive", 1) != 0, below = n.integer("detect_negative", 1) != 0;
  HW_TRY(Wire y, im.add("is_finite", {{"x", x}}, {{"what", std::string("inf")}}));
  if (!above && !below) {  // none is asked for
    HW_TRY(const Wire other, im.add("logical_not", {{"a", y}}));
    HW_TRY(y, im.add("logical_and", {{"a", y}, {"b", other}}));
  }
  if (above != below) {
    HW_TRY(const Wire zero, im.scalar(given.dtype, 0));
    HW_TRY(const Wire side,
           im.add("compare", {{"a", x}, {"b", zero}}, {{"operation", std::string(above ? "greater" : "less")}}));
    HW_TRY(y, im.add("logical_and", {{"a", y}, {"b", side}}));
  }
  im.set(n, 0, y);
  return ok();
}

/// Whole numbers of one dtype in another that does not have all of them: the higher bits are dropped.
bool wraps(DType from, DType to) {
  const auto is_whole = [](DType dtype) { return !info(dtype).is_float && dtype != DType::boolean; };
  return is_whole(from) && is_whole(to) && from != to && info(to).bits <= info(from).bits;
}

Tensor lower_bits(const Tensor& from, DType to) {
  Tensor made(to, from.dims());
  const size_t wide = size_of(from.dtype()), narrow = size_of(to);
  for (size_t i = 0; i < static_cast<size_t>(from.size()); ++i)
    std::memcpy(made.as<char>() + i * narrow, from.as<char>() + i * wide, narrow);
  return made;
}

Status cast_to(Importer& im, const OnnxNode& n, DType to) {
  if (const Tensor* value = im.constant(n, 0)) {
    const bool wrapped = wraps(value->dtype(), to);
    if (wrapped || info(to).bits > 8) {
      im.set(n, 0, wrapped ? lower_bits(*value, to) : value->to(to));
      return ok();
    }
  }
  HW_TRY(const Wire x, im.in(n, 0));
  const auto from = im.type(x);
  if (from && wraps(from->dtype, to)) {
    HW_TRY(const Wire wide, im.as_float(x));
    HW_TRY(const Wire y, im.wrapped(wide, to));
    im.set(n, 0, y);
    return ok();
  }
  // ONNX keeps what is too large for 8 bits at the largest number, unless it says otherwise.
  const bool narrow = to == DType::f8e4m3 || to == DType::f8e5m2;
  const ParamMap eight{{"to", std::string(name(to))}, {"saturate", n.integer("saturate", 1) != 0}};
  HW_TRY(const Wire y, narrow ? im.add("cast", {{"x", x}}, eight) : im.cast(x, to));
  im.set(n, 0, y);
  return ok();
}

Status cast(Importer& im, const OnnxNode& n) {
  const auto to = dtype_of(n.integer("to", 1));
  if (!to) return unsupported("Halfwire does not have the dtype that it casts to.");
  return cast_to(im, n, *to);
}

Status cast_like(Importer& im, const OnnxNode& n) {
  if (const Tensor* like = im.constant(n, 1)) return cast_to(im, n, like->dtype());
  HW_TRY(const Wire like, im.in(n, 1));
  HW_TRY(const WireType wanted, im.type(like));
  return cast_to(im, n, wanted.dtype);
}

Status logical_not(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire y, im.add("logical_not", {{"a", x}}));
  im.set(n, 0, y);
  return ok();
}

/// A constant limit of Clip: none given, or one that is computed.
std::optional<double> limit_of(Importer& im, const OnnxNode& n, const char* attribute, size_t i) {
  if (n.has(attribute)) return n.real(attribute, 0);
  const Tensor* value = im.constant(n, i);
  return value && value->size() == 1 ? std::optional(value->to_f64().front()) : std::nullopt;
}

Status clip(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  const auto least = limit_of(im, n, "min", 1), most = limit_of(im, n, "max", 2);
  if (least && most && *least <= *most) {
    if (*least == 0 && *most == 6) return element(im, n, "relu6");
    return element(im, n, "clip", {{"min", *least}, {"max", *most}});
  }
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(Wire y, im.as_float(x));
  for (const bool low : {true, false}) {
    const char* attribute = low ? "min" : "max";
    const size_t i = low ? 1 : 2;
    Wire limit;
    if (n.has(attribute)) {
      HW_TRY(const WireType wide, im.type(y));
      HW_TRY(limit, im.scalar(wide.dtype, n.real(attribute, 0)));
    } else if (im.has(n, i)) {
      HW_TRY(const Wire value, im.in(n, i));
      HW_TRY(limit, im.as_float(value));
    } else {
      continue;
    }
    HW_TRY(y, im.add(low ? "max" : "min", {{"a", y}, {"b", limit}}));
  }
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

/// max(x, 0) + slope · min(x, 0): the slope has a shape of its own.
Status prelu(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(Wire slope, im.in(n, 1));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const Dims own, im.dims(slope));
  const size_t rank = given.shape.rank();
  if (const Tensor* weight = im.constant(n, 1); weight && info(given.dtype).is_float && rank > 1) {
    // One slope for all, or one for each channel: [C, 1, ..].
    const Dims& dims = weight->dims();
    const bool per_channel = weight->size() > 1;
    const bool fits =
        !per_channel || (dims.size() == rank - 1 && dims[0] == given.shape[1].size && weight->size() == dims[0]);
    if (fits) {
      HW_TRY(const Wire y,
             im.add_layer("prelu", {{"x", x}}, {{"per_channel", per_channel}, {"dtype", dtype_name(*weight)}},
                          {{"weight", weight->reshaped({weight->size()})}}));
      im.set(n, 0, y);
      return ok();
    }
  }
  // Before opset 7 a slope for each channel is a vector.
  if (im.opset() < 7 && own.size() == 1 && own[0] > 1 && rank > 2) {
    std::vector<double> shape(rank - 1, 1);
    shape[0] = static_cast<double>(own[0]);
    HW_TRY(slope, im.add("reshape", {{"x", slope}}, {{"shape", shape}}));
  }
  HW_TRY(const Wire zero, im.scalar(given.dtype, 0));
  HW_TRY(const Wire above, im.add("relu", {{"x", x}}));
  HW_TRY(const Wire below, im.add("min", {{"a", x}, {"b", zero}}));
  HW_TRY(const Wire scaled, im.add("mul", {{"a", below}, {"b", slope}}));
  HW_TRY(const Wire y, im.add("add", {{"a", above}, {"b", scaled}}));
  im.set(n, 0, y);
  return ok();
}

Status softmax_like(Importer& im, const OnnxNode& n, const std::string& type) {
  HW_TRY(const Wire x, im.in(n, 0));
  const bool flattens = im.opset() < 13;
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", flattens ? 1 : -1)));
  HW_TRY(const int64_t rank, im.rank(x));
  if (!flattens || axis == rank - 1) {
    HW_TRY(const Wire y, im.add(type, {{"x", x}}, {{"axis", axis}}));
    im.set(n, 0, y);
    return ok();
  }
  // Before opset 13 over all axes from there on together.
  HW_TRY(const Dims dims, im.dims(x));
  std::vector<double> flat{1, 1}, whole;
  for (size_t d = 0; d < dims.size(); ++d) {
    flat[d < static_cast<size_t>(axis) ? 0 : 1] *= static_cast<double>(dims[d]);
    whole.push_back(static_cast<double>(dims[d]));
  }
  HW_TRY(const Wire rows, im.add("reshape", {{"x", x}}, {{"shape", flat}}));
  HW_TRY(const Wire y, im.add(type, {{"x", rows}}, {{"axis", int64_t{1}}}));
  HW_TRY(const Wire back, im.add("reshape", {{"x", y}}, {{"shape", whole}}));
  im.set(n, 0, back);
  return ok();
}
Status softmax(Importer& im, const OnnxNode& n) {
  return softmax_like(im, n, "softmax");
}
Status log_softmax(Importer& im, const OnnxNode& n) {
  return softmax_like(im, n, "log_softmax");
}

}  // namespace

std::span<const RuleRow> unary_rules() {
  static constexpr RuleRow kRows[]{
      {"Abs", plain<k_abs>},
      {"Acos", plain<k_acos>},
      {"Acosh", plain<k_acosh>},
      {"Asin", plain<k_asin>},
      {"Asinh", plain<k_asinh>},
      {"Atan", plain<k_atan>},
      {"Atanh", plain<k_atanh>},
      {"Cast", cast},
      {"CastLike", cast_like},
      {"Ceil", plain<k_ceil>},
      {"Celu", celu},
      {"Clip", clip},
      {"Cos", plain<k_cos>},
      {"Cosh", plain<k_cosh>},
      {"Dropout", dropout},
      {"Elu", elu},
      {"Erf", plain<k_erf>},
      {"Exp", plain<k_exp>},
      {"Floor", plain<k_floor>},
      {"Gelu", gelu},
      {"HardSigmoid", hard_sigmoid},
      {"HardSwish", plain<k_hard_swish>},
      {"Identity", identity},
      {"IsInf", is_inf},
      {"IsNaN", is_nan},
      {"LeakyRelu", leaky_relu},
      {"Log", plain<k_log>},
      {"LogSoftmax", log_softmax},
      {"Mish", plain<k_mish>},
      {"Neg", plain<k_neg>},
      {"Not", logical_not},
      {"PRelu", prelu},
      {"Reciprocal", plain<k_reciprocal>},
      {"Relu", plain<k_relu>},
      {"Round", plain<k_round>},
      {"Selu", selu},
      {"Shrink", shrink},
      {"Sigmoid", plain<k_sigmoid>},
      {"Sign", plain<k_sign>},
      {"Sin", plain<k_sin>},
      {"Sinh", plain<k_sinh>},
      {"Softmax", softmax},
      {"Softplus", plain<k_softplus>},
      {"Softsign", plain<k_softsign>},
      {"Sqrt", plain<k_sqrt>},
      {"Tan", plain<k_tan>},
      {"Tanh", plain<k_tanh>},
      {"ThresholdedRelu", thresholded_relu},
  };
  return kRows;
}

}  // namespace hw::interop
