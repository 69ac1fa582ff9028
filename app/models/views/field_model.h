// FieldModel: what the viewport draws: the mesh and the field of the document's Viewport node, with the newest weights.
#pragma once

#include "app/models/views/weighted_field.h"
#include "app/models/views/weighted_shader.h"
#include "app/models/watched/watched_view.h"

namespace hw::app {

/// GUI thread.
class FieldModel : public WatchedView {
  Q_OBJECT
  /// The device that draws is to compute the field, so that a shader is made of it.
  Q_PROPERTY(bool shader READ shader WRITE setShader)
  /// Why no shader can be made of the field; "" where one can, or none is wanted.
  Q_PROPERTY(QString shaderProblem READ shaderProblem NOTIFY fieldChanged)

 public:
  FieldModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~FieldModel() override;

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  /// Null: the viewer has no field, or one that cannot be drawn.
  const std::shared_ptr<const ColorField>& field() const { return field_; }
  /// The same for the device that draws. Null: none is wanted, or none can be made.
  const std::shared_ptr<const GpuField>& gpuField() const { return gpu_field_; }
  bool shader() const { return shader_; }
  void setShader(bool on);
  QString shaderProblem() const { return shader_problem_; }

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
  std::shared_ptr<const GpuField> gpu_field_;
  std::shared_ptr<WeightedField> evaluator_;
  std::shared_ptr<WeightedShader> weighted_shader_;
  QString shader_problem_;
  bool shader_ = false;
};

}  // namespace hw::app
