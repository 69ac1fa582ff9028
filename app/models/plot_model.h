// PlotModel: what the document's Plot View shows: the lines of its wires, with the newest weights.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <QVariantList>
#include <atomic>

#include "app/document/document.h"
#include "engine/run/plot.h"

namespace hw::app {

class RunModel;

/// Wires are lowered and evaluated on a worker thread; the newest request wins. New weights are drawn at most ten times
/// a second. GUI thread.
class PlotModel : public QObject {
  Q_OBJECT
  /// Why there is nothing to draw, or not all, and what to do; "" when there is.
  Q_PROPERTY(QString hint READ hint NOTIFY hintChanged)
  Q_PROPERTY(bool busy READ busy NOTIFY hintChanged)
  Q_PROPERTY(bool empty READ empty NOTIFY linesChanged)
  /// {input (0: a … 3: d), text} of what is drawn: "MLP", "Rows · y (16 of 200)".
  Q_PROPERTY(QVariantList legend READ legend NOTIFY linesChanged)
  /// The name of the wire along the horizontal axis; "" where points are counted.
  Q_PROPERTY(QString along READ along NOTIFY linesChanged)

 public:
  using Lines = std::shared_ptr<const std::vector<PlotLine>>;
  PlotModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~PlotModel() override;

  const QString& hint() const { return hint_; }
  bool busy() const { return building_; }
  bool empty() const { return !lines_ || lines_->empty(); }
  QVariantList legend() const;
  QString along() const;
  /// Null while nothing was drawn.
  const Lines& lines() const { return lines_; }
  /// Nobody looks: keeps still until someone does.
  void setWatched(bool on);
  /// Reads the files behind the wires again: one has changed.
  void reload();

 Q_SIGNALS:
  void hintChanged();
  void linesChanged();

 private:
  struct Built;
  void rebuild();
  void accept(const std::shared_ptr<Built>& built);
  void draw();
  void show(int generation, const Result<std::vector<PlotLine>>& drawn);
  void setHint(const QString& hint);

  Document& document_;
  RunModel& run_;
  std::shared_ptr<Assets> assets_;
  QTimer rebuildSoon_, drawSoon_;
  QString viewer_, hint_;
  Lines lines_;
  std::shared_ptr<const Built> built_;
  int generation_ = 0;
  bool building_ = false, stale_ = true, watched_ = false, drawing_ = false, newer_ = false;
  std::atomic<bool> cancel_{false};  // what is drawn is not wanted any more
  QThreadPool work_;
};

}  // namespace hw::app
