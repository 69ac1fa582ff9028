// Functions of two or more tensors, with broadcasting.
#include "app/interop/onnx/rules.h"
#include "engine/node/many_inputs.h"

namespace hw::interop {
namespace {

/// Before opset 7 `axis` says where the second input stands in the first: NumPy's rule where that is at its end.
Status check_broadcast(Importer& im, const OnnxNode& n) {
  if (im.opset() >= 7 || !n.has("axis")) return ok();
  HW_TRY(const Wire a, im.in(n, 0));
  HW_TRY(const Wire b, im.in(n, 1));
  HW_TRY(const int64_t whole, im.rank(a));
  HW_TRY(const int64_t part, im.rank(b));
  const int64_t axis = n.integer("axis", 0);
  if ((axis < 0 ? axis + whole : axis) == whole - part) return ok();
  return unsupported("it broadcasts from an axis, as before opset 7.");
}

/// Inputs 0 and 1 as floats, in a node, back in their dtype.
Result<Wire> combined(Importer& im, const std::string& type, const Wire& a, const Wire& b) {
  HW_TRY(const Wire x, im.as_float(a));
  HW_TRY(const Wire y, im.as_float(b));
  return im.add(type, {{"a", x}, {"b", y}});
}

template <const char* kType>
Status binary(Importer& im, const OnnxNode& n) {
  HW_CHECK(check_broadcast(im, n));
  if (n.op == "Add" && im.join_bias(n)) return ok();
  HW_TRY(const Wire a, im.in(n, 0));
  HW_TRY(const Wire b, im.in(n, 1));
  HW_TRY(const Wire y, combined(im, kType, a, b));
  const auto given = im.type(a);
  // Quotients of whole numbers are cut towards 0.
  HW_TRY(const Wire back, given&& n.op != "Div" ? im.wrapped(y, given->dtype) : im.cast_like(y, a));
  im.set(n, 0, back);
  return ok();
}

template <const char* kType>
Status variadic(Importer& im, const OnnxNode& n) {
  HW_TRY(Wire y, im.in(n, 0));
  HW_TRY(const WireType given, im.type(y));
  for (size_t i = 1; i < n.inputs.size(); ++i) {
    HW_TRY(const Wire next, im.in(n, i));
    HW_TRY(y, combined(im, kType, y, next));
  }
  if (n.op == "Mean") {
    HW_TRY(const Wire count, im.scalar(given.dtype, static_cast<double>(n.inputs.size())));
    HW_TRY(y, im.add("div", {{"a", y}, {"b", count}}));
  }
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

template <const char* kOperation>
Status compared(Importer& im, const OnnxNode& n) {
  HW_CHECK(check_broadcast(im, n));
  HW_TRY(Wire a, im.in(n, 0));
  HW_TRY(Wire b, im.in(n, 1));
  HW_TRY(const WireType given, im.type(a));
  if (given.dtype == DType::boolean) {
    HW_TRY(a, im.cast(a, DType::f32));
    HW_TRY(b, im.cast(b, DType::f32));
  }
  HW_TRY(const Wire y, im.add("compare", {{"a", a}, {"b", b}}, {{"operation", std::string(kOperation)}}));
  im.set(n, 0, y);
  return ok();
}

template <const char* kType>
Status logical(Importer& im, const OnnxNode& n) {
  HW_CHECK(check_broadcast(im, n));
  HW_TRY(const Wire a, im.in(n, 0));
  HW_TRY(const Wire b, im.in(n, 1));
  HW_TRY(const Wire y, im.add(kType, {{"a", a}, {"b", b}}));
  im.set(n, 0, y);
  return ok();
}

#define HW_NAME(name) constexpr char k_##name[] = #name
HW_NAME(add);
HW_NAME(sub);
HW_NAME(mul);
HW_NAME(div);
HW_NAME(max);
HW_NAME(min);
HW_NAME(equal);
HW_NAME(less);
HW_NAME(less_equal);
HW_NAME(greater);
HW_NAME(greater_equal);
HW_NAME(logical_and);
HW_NAME(logical_or);
HW_NAME(logical_xor);
#undef HW_NAME

Status pow(Importer& im, const OnnxNode& n) {
  HW_CHECK(check_broadcast(im, n));
  HW_TRY(const Wire base, im.in(n, 0));
  HW_TRY(const Wire exponent, im.in(n, 1));
  HW_TRY(const WireType given, im.type(base));
  HW_TRY(const Wire x, im.as_float(base));
  HW_TRY(const WireType wide, im.type(x));
  HW_TRY(const Wire e, im.cast(exponent, wide.dtype));
  HW_TRY(const Wire y, im.add("pow", {{"base", x}, {"exponent", e}}));
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

/// a − b · ⌊a / b⌋, with `fmod` a − b · trunc(a / b); in f64, so that quotients of whole numbers are exact enough.
Status mod(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire a, im.in(n, 0));
  HW_TRY(const Wire b, im.in(n, 1));
  HW_TRY(const WireType given, im.type(a));
  const bool truncates = n.integer("fmod", 0) != 0;
  if (truncates && info(given.dtype).is_float) return unsupported("fmod of floats.");
  HW_TRY(const Wire x, im.cast(a, DType::f64));
  HW_TRY(const Wire y, im.cast(b, DType::f64));
  HW_TRY(const Wire quotient, im.add("div", {{"a", x}, {"b", y}}));
  Wire whole;
  if (truncates) {
    HW_TRY(const Wire cut, im.cast(quotient, DType::i64));
    HW_TRY(whole, im.cast(cut, DType::f64));
  } else {
    HW_TRY(whole, im.add("floor", {{"x", quotient}}));
  }
  HW_TRY(const Wire multiple, im.add("mul", {{"a", whole}, {"b", y}}));
  HW_TRY(Wire rest, im.add("sub", {{"a", x}, {"b", multiple}}));
  if (info(given.dtype).is_float) {  // by an Inf: x, or the Inf where it has the other sign
    HW_TRY(const Wire infinite, im.add("is_finite", {{"x", y}}, {{"what", std::string("inf")}}));
    HW_TRY(const Wire zero, im.scalar(DType::f64, 0));
    HW_TRY(const Wire product, im.add("mul", {{"a", x}, {"b", y}}));
    HW_TRY(const Wire apart, im.add("compare", {{"a", product}, {"b", zero}}, {{"operation", std::string("less")}}));
    HW_TRY(const Wire of_infinite, im.add("where", {{"condition", apart}, {"a", y}, {"b", x}}));
    HW_TRY(rest, im.add("where", {{"condition", infinite}, {"a", of_infinite}, {"b", rest}}));
  }
  HW_TRY(const Wire back, im.cast(rest, given.dtype));
  im.set(n, 0, back);
  return ok();
}

Status where(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire condition, im.in(n, 0));
  HW_TRY(const Wire a, im.in(n, 1));
  HW_TRY(const Wire b, im.in(n, 2));
  HW_TRY(const WireType given, im.type(a));
  HW_TRY(const Wire x, im.as_float(a));
  HW_TRY(const Wire y, im.as_float(b));
  HW_TRY(const Wire chosen, im.add("where", {{"condition", condition}, {"a", x}, {"b", y}}));
  HW_TRY(const Wire back, im.cast(chosen, given.dtype));
  im.set(n, 0, back);
  return ok();
}

/// A constant matrix B is the weight of a Linear without bias; else, and where B has become a Parameter that others
/// read, two wires are multiplied.
Status matmul(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire a, im.in(n, 0));
  const StoredTensor* matrix = im.stored(n, 1);
  const auto rank = im.rank(a);
  const bool is_matrix =
      matrix && matrix->dims().size() == 2 && info(matrix->dtype()).is_float && !im.is_parameter(n, 1);
  if (is_matrix && rank && *rank > 1) {
    HW_TRY(const Tensor weight, im.read(matrix->turned()));
    if (const auto table = im.shared_table(weight)) {
      HW_TRY(const Wire y, im.add("matmul", {{"a", a}, {"b", *table}}, {{"transpose_b", true}}));
      im.set(n, 0, y);
      return ok();
    }
    HW_TRY(const Wire y,
           im.add_layer(
               "linear", {{"x", a}},
               {{"out_features", matrix->dims()[1]}, {"bias", false}, {"dtype", std::string(name(matrix->dtype()))}},
               {{"weight", weight}}));
    im.name_turned(y, n);
    im.set(n, 0, y);
    return ok();
  }
  HW_TRY(const Wire b, im.in(n, 1));
  HW_TRY(Wire x, im.as_float(a));
  HW_TRY(Wire y, im.as_float(b));
  // A vector is a row on the left and a column on the right, and what is made has no such axis.
  const auto other_rank = im.rank(b);
  const bool row = rank && *rank == 1, column = other_rank && *other_rank == 1;
  if (row) {
    HW_TRY(x, im.add("unsqueeze", {{"x", x}}, {{"axes", std::vector<double>{0}}}));
  }
  if (column) {
    HW_TRY(y, im.add("unsqueeze", {{"x", y}}, {{"axes", std::vector<double>{1}}}));
  }
  HW_TRY(Wire product, im.add("matmul", {{"a", x}, {"b", y}}));
  std::vector<double> axes;
  if (row) axes.push_back(-2);
  if (column) axes.push_back(-1);
  if (!axes.empty()) {
    HW_TRY(product, im.add("squeeze", {{"x", product}}, {{"axes", axes}}));
  }
  HW_TRY(const Wire back, im.cast_like(product, a));
  im.set(n, 0, back);
  return ok();
}

Result<Wire> scaled(Importer& im, const Wire& x, double factor) {
  if (factor == 1) return x;
  HW_TRY(const WireType known, im.type(x));
  HW_TRY(const Wire by, im.scalar(known.dtype, factor));
  return im.add("mul", {{"a", x}, {"b", by}});
}

/// A constant B is the weight of a Linear; else, and where B has become a Parameter that others read, two wires are
/// multiplied.
Status gemm(Importer& im, const OnnxNode& n) {
  const bool left = n.integer("transA", 0) != 0, right = n.integer("transB", 0) != 0;
  const double alpha = n.real("alpha", 1), beta = n.real("beta", 1);
  HW_TRY(const Wire a, im.in(n, 0));
  const StoredTensor* b = im.stored(n, 1);
  const Tensor* c = im.constant(n, 2);
  const bool is_matrix = b && b->dims().size() == 2 && !im.is_parameter(n, 1);
  const bool bias_fits = !im.has(n, 2) || (c && is_matrix && c->dims() == Dims{b->dims()[right ? 0 : 1]});
  if (is_matrix && info(b->dtype()).is_float && !left && alpha == 1 && beta == 1 && bias_fits) {
    const int64_t out = b->dims()[right ? 0 : 1];
    HW_TRY(const Tensor weight, im.read(right ? *b : b->turned()));
    std::map<std::string, Tensor> weights{{"weight", weight}};
    if (c) weights["bias"] = *c;
    HW_TRY(const Wire y,
           im.add_layer("linear", {{"x", a}},
                        {{"out_features", out}, {"bias", c != nullptr}, {"dtype", std::string(name(b->dtype()))}},
                        weights));
    if (!right) im.name_turned(y, n, c ? n.inputs[2] : "");
    im.set(n, 0, y);
    return ok();
  }
  HW_TRY(const WireType given, im.type(a));
  HW_TRY(const Wire x, im.as_float(a));
  HW_TRY(const Wire second, im.in(n, 1));
  HW_TRY(const Wire other, im.as_float(second));
  HW_TRY(Wire y, im.add("matmul", {{"a", x}, {"b", other}}, {{"transpose_a", left}, {"transpose_b", right}}));
  HW_TRY(y, scaled(im, y, alpha));
  if (im.has(n, 2)) {
    HW_TRY(const Wire third, im.in(n, 2));
    HW_TRY(const Wire addend, im.as_float(third));
    HW_TRY(const Wire plus, scaled(im, addend, beta));
    HW_TRY(y, im.add("add", {{"a", y}, {"b", plus}}));
  }
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

Status einsum(Importer& im, const OnnxNode& n) {
  Wires inputs;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    HW_TRY(const Wire x, im.in(n, i));
    inputs.emplace_back(shapes::input_ids_up_to(i + 1).back(), x);
  }
  HW_TRY(const Wire y, im.add("einsum", inputs, {{"equation", n.text("equation", "")}}));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> binary_rules() {
  static constexpr RuleRow kRows[]{
      {"Add", binary<k_add>},
      {"And", logical<k_logical_and>},
      {"Div", binary<k_div>},
      {"Einsum", einsum},
      {"Equal", compared<k_equal>},
      {"Gemm", gemm},
      {"Greater", compared<k_greater>},
      {"GreaterOrEqual", compared<k_greater_equal>},
      {"Less", compared<k_less>},
      {"LessOrEqual", compared<k_less_equal>},
      {"MatMul", matmul},
      {"Max", variadic<k_max>},
      {"Mean", variadic<k_add>},
      {"Min", variadic<k_min>},
      {"Mod", mod},
      {"Mul", binary<k_mul>},
      {"Or", logical<k_logical_or>},
      {"Pow", pow},
      {"Sub", binary<k_sub>},
      {"Sum", variadic<k_add>},
      {"Where", where},
      {"Xor", logical<k_logical_xor>},
  };
  return kRows;
}

}  // namespace hw::interop
