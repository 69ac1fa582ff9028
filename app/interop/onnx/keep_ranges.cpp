#include "app/interop/onnx/keep_ranges.h"

#include <algorithm>

namespace hw::interop {
namespace {

/// What an operator makes of its dtypes.
bool makes_other_dtype(const std::string& op) {
  constexpr std::string_view kOps[]{"ArgMax",
                                    "ArgMin",
                                    "DequantizeLinear",
                                    "Equal",
                                    "Greater",
                                    "IsInf",
                                    "GreaterOrEqual",
                                    "IsNaN",
                                    "Less",
                                    "LessOrEqual",
                                    "NonZero",
                                    "Shape",
                                    "Size",
                                    "QuantizeLinear",
                                    "Cast",
                                    "If",
                                    "Loop",
                                    "Scan",
                                    "DynamicQuantizeLinear"};
  return std::ranges::count(kOps, op) > 0;
}

bool may_leave_range(const std::string& op) {
  constexpr std::string_view kOps[]{"Abs",
                                    "Add",
                                    "BitShift",
                                    "BitwiseNot",
                                    "CumProd",
                                    "CumSum",
                                    "Div",
                                    "Gemm",
                                    "MatMul",
                                    "Mul",
                                    "Neg",
                                    "Pow",
                                    "ReduceL1",
                                    "ReduceProd",
                                    "Sub",
                                    "ReduceSum",
                                    "ReduceSumSquare",
                                    "Sum",
                                    "ScatterElements",
                                    "ScatterND"};
  return std::ranges::count(kOps, op) > 0;
}

class Ranges {
 public:
  void add(const std::string& value, int64_t number) {
    if (const OnnxDType* type = find_onnx_dtype(number); type && type->is_held_wider()) numbers_[value] = number;
  }

  std::vector<OnnxNode> kept(std::vector<OnnxNode> nodes) {
    std::vector<OnnxNode> all;
    for (OnnxNode& n : nodes) {
      const auto [number, how] = result_of(n);
      if (number != 0 && !n.outputs.empty() && !n.outputs[0].empty()) add(n.outputs[0], number);
      if (number != 0 && n.op == "Split")
        for (const std::string& output : n.outputs) add(output, number);
      if (!how || n.outputs.empty() || n.outputs[0].empty()) {
        all.push_back(std::move(n));
        continue;
      }
      OnnxNode back;
      back.name = n.name;
      back.op = how;
      back.scopes = n.scopes;
      back.outputs = {n.outputs[0]};
      back.attributes[kToNumber] = number;
      n.outputs[0] += "/before_range";
      back.inputs = {n.outputs[0]};
      if (n.op == "Cast" || n.op == "CastLike") {  // whole numbers are cut towards 0
        n.op = "Cast";
        n.inputs.resize(1);
        n.attributes["to"] = find_onnx_dtype(number)->is_whole() ? int64_t{7} : int64_t{1};
      }
      all.push_back(std::move(n));
      all.push_back(std::move(back));
    }
    return all;
  }

 private:
  struct Result {
    int64_t number = 0;         // of the dtype of output 0; 0: none that is held in a wider one
    const char* how = nullptr;  // the operator that brings it back
  };

  int64_t number_of_input(const OnnxNode& n, size_t i) const {
    const auto found = i < n.inputs.size() ? numbers_.find(n.inputs[i]) : numbers_.end();
    return found == numbers_.end() ? 0 : found->second;
  }

  Result result_of(const OnnxNode& n) const {
    if (!n.domain.empty()) return {};
    const auto whole = [](int64_t number) {
      const OnnxDType* type = find_onnx_dtype(number);
      return type && type->is_held_wider();
    };
    if (n.op == "Cast") {
      const int64_t to = n.integer("to", 0);
      return whole(to) ? Result{to, kWrap} : Result{};
    }
    if (n.op == "CastLike") {
      const int64_t to = number_of_input(n, 1);
      return {to, to != 0 ? kWrap : nullptr};
    }
    if (n.op == "QuantizeLinear") {
      const int64_t to = n.has("output_dtype") ? n.integer("output_dtype", 0) : number_of_input(n, 2);
      return whole(to) ? Result{to, kSaturate} : Result{};
    }
    if (n.op == "Constant" || n.op == "ConstantOfShape") return {n.value_number, nullptr};
    if (makes_other_dtype(n.op)) return {};
    const int64_t number = number_of_input(n, n.op == "Where" ? 1 : 0);
    return {number, number != 0 && may_leave_range(n.op) ? kWrap : nullptr};
  }

  std::map<std::string, int64_t> numbers_;
};

}  // namespace

void keep_ranges(OnnxModel& model) {
  Ranges ranges;
  for (const OnnxValue& input : model.graph.inputs) ranges.add(input.name, input.number);
  for (const auto& [name, number] : model.graph.held_wider) ranges.add(name, number);
  model.graph.nodes = ranges.kept(std::move(model.graph.nodes));
  for (OnnxFunction& function : model.functions) function.nodes = Ranges().kept(std::move(function.nodes));
}

}  // namespace hw::interop
