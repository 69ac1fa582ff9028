#include "app/interop/onnx/rules.h"

#include <map>

namespace hw::interop {

Rule find_rule(const std::string& op) {
  static const std::map<std::string, Rule> all = [] {
    std::map<std::string, Rule> rules;
    for (const auto table : {unary_rules(), binary_rules(), reduce_rules(), shape_rules(), index_rules(), layer_rules(),
                             pool_rules(), loss_rules()})
      for (const RuleRow& row : table) rules.emplace(row.op, row.rule);
    return rules;
  }();
  const auto found = all.find(op);
  return found == all.end() ? nullptr : found->second;
}

}  // namespace hw::interop
