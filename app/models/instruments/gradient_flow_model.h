// GradientFlowModel: how large the gradients, or the updates, of a run's nodes were: a curve and a line of a legend
// each.
#pragma once

#include <QAbstractListModel>
#include <QStringList>

#include "app/document/document.h"
#include "app/models/run/run_model.h"
#include "engine/instrument/instruments.h"

namespace hw::app {

/// One node's curve over the steps of GradientFlowModel::steps().
struct GradientCurve {
  QString node, title, latest;
  int number = 0;         // of its colour and dashes: the same for gradients and updates
  bool active = false;    // the document's active node
  bool sampled = false;   // estimates: of some of its values a sample was measured
  std::vector<double> y;  // NaN: not known, 0, not finite, or in a gap
};

/// Where curves have points: the measured steps, from 1, and one in the middle of every gap between them.
struct GradientPoints {
  std::vector<double> steps;  // ascending
  std::vector<QString> gaps;  // by step: "" at looks; else the gap's ends, and why it is there
};
GradientPoints points_of(const GradientHistory& history);

/// Rows: the nodes in the order of the forward pass. Follows a run's readings, which change at most five times a
/// second; works only while it is watched, but for the verdicts. GUI thread; bounded by kMostCurves times the history's
/// looks.
class GradientFlowModel : public QAbstractListModel {
  Q_OBJECT
  /// Whether curves are shown.
  Q_PROPERTY(bool watching READ watching WRITE setWatching NOTIFY watchingChanged)
  /// Updates over weights, instead of gradients.
  Q_PROPERTY(bool updates READ updates WRITE setUpdates NOTIFY watchingChanged)
  Q_PROPERTY(bool empty READ empty NOTIFY curvesChanged)
  /// "48 of 212 nodes"; "" where all are shown.
  Q_PROPERTY(QString left READ left NOTIFY curvesChanged)
  /// What is wrong along the gradients' paths, the worst first; and for each the node to show.
  Q_PROPERTY(QStringList verdicts READ verdicts NOTIFY verdictsChanged)
  Q_PROPERTY(QStringList verdictNodes READ verdictNodes NOTIFY verdictsChanged)

 public:
  enum Role { NodeRole = Qt::UserRole + 1, TitleRole, LatestRole, NumberRole, ActiveRole };
  static constexpr size_t kMostCurves = 48;

  GradientFlowModel(Document& document, RunModel& run, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  bool watching() const { return watching_; }
  void setWatching(bool on);
  bool updates() const { return updates_; }
  void setUpdates(bool on);
  bool empty() const { return curves_.empty(); }
  QString left() const;
  const QStringList& verdicts() const { return verdicts_; }
  const QStringList& verdictNodes() const { return verdictNodes_; }
  /// Selects the node and asks the canvas to show it.
  Q_INVOKABLE void reveal(const QString& node);

  const std::vector<GradientCurve>& curves() const { return curves_; }
  const GradientPoints& points() const { return points_; }

 Q_SIGNALS:
  void watchingChanged();
  void curvesChanged();
  void verdictsChanged();

 private:
  void take();
  void build();
  void update_active();
  std::vector<size_t> shown(const GradientHistory& history);

  Document& document_;
  RunModel& run_;
  std::shared_ptr<const InstrumentReadings> readings_;
  std::vector<GradientCurve> curves_;
  GradientPoints points_;
  QStringList verdicts_, verdictNodes_;
  size_t nodes_ = 0;  // with curves, shown or not
  bool watching_ = false, updates_ = false;
};

}  // namespace hw::app
