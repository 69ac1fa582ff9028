#include "app/document/shown_graph.h"

namespace hw::app {

std::shared_ptr<const Group> ShownGraph::definition() const {
  if (!scope().instance) return nullptr;
  const auto found = scope().document->groups().find(*group_of(*scope().instance));
  return found == scope().document->groups().end() ? nullptr : found->second;
}

bool ShownGraph::open(const Graph& document, const std::string& path) {
  const std::string before = path_;
  place_.emplace(document, path.empty() ? path : path + "/");
  const std::string& prefix = place_->scope().prefix;
  path_ = prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1);
  return path_ != before;
}

std::optional<std::string> ShownGraph::shown_at(const std::string& path) const {
  const std::string& prefix = scope().prefix;
  if (!path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size());
}

}  // namespace hw::app
