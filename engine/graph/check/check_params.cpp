#include "engine/graph/check/check_params.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/graph/check/check_fields.h"
#include "engine/graph/unread_fields.h"

namespace hw {
namespace {

Diagnostic on(const Node& node, const char* code, const std::string& place, std::string reason) {
  Diagnostic d;
  d.code = code;
  d.node = node.id;
  d.socket = place;
  d.reason = std::move(reason);
  return d;
}

Diagnostic bad_param(const Node& node, const ParamDecl& decl, const std::string& reason, const std::string& got) {
  Diagnostic d = on(node, codes::bad_parameter, decl.id, decl.label + ": " + reason);
  d.got = got;
  const std::string standard = decl.default_means.empty() ? to_string(decl.value) : decl.default_means;
  const bool in_group = node.id.find('/') != node.id.npos;  // there the group may have a value of its own
  d.remedies.push_back({in_group ? "Reset it" : "Reset to " + standard, {SetParam{node.id, decl.id, std::nullopt}}});
  return d;
}

/// The kind of a JSON value that no parameter can have.
std::string kind_text(const std::string& json) {
  return json.starts_with('[')   ? "such a list"
         : json.starts_with('{') ? "an object"
         : json == "null"        ? json
                                 : "so large";
}

/// `text`: the value; a near parameter that takes it may be what was meant.
Diagnostic unknown_param(const Node& node, const NodeDecl& decl, const std::string& id, const std::string& text) {
  std::vector<std::string> names;
  for (const ParamDecl& param : decl.params()) names.push_back(param.id);
  const std::vector<std::string> near = nearest_names(id, names, kMostNamed);
  Diagnostic d =
      on(node, codes::unknown_parameter, id, decl.title() + " has no parameter \"" + id + "\"." + nearest_text(near));
  d.got = text;
  const Edit without = SetParam{node.id, id, std::nullopt};
  for (const std::string& name : near) {
    const auto value = parse_param(*decl.find_param(name), text);
    if (value && !node.params.contains(name))
      d.remedies.push_back({"Rename it to " + name, {without, SetParam{node.id, name, *value}}});
  }
  d.remedies.push_back({"Remove it", {without}});
  return d;
}

}  // namespace

std::string nearest_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? " Nearest: " : ", ") + name;
  return text.empty() ? text : text + ".";
}

std::vector<Diagnostic> check_params(const Node& node, const NodeDecl& decl) {
  std::vector<Diagnostic> found;
  for (const auto& [id, value] : node.params) {
    const ParamDecl* param = decl.find_param(id);
    if (!param) {
      found.push_back(unknown_param(node, decl, id, to_string(value)));
      continue;
    }
    if (const auto checked = check_param(*param, value); !checked)
      found.push_back(bad_param(node, *param, checked.error().reason, to_string(value)));
  }
  for (const auto& [id, text] : unread_params(node)) {
    const ParamDecl* param = decl.find_param(id);
    found.push_back(param ? bad_param(node, *param, "its value cannot be " + kind_text(text) + ".", text)
                          : unknown_param(node, decl, id, text));
  }
  std::ranges::move(check_fields(node), std::back_inserter(found));
  return found;
}

}  // namespace hw
