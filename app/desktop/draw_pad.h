// DrawPad: a small surface to draw on with the mouse: white on black, a round pen.
#pragma once

#include <QImage>
#include <QQuickPaintedItem>

namespace hw::app {

/// GUI thread.
class DrawPad : public QQuickPaintedItem {
  Q_OBJECT
  /// What is drawn; null: nothing. Setting it does not emit drawn().
  Q_PROPERTY(QImage image READ image WRITE setImage NOTIFY imageChanged)
  /// Pixels that the drawing is made for: the pen is a twelfth of them wide.
  Q_PROPERTY(QSize pixels MEMBER pixels_ NOTIFY pixelsChanged)

 public:
  explicit DrawPad(QQuickItem* parent = nullptr);
  const QImage& image() const { return image_; }
  void setImage(const QImage& image);
  void paint(QPainter* painter) override;

 Q_SIGNALS:
  void imageChanged();
  void pixelsChanged();
  /// By the mouse: with each move.
  void drawn(const QImage& image);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void stroke(QPointF from, QPointF to);
  QImage image_;
  QSize pixels_{28, 28};
  QPointF last_;
};

}  // namespace hw::app
