// FieldModel: what the viewport draws: the mesh and the field of the document's Viewport node, with the newest weights.
#pragma once

#include "app/models/views/weighted_field.h"
#include "app/models/watched/watched_view.h"

namespace hw::app {

/// GUI thread.
class FieldModel : public WatchedView {
  Q_OBJECT

 public:
  FieldModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~FieldModel() override;

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  /// Null: the viewer has no field, or one that cannot be drawn.
  const std::shared_ptr<const ColorField>& field() const { return field_; }

 Q_SIGNALS:
  void meshChanged();
  void fieldChanged();

 protected:
  Plan plan() override;
  bool shows(const Node& node) const override;
  void draw() override;

 private:
  struct Built;
  void accept(const Built& built);
  std::shared_ptr<const Mesh> mesh_;
  std::shared_ptr<const ColorField> field_;
  std::shared_ptr<WeightedField> evaluator_;
};

}  // namespace hw::app
