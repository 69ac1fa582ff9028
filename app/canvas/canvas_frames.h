// CanvasFrames: titles and texts of the frames in view, a delegate each, and what of a frame lies under a point.
#pragma once

#include <QAbstractListModel>
#include <QPointer>
#include <QTimer>
#include <optional>

#include "app/canvas/camera.h"
#include "app/models/graph/graph_model.h"

namespace hw::app {

/// A part of a frame that the pointer can drag.
struct FrameHit {
  QString id;
  Sides sides;        // none: its title, or its text
  bool text = false;  // of a note
  bool operator==(const FrameHit&) const = default;
};

/// A row is a place for a frame that is large enough on the screen for words; it is hidden and used again like those of
/// VisibleNodes. FrameLayer draws the boxes of all. GUI thread.
class CanvasFrames : public QAbstractListModel {
  Q_OBJECT
  /// The camera's zoom, in steps downwards: many frames need not update in each step of a zoom.
  Q_PROPERTY(double zoom READ zoom NOTIFY zoomed)
  /// Canvas units; from afar so much that the title can be read, and stands above the frame.
  Q_PROPERTY(double titleHeight READ titleHeight NOTIFY zoomed)
  /// The part of it that is inside the frame.
  Q_PROPERTY(double titleInside READ titleInside NOTIFY zoomed)
  /// The frame whose title, or text, is being edited; "" when there is none.
  Q_PROPERTY(QString edited READ edited NOTIFY editedChanged)
  Q_PROPERTY(bool editsText READ editsText NOTIFY editedChanged)

 public:
  enum Role {
    FrameIdRole = Qt::UserRole + 1,
    TitleRole,
    ColourRole,
    NoteRole,
    TextRole,
    BoxRole,
    SelectedRole,
    ShownRole
  };

  explicit CanvasFrames(const Camera& camera, QObject* parent = nullptr);
  void setGraph(GraphModel* graph);
  /// After the camera moved.
  void follow();

  /// The frames of the graph that is shown.
  const std::map<std::string, Frame, std::less<>>& frames() const;
  bool isSelected(const std::string& id) const;

  double zoom() const { return zoom_; }
  double titleHeight() const;
  double titleInside() const;
  const QString& edited() const { return edited_; }
  bool editsText() const { return edits_text_; }
  Q_INVOKABLE void edit(const QString& id, bool text);
  Q_INVOKABLE void endEdit() { edit({}, false); }

  /// What the pointer drags there: of the smallest frame.
  std::optional<FrameHit> at(QPointF canvas) const;
  /// The frames wholly inside.
  QSet<QString> inside(const QRectF& area) const;
  /// Around all.
  QRectF bounds() const;
  QRectF rectOf(const QString& id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void zoomed();
  void editedChanged();
  /// The frames, or which of them are selected, changed.
  void looksChanged();

 private:
  QRectF title_rect(const Frame& frame) const;
  /// Gives places to what is in view; new ones a few at once, the rest soon.
  void refresh();
  /// After frames changed.
  void renew();

  const Camera& camera_;
  QPointer<GraphModel> graph_;
  std::vector<QString> places_;  // "": hidden
  QRectF chosen_;
  QTimer soon_;
  double zoom_ = 1;
  QString edited_;
  bool edits_text_ = false;
};

}  // namespace hw::app
