#include "app/interop/onnx/steps.h"

#include <algorithm>

#include "app/interop/onnx/rules.h"

namespace hw::interop {

Steps::Steps(const Importer& im, const OnnxNode& n) : of_(n) {
  for (const std::string& output : n.outputs)
    if (prefix_.empty() && !output.empty()) prefix_ = im.own_name(output + "/");
}

std::string Steps::add(const std::string& op, std::vector<std::string> inputs, Attributes attributes) {
  return add_many(op, std::move(inputs), std::move(attributes), 1).front();
}

std::vector<std::string> Steps::add_many(const std::string& op, std::vector<std::string> inputs, Attributes attributes,
                                         size_t outputs) {
  OnnxNode step;
  step.name = of_.name.empty() ? "" : of_.name + "/" + op;
  step.op = op;
  step.scopes = of_.scopes;
  step.inputs = std::move(inputs);
  step.attributes = std::move(attributes);
  for (size_t i = 0; i < outputs; ++i)
    step.outputs.push_back(prefix_ + std::to_string(nodes_.size()) + (i == 0 ? "" : "." + std::to_string(i)));
  nodes_.push_back(std::move(step));
  return nodes_.back().outputs;
}

std::string Steps::constant(Tensor value) {
  return add("Constant", {}, {{"value", std::move(value)}});
}

std::string Steps::integers(const std::vector<int64_t>& values) {
  return constant(integers_of(values));
}

std::string Steps::number(double value, const std::string& like) {
  return add("CastLike", {constant(Tensor::from_f64(DType::f32, {}, std::vector<double>{value})), like});
}

std::string Steps::cast(const std::string& value, DType to) {
  return add("Cast", {value}, {{"to", number_of(to)}});
}

std::string Steps::reshape(const std::string& value, const std::vector<int64_t>& sizes) {
  return add("Reshape", {value, integers(sizes)});
}

std::string Steps::unsqueeze(const std::string& value, int64_t axis) {
  return add("Unsqueeze", {value, integers({axis})});
}

void Steps::give(size_t i, const std::string& value) {
  if (i >= of_.outputs.size() || of_.outputs[i].empty()) return;
  add("Identity", {value});
  nodes_.back().outputs = {of_.outputs[i]};
}

std::string input(const OnnxNode& n, size_t i) {
  return i < n.inputs.size() ? n.inputs[i] : "";
}

Result<Dims> fixed_dims(Importer& im, const OnnxNode& n, size_t i) {
  HW_TRY(Dims dims, im.open_dims(n, i));
  if (std::ranges::count(dims, -1) > 0)
    return unsupported("a size of its input " + std::to_string(i) + " is symbolic.");
  return dims;
}

Result<DType> dtype_of_input(Importer& im, const OnnxNode& n, size_t i) {
  if (const Tensor* value = im.constant(n, i)) return value->dtype();
  HW_TRY(const Wire x, im.in(n, i));
  HW_TRY(const WireType type, im.type(x));
  return type.dtype;
}

StepsRule find_steps(const std::string& domain, const std::string& op) {
  static const std::map<std::pair<std::string, std::string>, StepsRule> all = [] {
    std::map<std::pair<std::string, std::string>, StepsRule> rules;
    for (const auto table : {quantized_steps(), fused_steps(), attention_steps(), recurrent_steps(), scatter_steps(),
                             roi_steps(), bitwise_steps(), dft_steps(), small_steps()})
      for (const StepsRow& row : table) rules.emplace(std::pair(row.domain, row.op), row.rule);
    return rules;
  }();
  const auto found = all.find({domain, op});
  return found == all.end() ? nullptr : found->second;
}

}  // namespace hw::interop
