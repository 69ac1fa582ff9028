// WireDrag: a wire being dragged: its held end, what it snaps to, and why it would not fit.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointF>

#include "app/canvas/node_grid.h"

namespace hw::app {

class WireDrag : public QObject {
  Q_OBJECT
  /// From picking up until dropped and, when dropped on empty, until the search is done with it.
  Q_PROPERTY(bool active READ active NOTIFY activeChanged)
  /// The held ends are outputs: it snaps to inputs.
  Q_PROPERTY(bool fromOutput READ fromOutput NOTIFY activeChanged)
  Q_PROPERTY(QString node READ node NOTIFY activeChanged)
  Q_PROPERTY(QString socket READ socket NOTIFY activeChanged)
  Q_PROPERTY(QString token READ token NOTIFY activeChanged)
  Q_PROPERTY(QPointF tip READ tip NOTIFY moved)
  /// "node:in:x" of the socket it would land on, or "".
  Q_PROPERTY(QString target READ target NOTIFY moved)
  /// Why the wire would be red there; "" when it fits.
  Q_PROPERTY(QString reason READ reason NOTIFY moved)

 public:
  struct End {
    std::string node, socket;
  };
  explicit WireDrag(const NodeGrid& grid, QObject* parent = nullptr) : QObject(parent), grid_(grid) {}

  void setGraph(GraphModel* graph) { graph_ = graph; }
  /// Picks up a wire at a socket: a linked input gives up its wire, `all` takes every wire of an output.
  void start(const End& at, bool is_output, bool all, QPointF tip);
  /// Follows the pointer; snaps to sockets within `reach` canvas units.
  void moveTo(QPointF tip, double reach);
  /// Drops it. True when done; false when it fell on empty and waits for the search.
  bool drop();
  Q_INVOKABLE void finish();

  bool active() const { return active_; }
  bool fromOutput() const { return from_output_; }
  QString node() const { return held_.empty() ? QString() : to_q(held_.front().node); }
  QString socket() const { return held_.empty() ? QString() : to_q(held_.front().socket); }
  QString token() const { return token_; }
  QPointF tip() const { return tip_; }
  QString target() const;
  QString reason() const { return reason_; }
  /// Wires that were picked up; they are not drawn in their old place meanwhile.
  const std::vector<Link>& taken() const { return taken_; }
  /// The held ends, on the canvas.
  std::vector<QPointF> anchors() const;

  /// Why a wire to this socket would be red; "" when it fits. Asked once a socket and drag.
  Q_INVOKABLE QString whyNot(const QString& node, const QString& socket);

 Q_SIGNALS:
  void activeChanged();
  void moved();

 private:
  Link link_to(const End& held, const End& end) const;
  QString refusal(const End& end);

  const NodeGrid& grid_;
  GraphModel* graph_ = nullptr;
  bool active_ = false, from_output_ = true;
  std::vector<End> held_;
  std::vector<Link> taken_;
  std::optional<End> target_;
  QString token_, reason_;
  QPointF tip_;
  QHash<QString, QString> refusals_;
};

}  // namespace hw::app
