// Functions of elements, products and reductions as operators of ONNX.
#include <algorithm>

#include "app/interop/onnx/exporter.h"
#include "app/interop/onnx/opset_dtypes.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

constexpr std::pair<const char*, const char*> kUnary[]{
    {"abs", "Abs"},
    {"acos", "Acos"},
    {"acosh", "Acosh"},
    {"asin", "Asin"},
    {"asinh", "Asinh"},
    {"atan", "Atan"},
    {"atanh", "Atanh"},
    {"ceil", "Ceil"},
    {"cos", "Cos"},
    {"cosh", "Cosh"},
    {"erf", "Erf"},
    {"exp", "Exp"},
    {"floor", "Floor"},
    {"log", "Log"},
    {"neg", "Neg"},
    {"relu", "Relu"},
    {"round", "Round"},
    {"sigmoid", "Sigmoid"},
    {"sign", "Sign"},
    {"sin", "Sin"},
    {"sinh", "Sinh"},
    {"softsign", "Softsign"},
    {"sqrt", "Sqrt"},
    {"tan", "Tan"},
    {"tanh", "Tanh"},
    {"reroute", "Identity"},
    {"stop_gradient", "Identity"},
    {"gradient_scale", "Identity"},
    {"drop_path", "Identity"},
    {"input", "Identity"},
    {"output", "Identity"},
    {"reciprocal", "Reciprocal"},
    {"hard_swish", "HardSwish"},
    {"augment", "Identity"},
};
constexpr std::pair<const char*, const char*> kBinary[]{
    {"add", "Add"}, {"sub", "Sub"},         {"mul", "Mul"},       {"div", "Div"},         {"max", "Max"},
    {"min", "Min"}, {"logical_and", "And"}, {"logical_or", "Or"}, {"logical_xor", "Xor"},
};
constexpr std::pair<const char*, const char*> kReduce[]{
    {"mean", "ReduceMean"},
    {"reduce_max", "ReduceMax"},
    {"reduce_min", "ReduceMin"},
    {"reduce_prod", "ReduceProd"},
    {"reduce_l1", "ReduceL1"},
    {"reduce_l2", "ReduceL2"},
    {"log_sum_exp", "ReduceLogSumExp"},
    {"reduce_sum_square", "ReduceSumSquare"},
};

template <size_t N>
std::string name_in(const std::pair<const char*, const char*> (&table)[N], const std::string& type) {
  for (const auto& [ours, theirs] : table)
    if (type == ours) return theirs;
  return {};
}

Status unary(Exporter& ex) {
  ex.add(name_in(kUnary, ex.node().type), {ex.in("x")}, {}, ex.out("y"));
  return ok();
}
Status binary(Exporter& ex) {
  ex.add(name_in(kBinary, ex.node().type), {ex.in("a"), ex.in("b")}, {}, ex.out("y"));
  return ok();
}

Status reduce(Exporter& ex) {
  const std::string op = ex.node().type == "sum" ? "ReduceSum" : name_in(kReduce, ex.node().type);
  ex.reduce(op, ex.in("x"), ex.integers("axes"), ex.params().boolean("keep"), ex.out("y"));
  return ok();
}

Status alpha_function(Exporter& ex) {
  const std::string& type = ex.node().type;
  const Params& p = ex.params();
  const auto x = ex.in("x");
  if (type == "leaky_relu") ex.add("LeakyRelu", {x}, {{"alpha", p.real("negative_slope")}}, ex.out("y"));
  if (type == "elu") ex.add("Elu", {x}, {{"alpha", p.real("alpha")}}, ex.out("y"));
  if (type == "celu") ex.add("Celu", {x}, {{"alpha", p.real("alpha")}}, ex.out("y"));
  if (type == "selu") ex.add("Selu", {x}, {{"alpha", p.real("alpha")}, {"gamma", p.real("gamma")}}, ex.out("y"));
  if (type == "hard_sigmoid")
    ex.add("HardSigmoid", {x}, {{"alpha", p.real("slope")}, {"beta", p.real("offset")}}, ex.out("y"));
  if (type == "soft_shrink")
    ex.add("Shrink", {x}, {{"lambd", p.real("lambda")}, {"bias", p.real("bias")}}, ex.out("y"));
  return ok();
}

