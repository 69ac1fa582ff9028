// BadValueModel: where the run, or one step of the graph as it is now, first makes an Inf or NaN, in words and numbers
// for its panel.
#pragma once

#include <QObject>
#include <QVariantList>

#include "app/models/checks/check_worker.h"
#include "engine/train/bad_value.h"

namespace hw::app {

class RunModel;

/// Follows the run's snapshots; what was found without a run is shown until the graph is another. GUI thread.
class BadValueModel : public QObject {
  Q_OBJECT
  Q_PROPERTY(bool present READ present NOTIFY changed)
  /// The run failed on a number that is not finite, and can be run again to find where it began.
  Q_PROPERTY(bool searchable READ searchable NOTIFY changed)
  Q_PROPERTY(bool searching READ searching NOTIFY changed)
  /// One step is being checked: see lookNow.
  Q_PROPERTY(bool looking READ looking NOTIFY changed)
  /// The outcome where nothing was found: that no value is bad, or why none could be checked; else "".
  Q_PROPERTY(QString lookedAt READ lookedAt NOTIFY changed)
  /// Where a search would begin: "from where it began", "from the checkpoint saved after step 500".
  Q_PROPERTY(QString from READ from NOTIFY changed)
  /// "Cast made −Inf in the backward pass of step 41".
  Q_PROPERTY(QString headline READ headline NOTIFY changed)
  /// The value: "grad(encoder.features), f16 [4096, 8], by cast".
  Q_PROPERTY(QString value READ value NOTIFY changed)
  /// "Element [17, 3] is −Inf; 12 Inf and 0 NaN of 32,768 elements".
  Q_PROPERTY(QString element READ element NOTIFY changed)
  /// Whether running the step again gave the same.
  Q_PROPERTY(QString replay READ replay NOTIFY changed)
  /// {name, type, text, more}: what the op read for this element.
  Q_PROPERTY(QVariantList inputs READ inputs NOTIFY changed)
  /// {step, from, to, text, last}: magnitudes in the last steps; from, to: places on a log axis, 0 to 1.
  Q_PROPERTY(QVariantList history READ history NOTIFY changed)
  /// The place of the dtype's largest number on that axis; above 1: beyond it.
  Q_PROPERTY(double limit READ limit NOTIFY changed)
  /// "f16 holds up to 65504".
  Q_PROPERTY(QString limitText READ limitText NOTIFY changed)

 public:
  BadValueModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);

  /// Selects the node and asks the canvas to show it.
  Q_INVOKABLE void reveal();
  /// Trains again, watching every value: RunModel::findBadValue.
  Q_INVOKABLE void search();
  /// Checks one step, or one pass where there is no Train node, with the present weights and the given inputs; nothing
  /// is trained.
  Q_INVOKABLE void lookNow();
  /// Shows the node, or searches for it.
  Q_INVOKABLE void show();

  bool present() const { return bad_ != nullptr; }
  bool searchable() const;
  bool searching() const;
  bool looking() const { return worker_.running(); }
  void cancel() { worker_.cancel(); }
  const QString& lookedAt() const { return looked_at_; }
  QString from() const;
  QString headline() const;
  QString value() const;
  QString element() const;
  QString replay() const;
  QVariantList inputs() const;
  QVariantList history() const;
  double limit() const;
  QString limitText() const;

 Q_SIGNALS:
  void changed();
  /// A bad value was found just now.
  void found();

 private:
  void look();
  void show(const std::shared_ptr<const BadValue>& now);
  void begin(const std::shared_ptr<const Checkpoint>& trained);
  double placeOf(double magnitude) const;

  Document& document_;
  RunModel& run_;
  const std::shared_ptr<Assets> assets_;
  std::shared_ptr<const BadValue> bad_, seen_;  // seen_: by lookNow
  QString looked_at_;
  double low_ = 0, high_ = 1;  // log2 of the axis' ends
  CheckWorker worker_;
};

}  // namespace hw::app
