// GradientCheckModel: the gradients of the document's graph, or of the selected nodes, against central differences.
#pragma once

#include "app/models/checks/verdict_model.h"

namespace hw::app {

/// check_gradients at the size that the graph declares.
class GradientCheckModel : public VerdictModel {
  Q_OBJECT
  /// Only what the selected nodes read, make and hold.
  Q_PROPERTY(bool selectedOnly READ selectedOnly WRITE setSelectedOnly NOTIFY selectedOnlyChanged)

 public:
  GradientCheckModel(Document& document, std::shared_ptr<Assets> assets, QObject* parent = nullptr);

  const CheckInfo& info() const override { return kGradientCheck; }
  bool selectedOnly() const { return selected_only_; }
  void setSelectedOnly(bool on);

 Q_SIGNALS:
  void selectedOnlyChanged();

 protected:
  Work work() const override;
  /// A selection that is checked stays.
  bool selects() const override { return !selected_only_; }

 private:
  bool selected_only_ = false;
};

}  // namespace hw::app
