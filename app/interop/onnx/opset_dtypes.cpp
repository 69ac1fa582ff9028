#include "app/interop/onnx/opset_dtypes.h"

#include <algorithm>
#include <initializer_list>

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

/// The dtype of what an operator makes: that of an input, bool, i64, or of its attribute `to`.
enum class Makes : uint8_t { first, second, third, boolean, i64, to };

struct Row {
  const char* op;
  uint32_t first;       // dtypes of input 0
  uint32_t second = 0;  // of input 1, where it has its own; 0: it has not
  Makes makes = Makes::first;
};

constexpr Row kRows[]{
    {"Abs", kNumbers},
    {"Acos", kOldFloats},
    {"Acosh", kOldFloats},
    {"Add", kNumbers},
    {"And", kBool},
    {"ArgMax", kNumbers, 0, Makes::i64},
    {"ArgMin", kNumbers, 0, Makes::i64},
    {"Asin", kOldFloats},
    {"Asinh", kOldFloats},
    {"Atan", kOldFloats},
    {"Atanh", kOldFloats},
    {"AveragePool", kOldFloats},
    {"BatchNormalization", kFloats},
    {"Cast", kAll, 0, Makes::to},
    {"Ceil", kFloats},
    {"Celu", set_of({DType::f32})},
    {"Clip", kNumbers},
    {"Concat", kAll},
    {"Conv", kOldFloats},
    {"ConvTranspose", kOldFloats},
    {"Cos", kOldFloats},
    {"Cosh", kOldFloats},
    {"CumSum", kSums, kIndices},
    {"DepthToSpace", kAll},
    {"DequantizeLinear", kBytes | set_of({DType::i32}), set_of({DType::f32}), Makes::second},
    {"Div", kNumbers},
    {"Dropout", kFloats, kOldFloats},
    {"Einsum", kOldNumbers},
    {"Elu", kOldFloats},
    {"Equal", kAll, 0, Makes::boolean},
    {"Erf", kFloats},
    {"Exp", kFloats},
    {"Expand", kAll},
    {"Flatten", kAll},
    {"Floor", kFloats},
    {"Gather", kAll, kIndices},
    {"GatherElements", kAll, kIndices},
    {"Gemm", kSums},
    {"GlobalAveragePool", kOldFloats},
    {"GRU", kOldFloats},
    {"Greater", kNumbers, 0, Makes::boolean},
    {"GreaterOrEqual", kNumbers, 0, Makes::boolean},
    {"GridSample", kOldNumbers | kBool, kOldFloats},
    {"HardSigmoid", kOldFloats},
    {"HardSwish", kOldFloats},
    {"Identity", kAll},
    {"InstanceNormalization", kOldFloats},
    {"LRN", kFloats},
    {"LSTM", kOldFloats},
    {"LayerNormalization", kFloats},
    {"LeakyRelu", kFloats},
    {"Less", kNumbers, 0, Makes::boolean},
    {"LessOrEqual", kNumbers, 0, Makes::boolean},
    {"Log", kFloats},
    {"LogSoftmax", kFloats},
    {"MatMul", kSums},
    {"Max", kNumbers},
    {"MaxPool", kOldFloats | kBytes},
    {"Min", kNumbers},
    {"Mul", kNumbers},
    {"Neg", kSigned},
    {"Not", kBool},
    {"Or", kBool},
    {"Pad", kAll},
    {"Pow", kSums},
    {"QuantizeLinear", set_of({DType::f32, DType::i32}), set_of({DType::f32}), Makes::third},
    {"Reciprocal", kFloats},
    {"ReduceL1", kSums},
    {"ReduceL2", kSums},
    {"ReduceLogSumExp", kSums},
    {"ReduceMax", kNumbers},
    {"ReduceMean", kSums},
    {"ReduceMin", kNumbers},
    {"ReduceProd", kSums},
    {"ReduceSum", kSums},
    {"ReduceSumSquare", kSums},
    {"Relu", kSigned},
    {"Reshape", kAll},
    {"Resize", kAll},
    {"Round", kOldFloats},
    {"Selu", kOldFloats},
    {"Shrink", kOldNumbers},
    {"Sigmoid", kFloats},
    {"Sign", kNumbers},
    {"Sin", kOldFloats},
    {"Sinh", kOldFloats},
    {"Slice", kAll},
    {"Softmax", kFloats},
    {"Softplus", kOldFloats},
    {"Softsign", kOldFloats},
    {"SpaceToDepth", kAll},
    {"Split", kAll},
    {"Sqrt", kFloats},
    {"Squeeze", kAll},
    {"Sub", kNumbers},
    {"Tan", kOldFloats},
    {"Tanh", kFloats},
    {"Tile", kAll},
    {"TopK", kOldNumbers},
    {"Transpose", kAll},
    {"Trilu", kAll},
    {"Unsqueeze", kAll},
    {"Where", kBool, kAll, Makes::second},
    {"Xor", kBool},
};

bool has(uint32_t set, DType dtype) {
  return (set >> static_cast<int>(dtype) & 1) != 0;
}

}  // namespace

Status OpsetDtypes::add(const OnnxNode& n, const OnnxGraph& graph) {
  const auto row = std::ranges::find_if(kRows, [&](const Row& r) { return n.op == r.op; });
  if (row == std::end(kRows)) return ok();
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
    if (taken != 0 && dtypes[i] && !has(taken, *dtypes[i]))
      return unsupported("opset 17 has no " + n.op + " of " + std::string(name(*dtypes[i])) + ".");
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
