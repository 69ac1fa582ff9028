// PlotModel: what the document's Plot View shows: the lines of its wires, with the newest weights.
#pragma once

#include <QVariantList>

#include "app/models/watched/watched_view.h"
#include "engine/field/plot.h"

namespace hw::app {

/// GUI thread.
class PlotModel : public WatchedView {
  Q_OBJECT
  Q_PROPERTY(bool empty READ empty NOTIFY contentChanged)
  /// {input (0: a … 3: d), text} of what is drawn: "MLP", "Rows · y (16 of 200)".
  Q_PROPERTY(QVariantList legend READ legend NOTIFY contentChanged)
  /// They are of training mode, see Evaluation.
  Q_PROPERTY(bool training READ training NOTIFY contentChanged)

 public:
  using Lines = std::shared_ptr<const std::vector<PlotLine>>;
  PlotModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~PlotModel() override;

  bool empty() const { return !lines_ || lines_->empty(); }
  QVariantList legend() const;
  bool training() const { return training_; }
  /// Null while nothing was drawn.
  const Lines& lines() const { return lines_; }

 protected:
  Plan plan() override;
  bool shows(const Node& node) const override;
  void draw() override;

 private:
  struct Built;
  void accept(std::shared_ptr<const Built> built);

  Lines lines_;
  bool training_ = false;
  std::shared_ptr<const Built> built_;
};

}  // namespace hw::app
