// FieldModel: what the viewport draws: the mesh and the field of the document's Viewport node, with the newest weights.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include "app/document/document.h"
#include "app/models/weighted_field.h"

namespace hw::app {

class RunModel;

/// Meshes are loaded and fields lowered on a worker thread; the newest request wins. New weights are shown at most ten
/// times a second. GUI thread.
class FieldModel : public QObject {
  Q_OBJECT
  /// Why there is nothing to draw, and what to do; "" when there is.
  Q_PROPERTY(QString hint READ hint NOTIFY hintChanged)
  Q_PROPERTY(bool busy READ busy NOTIFY hintChanged)
  /// The id of the node that is shown; "" when the graph has none.
  Q_PROPERTY(QString viewer READ viewer NOTIFY hintChanged)

 public:
  FieldModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~FieldModel() override;

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  /// Null: the viewer has no field, or one that cannot be drawn.
  const std::shared_ptr<const ColorField>& field() const { return field_; }
  const QString& hint() const { return hint_; }
  bool busy() const { return building_; }
  const QString& viewer() const { return viewer_; }
  /// Nobody looks: keeps still until someone does.
  void setWatched(bool on);
  /// Reads the mesh again: its file has changed.
  void reload();

 Q_SIGNALS:
  void meshChanged();
  void fieldChanged();
  void hintChanged();

 private:
  struct Request;
  struct Built;
  void rebuild();
  void accept(const std::shared_ptr<Built>& built);
  void renewField();

  Document& document_;
  RunModel& run_;
  std::shared_ptr<Assets> assets_;
  QTimer rebuildSoon_, weightsSoon_;
  QString viewer_, hint_;
  std::shared_ptr<const Mesh> mesh_;
  std::shared_ptr<const ColorField> field_;
  std::shared_ptr<WeightedField> evaluator_;
  uint64_t seed_ = 0;
  int generation_ = 0;
  bool building_ = false, stale_ = true, watched_ = false;
  QThreadPool work_;
};

}  // namespace hw::app
