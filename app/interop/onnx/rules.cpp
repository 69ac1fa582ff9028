#include "app/interop/onnx/rules.h"

#include <algorithm>
#include <map>

namespace hw::interop {

Tensor integers_of(const std::vector<int64_t>& values) {
  Tensor made(DType::i64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), made.as<int64_t>());
  return made;
}

Rule find_rule(const std::string& op) {
  static const std::map<std::string, Rule> all = [] {
    std::map<std::string, Rule> rules;
    for (const auto table : {unary_rules(), binary_rules(), reduce_rules(), constant_rules(), shape_rules(),
                             index_rules(), layer_rules(), pool_rules(), loss_rules(), attention_rules()})
      for (const RuleRow& row : table) rules.emplace(row.op, row.rule);
    return rules;
  }();
  const auto found = all.find(op);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace hw::interop
