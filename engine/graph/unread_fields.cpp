#include "engine/graph/unread_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hw {
namespace {

using nlohmann::json;

constexpr char kParams[] = "params";

json fields_of(const std::string& extra) {
  json fields = extra.empty() ? json::object() : json::parse(extra, nullptr, false);
  return fields.is_object() ? fields : json::object();
}

}  // namespace

std::map<std::string, std::string> unread_params(const Node& node) {
  std::map<std::string, std::string> found;
  if (node.extra.empty()) return found;
  const json fields = fields_of(node.extra);
  const auto params = fields.find(kParams);
  if (params == fields.end() || !params->is_object()) return found;
  for (const auto& [name, value] : params->items())
    found.emplace(name, value.dump(-1, ' ', false, json::error_handler_t::replace));
  return found;
}

void drop_unread_param(Node& node, const std::string& param) {
  if (node.extra.empty()) return;
  json fields = fields_of(node.extra);
  const auto params = fields.find(kParams);
  if (params == fields.end() || !params->is_object() || params->erase(param) == 0) return;
  if (params->empty()) fields.erase(params);
  node.extra = fields.empty() ? "" : fields.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> unread_fields(const std::string& extra, std::span<const std::string> known) {
  std::vector<std::string> names;
  if (extra.empty()) return names;
  const json fields = fields_of(extra);
  for (const auto& [name, value] : fields.items())
    if (std::ranges::find(known, name) == known.end()) names.push_back(name);
  return names;
}

std::span<const std::string> node_fields() {
  static const std::vector<std::string> fields{"id",      "type",   "at",  "label",  "name",   "collapsed", "bypassed",
                                               "preview", "frozen", "tie", "device", "params", "weights"};
  return fields;
}

}  // namespace hw