Status softplus(Exporter& ex) {
  if (ex.params().real("beta") != 1) return unsupported("ONNX has no beta.");
  ex.add("Softplus", {ex.in("x")}, {}, ex.out("y"));
  return ok();
}

/// -softplus(-x).
Status log_sigmoid(Exporter& ex) {
  ex.add("Neg", {ex.add("Softplus", {ex.add("Neg", {ex.in("x")})})}, {}, ex.out("y"));
  return ok();
}

Status threshold(Exporter& ex) {
  const DType dtype = ex.type_in("x").dtype;
  const auto is_low = ex.add("LessOrEqual", {ex.in("x"), ex.scalar(dtype, ex.params().real("threshold"))});
  ex.add("Where", {is_low, ex.scalar(dtype, ex.params().real("value")), ex.in("x")}, {}, ex.out("y"));
  return ok();
}

Status silu(Exporter& ex) {
  const auto x = ex.in("x");
  // Swish of opset 24 is the same, and ONNX Runtime 1.32 does not have it.
  ex.add("Mul", {x, ex.add("Sigmoid", {x})}, {}, ex.out("y"));
  return ok();
}

Status mish(Exporter& ex) {
  const auto x = ex.in("x");
  if (ex.opset() >= 18)
    ex.add("Mish", {x}, {}, ex.out("y"));
  else
    ex.add("Mul", {x, ex.add("Tanh", {ex.add("Softplus", {x})})}, {}, ex.out("y"));
  return ok();
}

/// x/2 · (1 + erf(x/√2)), or with tanh.
Status gelu(Exporter& ex) {
  const auto x = ex.in("x");
  if (ex.opset() >= 20) {
    ex.add("Gelu", {x}, {{"approximate", ex.params().text("approximate")}}, ex.out("y"));
    return ok();
  }
  const DType dtype = ex.type_in("x").dtype;
  const auto number = [&](double value) { return ex.scalar(dtype, value); };
  std::string inner;
  if (ex.params().text("approximate") == "tanh") {
    const auto cube = ex.add("Mul", {ex.add("Mul", {ex.add("Mul", {x, x}), x}), number(0.044715)});
    inner = ex.add("Tanh", {ex.add("Mul", {ex.add("Add", {x, cube}), number(0.7978845608028654)})});
  } else {
    inner = ex.add("Erf", {ex.add("Mul", {x, number(0.7071067811865476)})});
  }
  const auto half = ex.add("Mul", {x, number(0.5)});
  ex.add("Mul", {half, ex.add("Add", {inner, number(1)})}, {}, ex.out("y"));
  return ok();
}

Status clipped(Exporter& ex) {
  const DType dtype = ex.type_in("x").dtype;
  const bool six = ex.node().type == "relu6";
  const auto low = ex.scalar(dtype, six ? 0 : ex.params().real("min")),
             high = ex.scalar(dtype, six ? 6 : ex.params().real("max"));
  ex.add("Clip", {ex.in("x"), low, high}, {}, ex.out("y"));
  return ok();
}

Status pow(Exporter& ex) {
  const auto exponent =
      ex.has("exponent") ? ex.in("exponent") : ex.scalar(ex.type_in("base").dtype, ex.params().real("exponent"));
  ex.add("Pow", {ex.in("base"), exponent}, {}, ex.out("y"));
  return ok();
}

