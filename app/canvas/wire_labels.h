// WireLabels: what wires carry, written on those in view from near.
#pragma once

#include <QAbstractListModel>
#include <QPointer>
#include <QTimer>

#include "app/canvas/canvas_view.h"

namespace hw::app {

/// A row is a place for a label: that of a wire that has left the view is used again for one that comes in. Below
/// `from_zoom` nothing is done. Wires that carry a mark in their middle have none.
class WireLabels : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(hw::app::CanvasView* view READ view WRITE setView NOTIFY viewChanged)
  /// The camera is near enough.
  Q_PROPERTY(bool near READ near NOTIFY nearChanged)

 public:
  static constexpr double from_zoom = 1.5;
  /// Middle of the wire and the width between its ends, in canvas units; a width of 0: it leads back.
  enum Role { TextRole = Qt::UserRole + 1, MiddleXRole, MiddleYRole, RoomRole, ShownRole };

  explicit WireLabels(QObject* parent = nullptr);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  CanvasView* view() const { return view_; }
  void setView(CanvasView* view);
  bool near() const { return near_; }

 Q_SIGNALS:
  void viewChanged();
  void nearChanged();

 private:
  struct Label {
    int wire = -1;  // −1: the place is free
    QString text;
    QPointF middle;
    double room = 0;
    bool operator==(const Label&) const = default;
  };
  void follow_graph();
  void follow_camera();
  void touch();
  void refresh();
  Label label_of(int wire) const;

  QPointer<CanvasView> view_;
  bool near_ = false;
  QRectF chosen_;  // what labels were made for
  std::vector<Label> places_;
  QTimer soon_;
};

}  // namespace hw::app
