#include "app/document/shown_graph.h"

namespace hw::app {

std::shared_ptr<const Group> ShownGraph::definition() const {
  if (!scope().instance) return nullptr;
  const auto found = scope().document->groups().find(*group_of(*scope().instance));
  return found == scope().document->groups().end() ? nullptr : found->second;
}

namespace {

/// "stem/" of "stem": a place in it.
std::string within(const std::string& path) {
  return path.empty() ? path : path + "/";
}

std::string without_slash(const std::string& prefix) {
  return prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1);
}

}  // namespace

std::string ShownGraph::nearest(const Graph& document, const std::string& path) {
  return without_slash(NodePlace(document, within(path)).scope().prefix);
}

std::optional<ShownGraph::Place> ShownGraph::node_at(const Graph& document, const std::string& path) {
  const NodePlace place(document, path);
  if (!place.node) return std::nullopt;
  return Place{without_slash(place.scope().prefix), place.node->id};
}

void ShownGraph::open(const Graph& document, const std::string& path) {
  place_.emplace(document, within(path));
  path_ = without_slash(scope().prefix);
}

bool ShownGraph::follow(const Graph& document) {
  const std::string before = path_;
  open(document, before);
  return path_ != before;
}

std::optional<std::string> ShownGraph::shown_at(const std::string& path) const {
  const std::string& prefix = scope().prefix;
  if (!path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size());
}

}  // namespace hw::app