Status compared(Exporter& ex) {
  static const std::map<std::string, std::string> kNames{{"equal", "Equal"},
                                                         {"less", "Less"},
                                                         {"less_equal", "LessOrEqual"},
                                                         {"greater", "Greater"},
                                                         {"greater_equal", "GreaterOrEqual"}};
  const std::string& operation = ex.params().text("operation");
  const std::vector<std::string> both{ex.in("a"), ex.in("b")};
  if (operation == "not_equal")
    ex.add("Not", {ex.add("Equal", both)}, {}, ex.out("y"));
  else if (const auto found = kNames.find(operation); found != kNames.end())
    ex.add(found->second, both, {}, ex.out("y"));
  else
    return unsupported("ONNX has no comparison " + operation + ".");
  return ok();
}

Status logical_not(Exporter& ex) {
  ex.add("Not", {ex.in("a")}, {}, ex.out("y"));
  return ok();
}

Status where(Exporter& ex) {
  ex.add("Where", {ex.in("condition"), ex.in("a"), ex.in("b")}, {}, ex.out("y"));
  return ok();
}

double least(DType dtype) {
  if (info(dtype).is_float) return -info(dtype).max;
  return dtype == DType::u8 || dtype == DType::boolean ? 0 : -info(dtype).max - 1;
}

/// Numbers beyond the ends of `to` stop there, where ONNX wraps them, makes them infinite, or leaves open what they
/// become. Floats beyond i64 stay so: no float is its end.
Result<std::string> within(Exporter& ex, std::string x, DType from, DType to) {
  const bool is_float = info(from).is_float;
  if (from == DType::boolean || to == DType::boolean || (to == DType::i64 && is_float)) return x;
  if (!is_float && least(to) <= least(from) && info(to).max >= info(from).max) return x;
  if (is_float && info(to).is_float && info(to).max > info(from).max)
    return unsupported("it makes infinite numbers finite, which ONNX cannot say.");
  if (to == DType::i32 && is_float && from != DType::f64) {  // f32 has not all of its numbers
    x = ex.add("Cast", {x}, {{"to", number_of(DType::f64)}});
    from = DType::f64;
  }
  const double low = std::max(least(from), least(to)), high = std::min(info(from).max, info(to).max);
  return ex.add("Clip", {x, ex.scalar(from, low), ex.scalar(from, high)});
}

bool is_f8(DType dtype) {
  return info(dtype).bits == 8 && info(dtype).is_float;
}

Status cast(Exporter& ex) {
  const DType to = ex.params().dtype("to");
  if (ex.params().text("rounding") != "nearest") return unsupported("ONNX casts round to nearest alone.");
  if (const int64_t first = first_opset_of(to); first == 0 || first > ex.opset())
    return lacks(ex.opset(), "dtype " + std::string(name(to)), first);
  std::string x = ex.in("x");
  DType from = ex.type_in("x").dtype;
  const bool saturates = ex.params().boolean("saturate");
  if (is_f8(to)) {  // ONNX's table is ours: NaN or infinite beyond the end, or the end
    ex.add("Cast", {x}, {{"to", number_of(to)}, {"saturate", int64_t{saturates ? 1 : 0}}}, ex.out("y"));
    return ok();
  }
  if (!info(to).is_float || saturates) {
    if (is_f8(from) && to != DType::boolean) {  // which Clip does not take
      x = ex.add("Cast", {x}, {{"to", number_of(DType::f32)}});
      from = DType::f32;
    }
    HW_TRY(x, within(ex, x, from, to));
  }
  ex.add("Cast", {x}, {{"to", number_of(to)}}, ex.out("y"));
  return ok();
}

/// The last two axes of a value exchanged.
std::string transposed_if(Exporter& ex, const std::string& socket, bool transposes) {
  if (!transposes) return ex.in(socket);
  std::vector<int64_t> order;
  const auto rank = static_cast<int64_t>(ex.rank(socket));
  for (int64_t d = 0; d < rank; ++d) order.push_back(d < rank - 2 ? d : 2 * rank - 3 - d);
  return ex.add("Transpose", {ex.in(socket)}, {{"perm", order}});
}

