// WireSet: every wire of the graph as it is drawn and hit, kept up to date as nodes move.
#pragma once

#include <QColor>
#include <QHash>
#include <QObject>
#include <QPointer>
#include <QVariantMap>

#include "app/canvas/rect_grid.h"
#include "app/models/cards/wire_curve.h"
#include "app/models/graph/graph_model.h"

namespace hw::app {

struct Wire {
  Link link;
  bool gone = false;  // a free place
  WireCurve curve;
  QRgb from = 0, to = 0;  // colours at the ends
  bool wrong = false;
  bool selected = false;
  bool field = false;
  bool faded = false;  // an end is bypassed
  bool bad = false;    // the heat map marks it: Inf or NaN
};

/// GUI thread. A wire keeps its index until it goes; the index may then be another wire's.
class WireSet : public QObject {
  Q_OBJECT
 public:
  explicit WireSet(QObject* parent = nullptr) : QObject(parent) {}

  void setGraph(GraphModel* graph);
  /// Theme tokens to colours; "error" among them.
  void setColours(const QVariantMap& colours);
  const std::vector<Wire>& wires() const { return wires_; }
  QColor colour(const QString& token) const;
  /// A colour of a heat map: from `heatLow` (0) over `heatMid` (0.5) to `heatHigh` (1).
  QColor heatColour(double heat) const;

  /// The nearest wire within `reach` canvas units, or −1.
  int at(QPointF p, double reach) const;
  /// The wires that this line crosses, and where.
  std::vector<CrossedLink> crossing(QPointF p, QPointF q) const;
  /// Wires whose bounds meet the area.
  std::vector<int> in(const QRectF& area) const { return grid_.in(area); }

 Q_SIGNALS:
  /// All indices are void.
  void wiresReset();
  /// These wires must be drawn anew.
  void wiresTouched(const QVector<int>& indices);

 private:
  void reload();
  /// The model signals next what the new wires look like.
  void rewire(const QStringList& nodes);
  void move(const QStringList& nodes);
  void refresh_looks();
  void refresh_looks_at(const QStringList& nodes);
  bool has(const Link& link) const;
  int add(Link link);
  void remove(int index);
  void place(int index);
  /// The indices of the wires at these nodes, in order.
  QVector<int> at_nodes(const QStringList& nodes) const;
  bool look(Wire& wire) const;

  QPointer<GraphModel> graph_;
  QVariantMap colours_;
  std::vector<Wire> wires_;
  QVector<int> free_;
  QHash<QString, QVector<int>> by_node_;
  RectGrid grid_;  // of bounds
};

}  // namespace hw::app
