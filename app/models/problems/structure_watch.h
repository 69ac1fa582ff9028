// StructureWatch: hints about the network's structure, worked out behind the edits.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "app/document/document.h"

namespace hw::app {

/// Checks again shortly after edits of nodes, wires and parameters, on a worker. A graph with more nodes than
/// kMostNodes gets none: `validate` reports them. GUI thread.
class StructureWatch : public QObject {
  Q_OBJECT

 public:
  static constexpr size_t kMostNodes = 4000;

  StructureWatch(Document& document, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~StructureWatch() override;

  /// The findings of structure_hints and check_parts, at nodes of the flattened graph.
  const std::vector<Diagnostic>& hints() const { return hints_; }
  bool busy() const { return working_ || lookSoon_.isActive(); }

 Q_SIGNALS:
  void hintsChanged();

 private:
  void look();
  void set(std::vector<Diagnostic> hints);
  Document& document_;
  const std::shared_ptr<Assets> assets_;
  std::vector<Diagnostic> hints_;
  QTimer lookSoon_{this};
  bool working_ = false, again_ = false;
  QThreadPool work_;
};

}  // namespace hw::app
