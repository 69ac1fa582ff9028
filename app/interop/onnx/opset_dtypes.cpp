#include "app/interop/onnx/opset_dtypes.h"

#include <algorithm>
#include <initializer_list>

#include "engine/core/codes.h"

namespace hw::interop {
namespace {

constexpr uint32_t set_of(std::initializer_list<DType> dtypes) {
  uint32_t set = 0;
  for (const DType dtype : dtypes) set |= uint32_t{1} << static_cast<int>(dtype);
  return set;
}

constexpr uint32_t kOldFloats = set_of({DType::f16, DType::f32, DType::f64});
constexpr uint32_t kFloats = kOldFloats | set_of({DType::bf16});
constexpr uint32_t kBytes = set_of({DType::i8, DType::u8});
constexpr uint32_t kIndices = set_of({DType::i32, DType::i64});
constexpr uint32_t kSums = kFloats | kIndices;
constexpr uint32_t kNumbers = kSums | kBytes;
constexpr uint32_t kSigned = kSums | set_of({DType::i8});
constexpr uint32_t kOldNumbers = kOldFloats | kIndices | kBytes;
constexpr uint32_t kBool = set_of({DType::boolean});
constexpr uint32_t kAll = kNumbers | kBool;
constexpr uint32_t kF8 = set_of({DType::f8e4m3, DType::f8e5m2});
constexpr uint32_t kScales = set_of({DType::f16, DType::bf16, DType::f32});
constexpr uint32_t kI32 = set_of({DType::i32});

/// The dtype of what an operator makes: that of an input, bool, i64, or of its attribute `to`.
enum class Makes : uint8_t { first, second, third, boolean, i64, to };

struct Row {
  const char* op;
  uint32_t first;       // dtypes of input 0
  uint32_t second = 0;  // of input 1, where it has its own; 0: it has not
  Makes makes = Makes::first;
  int64_t since = kFirstWrittenOpset;
};

constexpr Row since(int64_t opset, Row row) {
  row.since = opset;
  return row;
}

// By operator; what a newer opset changes stands behind.

constexpr Row kRows[]{
    {"Abs", kNumbers},
    {"Acos", kOldFloats},
    since(22, {"Acos", kFloats}),
    {"Acosh", kOldFloats},
    since(22, {"Acosh", kFloats}),
    {"Add", kNumbers},
    {"And", kBool},
    {"ArgMax", kNumbers, 0, Makes::i64},
    {"ArgMin", kNumbers, 0, Makes::i64},
    {"Asin", kOldFloats},
    since(22, {"Asin", kFloats}),
    {"Asinh", kOldFloats},
    since(22, {"Asinh", kFloats}),
    {"Atan", kOldFloats},
    since(22, {"Atan", kFloats}),
    {"Atanh", kOldFloats},
    since(22, {"Atanh", kFloats}),
    since(23, {"Attention", kFloats}),
    {"AveragePool", kOldFloats},
    since(22, {"AveragePool", kFloats}),
    {"BatchNormalization", kFloats},
    {"Cast", kAll, 0, Makes::to},
    since(19, {"Cast", kAll | kF8, 0, Makes::to}),
    {"Ceil", kFloats},
    {"Celu", set_of({DType::f32})},
    since(28, {"Celu", kFloats}),
    {"Clip", kNumbers},
    {"Concat", kAll},
    {"Conv", kOldFloats},
    since(22, {"Conv", kFloats}),
    {"ConvTranspose", kOldFloats},
    since(22, {"ConvTranspose", kFloats}),
    {"Cos", kOldFloats},
    since(22, {"Cos", kFloats}),
    {"Cosh", kOldFloats},
    since(22, {"Cosh", kFloats}),
    {"CumSum", kSums, kIndices},
    {"DepthToSpace", kAll},
    {"DequantizeLinear", kBytes | kI32, set_of({DType::f32}), Makes::second},
    since(19, {"DequantizeLinear", kBytes | kI32 | kF8, kScales, Makes::second}),
    {"Div", kNumbers},
    {"Dropout", kFloats, kOldFloats},
    since(22, {"Dropout", kFloats | kF8, kFloats | kF8}),
    {"Einsum", kOldNumbers},
    since(28, {"Einsum", kNumbers}),
    {"Elu", kOldFloats},
    since(22, {"Elu", kFloats}),
    {"Equal", kAll, 0, Makes::boolean},
    {"Erf", kFloats},
    {"Exp", kFloats},
    {"Expand", kAll},
    {"Flatten", kAll},
    since(21, {"Flatten", kAll | kF8}),
    {"Floor", kFloats},
    {"Gather", kAll, kIndices},
    {"GatherElements", kAll, kIndices},
    since(20, {"Gelu", kFloats}),
    {"Gemm", kSums},
    {"GlobalAveragePool", kOldFloats},
    since(22, {"GlobalAveragePool", kFloats}),
    {"Greater", kNumbers, 0, Makes::boolean},
    {"GreaterOrEqual", kNumbers, 0, Makes::boolean},
    {"GridSample", kOldNumbers | kBool, kOldFloats},
    since(22, {"GridSample", kAll, kFloats}),
    since(21, {"GroupNormalization", kFloats}),
    {"GRU", kOldFloats},
    since(22, {"GRU", kFloats}),
    {"HardSigmoid", kOldFloats},
    since(22, {"HardSigmoid", kFloats}),
    {"HardSwish", kOldFloats},
    since(22, {"HardSwish", kFloats}),
    {"Identity", kAll},
    since(19, {"Identity", kAll | kF8}),
    {"InstanceNormalization", kOldFloats},
    since(22, {"InstanceNormalization", kFloats}),
    {"IsInf", set_of({DType::f32, DType::f64}), 0, Makes::boolean},
    {"IsNaN", kFloats, 0, Makes::boolean},
    {"LayerNormalization", kFloats},
    {"LeakyRelu", kFloats},
    {"Less", kNumbers, 0, Makes::boolean},
    {"LessOrEqual", kNumbers, 0, Makes::boolean},
    {"Log", kFloats},
    {"LogSoftmax", kFloats},
    {"LRN", kFloats},
    {"LSTM", kOldFloats},
    since(22, {"LSTM", kFloats}),
    {"MatMul", kSums},
    {"Max", kNumbers},
    {"MaxPool", kOldFloats | kBytes},
    since(22, {"MaxPool", kFloats | kBytes}),
    {"Min", kNumbers},
    since(18, {"Mish", kOldFloats}),
    since(22, {"Mish", kFloats}),
    {"Mul", kNumbers},
    {"Neg", kSigned},
    {"Not", kBool},
    {"Or", kBool},
    {"Pad", kAll},
    since(21, {"Pad", kAll | kF8}),
    {"Pow", kSums},
    {"PRelu", kSums},
    {"QuantizeLinear", set_of({DType::f32, DType::i32}), set_of({DType::f32}), Makes::third},
    since(19, {"QuantizeLinear", kScales | kI32, kScales, Makes::third}),
    since(23, {"QuantizeLinear", kScales | kI32, kScales | kI32, Makes::third}),
    {"Range", set_of({DType::f32, DType::f64}) | kIndices},
    since(27, {"Range", kSums}),
    {"Reciprocal", kFloats},
    {"ReduceL1", kSums},
    {"ReduceL2", kSums},
    {"ReduceLogSumExp", kSums},
    since(28, {"ReduceLogSumExp", kFloats}),
    {"ReduceMax", kNumbers},
    since(20, {"ReduceMax", kNumbers | kBool}),
    {"ReduceMean", kSums},
    {"ReduceMin", kNumbers},
    since(20, {"ReduceMin", kNumbers | kBool}),
    {"ReduceProd", kSums},
    {"ReduceSum", kSums},
    {"ReduceSumSquare", kSums},
    {"Relu", kSigned},
    {"Reshape", kAll},
    since(19, {"Reshape", kAll | kF8}),
    {"Resize", kAll},
    since(23, {"RMSNormalization", kFloats}),
    since(23, {"RotaryEmbedding", kScales}),
    {"Round", kOldFloats},
    since(22, {"Round", kFloats}),
    {"Selu", kOldFloats},
    since(22, {"Selu", kFloats}),
    {"Shape", kAll, 0, Makes::i64},
    since(19, {"Shape", kAll | kF8, 0, Makes::i64}),
    {"Shrink", kOldNumbers},
    {"Sigmoid", kFloats},
    {"Sign", kNumbers},
    {"Sin", kOldFloats},
    since(22, {"Sin", kFloats}),
    {"Sinh", kOldFloats},
    since(22, {"Sinh", kFloats}),
    {"Slice", kAll},
    {"Softmax", kFloats},
    {"Softplus", kOldFloats},
    since(22, {"Softplus", kFloats}),
    {"Softsign", kOldFloats},
    since(22, {"Softsign", kFloats}),
    {"SpaceToDepth", kAll},
    {"Split", kAll},
    {"Sqrt", kFloats},
    {"Squeeze", kAll},
    since(21, {"Squeeze", kAll | kF8}),
    {"Sub", kNumbers},
    {"Tan", kOldFloats},
    since(22, {"Tan", kFloats}),
    {"Tanh", kFloats},
    {"Tile", kAll},
    {"TopK", kOldNumbers},
    since(24, {"TopK", kNumbers}),
    {"Transpose", kAll},
    since(21, {"Transpose", kAll | kF8}),
    {"Trilu", kAll},
    {"Unsqueeze", kAll},
    since(21, {"Unsqueeze", kAll | kF8}),
    {"Where", kBool, kAll, Makes::second},
    {"Xor", kBool},
};

bool has(uint32_t set, DType dtype) {
  return (set >> static_cast<int>(dtype) & 1) != 0;
}

}  // namespace

int64_t ir_version_of(int64_t opset) {
  constexpr int64_t kVersions[]{8, 8, 9, 9, 10, 10, 11, 12, 13, 13, 13, 14};
  static_assert(std::size(kVersions) == kLastOpset - kFirstWrittenOpset + 1);
  return kVersions[std::clamp(opset, kFirstWrittenOpset, kLastOpset) - kFirstWrittenOpset];
}

int64_t first_opset_of(DType dtype) {
  if (number_of(dtype) == 0) return 0;
  return has(kF8, dtype) ? 19 : kFirstWrittenOpset;
}

Error lacks(int64_t opset, const std::string& what, int64_t first) {
  const std::string reason = "opset " + std::to_string(opset) + " has no " + what;
  if (first == 0) return unsupported(reason + ".");
  return {codes::unsupported, "", reason + "; opset " + std::to_string(first) + " has.",
          "Choose opset " + std::to_string(first) + " or newer (on the command line: --opset " + std::to_string(first) +
              ")."};
}

Status OpsetDtypes::add(const OnnxNode& n, const OnnxGraph& graph) {
  const Row* row = nullptr;
  const auto first_that = [&](const auto& fits) {
    const auto found = std::ranges::find_if(kRows, [&](const Row& r) { return n.op == r.op && fits(r); });
    return found == std::end(kRows) ? int64_t{0} : found->since;
  };
  for (const Row& r : kRows)
    if (n.op == r.op && r.since <= opset_) row = &r;
  if (!row) return lacks(opset_, n.op, first_that([](const Row&) { return true; }));
  const auto dtype_in = [&](size_t i) -> std::optional<DType> {
    if (i >= n.inputs.size()) return std::nullopt;
    if (const auto found = graph.initializers.find(n.inputs[i]); found != graph.initializers.end())
      return found->second.dtype();
    const auto found = dtypes_.find(n.inputs[i]);
    return found == dtypes_.end() ? std::nullopt : std::optional(found->second);
  };
  const std::optional<DType> dtypes[]{dtype_in(0), dtype_in(1), dtype_in(2)};
  for (const size_t i : {0, 1}) {
    const uint32_t taken = i == 0 ? row->first : row->second;
    if (taken == 0 || !dtypes[i] || has(taken, *dtypes[i])) continue;
    const auto fits = [&](const Row& r) { return r.since > opset_ && has(i == 0 ? r.first : r.second, *dtypes[i]); };
    return lacks(opset_, n.op + " of " + std::string(name(*dtypes[i])), first_that(fits));
  }
  std::optional<DType> made;
  if (row->makes <= Makes::third) made = dtypes[static_cast<size_t>(row->makes)];
  if (row->makes == Makes::boolean) made = DType::boolean;
  if (row->makes == Makes::i64) made = DType::i64;
  if (row->makes == Makes::to) made = dtype_of(n.integer("to", 0));
  for (size_t i = 0; made && i < n.outputs.size(); ++i)
    dtypes_[n.outputs[i]] = n.op == "TopK" && i == 1 ? DType::i64 : *made;
  return ok();
}

}  // namespace hw::interop
