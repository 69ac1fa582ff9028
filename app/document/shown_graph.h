// ShownGraph: which graph of a document is on the canvas: its own, or the inside of an instance of a group.
#pragma once

#include <optional>
#include <string>

#include "engine/graph/groups/scope.h"

namespace hw::app {

/// Looks into the document's graph, which must outlive it; follow() after every change. GUI thread.
class ShownGraph {
 public:
  /// "stem/block_2"; "": the document's own.
  const std::string& path() const { return path_; }
  const Scope& scope() const { return place_->scope(); }
  const Graph& graph() const { return *scope().graph; }
  /// The definition on the canvas; null: the document's own graph. Shared, so that it can be kept.
  std::shared_ptr<const Group> definition() const;

  /// The path, or that of the nearest instance around it that is there.
  static std::string nearest(const Graph& document, const std::string& path);
  /// A node of a group, or of the document ("").
  struct Place {
    std::string group, id;
  };
  /// Where the node at a path is shown; nothing: there is none.
  static std::optional<Place> node_at(const Graph& document, const std::string& path);
  /// Shows the inside of the instance that is nearest.
  void open(const Graph& document, const std::string& path);
  /// After a change of the document. Whether another graph is shown: the instance is gone.
  bool follow(const Graph& document);

  /// The path of a node that is shown, "stem/block_2/conv_1".
  std::string path_of(const std::string& node) const { return scope().prefix + node; }
  /// The node of the shown graph that a path is, or lies in; nothing: it is elsewhere.
  std::optional<std::string> shown_at(const std::string& path) const;

 private:
  std::string path_;
  std::optional<NodePlace> place_;
};

}  // namespace hw::app
