#include "app/document/node_title.h"

#include <algorithm>

#include "app/document/text.h"

namespace hw::app {
namespace {

/// The path of the group that a node is in, with its last slash; "" of a node in none.
std::string_view group_path(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

QString node_title(const Graph& flat, const std::string& path) {
  const Node* node = flat.find(path);
  if (!node) return to_q(path);
  const std::string_view group = group_path(path);
  const std::string name = display_name(*node);
  const bool shared = std::any_of(flat.nodes().begin(), flat.nodes().end(), [&](const auto& entry) {
    return entry.first != path && group_path(entry.first) == group && display_name(entry.second) == name;
  });
  const QString title = to_q(group) + to_q(name);
  return shared ? QStringLiteral("%1 (%2)").arg(title, to_q(path.substr(group.size()))) : title;
}

}  // namespace hw::app
