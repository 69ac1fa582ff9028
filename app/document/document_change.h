// DocumentChange: what edits change in the graph on the canvas, for the document's signals.
#pragma once

#include <set>

#include "app/document/shown_graph.h"
#include "engine/graph/edit.h"

namespace hw::app {

/// Begun before the edits are applied, ended after; then it holds what the signals report.
class DocumentChange {
 public:
  DocumentChange(const Graph& document, const ShownGraph& shown, const Edits& edits);
  /// The same graph is shown as before.
  void end(const ShownGraph& shown);

  std::set<std::string> removed, added, changed;  // nodes of the shown graph; another in place of one is in both
  std::set<std::string> wired;                    // at the ends of wires that came or went
  bool structure = false;                         // something that a run depends on changed
  bool policy = false;
  bool frames = false;
  bool was_empty = true;  // the document
  // Filled in when the views have followed the change:
  std::set<std::string> validated;  // nodes of the shown graph with other wire types or diagnostics
  bool elsewhere = false;           // another graph is shown now

 private:
  void visit_document(const Graph& document, const Edits& edits);
  void visit_group(const ShownGraph& shown, const Edits& edits);
  std::set<std::string> mentioned_, existed_;  // ids that edits add or remove, and those of them that were there
  std::shared_ptr<const Group> before_;        // the definition that is shown
};

}  // namespace hw::app