Status matmul(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  const auto a = transposed_if(ex, "a", ex.params().boolean("transpose_a"));
  const auto b = transposed_if(ex, "b", ex.params().boolean("transpose_b"));
  ex.add("MatMul", {a, b}, {}, ex.out("y"));
  return ok();
}

Status einsum(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  std::vector<std::string> inputs;
  for (const std::string& socket : ex.wired_inputs()) inputs.push_back(ex.in(socket));
  ex.add("Einsum", inputs, {{"equation", ex.params().text("equation")}}, ex.out("y"));
  return ok();
}

Status softmax(Exporter& ex) {
  ex.add(ex.params().boolean("log") ? "LogSoftmax" : "Softmax", {ex.in("x")}, {{"axis", ex.axis("axis", "x")}},
         ex.out("y"));
  return ok();
}
Status log_softmax(Exporter& ex) {
  ex.add("LogSoftmax", {ex.in("x")}, {{"axis", ex.axis("axis", "x")}}, ex.out("y"));
  return ok();
}

Status argmax(Exporter& ex) {
  ex.add(ex.params().boolean("smallest") ? "ArgMin" : "ArgMax", {ex.in("x")},
         {{"axis", ex.axis("axis", "x")}, {"keepdims", int64_t{ex.params().boolean("keep") ? 1 : 0}}}, ex.out("y"));
  return ok();
}

Status cumsum(Exporter& ex) {
  Tensor at(DType::i64, {});
  *at.as<int64_t>() = ex.axis("axis", "x");
  ex.add("CumSum", {ex.in("x"), ex.initializer(std::move(at))},
         {{"exclusive", int64_t{ex.params().boolean("exclusive") ? 1 : 0}},
          {"reverse", int64_t{ex.params().boolean("reverse") ? 1 : 0}}},
         ex.out("y"));
  return ok();
}

Status constant(Exporter& ex) {
  const std::vector<int64_t> dims = ex.integers("shape");
  const double value = ex.params().real("value");
  const std::vector<double> values(static_cast<size_t>(element_count(dims)), value);
  ex.initializer(Tensor::from_f64(ex.params().dtype("dtype"), dims, values), ex.out("y"));
  return ok();
}

Status tensor_constant(Exporter& ex) {
  const std::vector<double>& values = ex.params().vector("values");
  Dims dims = ex.integers("shape");
  if (dims.empty()) dims = {static_cast<int64_t>(values.size())};
  ex.initializer(Tensor::from_f64(ex.params().dtype("dtype"), dims, values), ex.out("y"));
  return ok();
}

Status parameter(Exporter& ex) {
  ex.initializer(ex.weight_value("value"), ex.out("y"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_function_rules() {
  static const std::vector<ExportRow> rows = [] {
    std::vector<ExportRow> all;
    for (const auto& [ours, theirs] : kUnary) all.push_back({ours, unary});
    for (const auto& [ours, theirs] : kBinary) all.push_back({ours, binary});
    for (const auto& [ours, theirs] : kReduce) all.push_back({ours, reduce});
    for (const char* type : {"leaky_relu", "elu", "celu", "selu", "hard_sigmoid", "soft_shrink"})
      all.push_back({type, alpha_function});
    const ExportRow more[]{
        {"sum", reduce},
        {"softplus", softplus},
        {"log_sigmoid", log_sigmoid},
        {"threshold", threshold},
        {"silu", silu},
        {"mish", mish},
        {"gelu", gelu},
        {"relu6", clipped},
        {"clip", clipped},
        {"pow", pow},
        {"compare", compared},
        {"where", where},
        {"logical_not", logical_not},
        {"cast", cast},
        {"matmul", matmul},
        {"einsum", einsum},
        {"softmax", softmax},
        {"argmax", argmax},
        {"log_softmax", log_softmax},
        {"cumsum", cumsum},
        {"constant", constant},
        {"parameter", parameter},
        {"tensor_constant", tensor_constant},
    };
    all.insert(all.end(), std::begin(more), std::end(more));
    return all;
  }();
  return rows;
}

}  // namespace hw::interop
