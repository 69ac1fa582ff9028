#include "app/desktop/draw_pad.h"

#include <QCursor>
#include <QPainter>

namespace hw::app {
namespace {

constexpr int kFiner = 4;  // than the pixels: their greys come from scaling down
constexpr double kPen = 1.0 / 12;

}  // namespace

DrawPad::DrawPad(QQuickItem* parent) : QQuickPaintedItem(parent) {
  setAcceptedMouseButtons(Qt::LeftButton);
  setKeepMouseGrab(true);  // a list around it does not scroll instead
  setCursor(Qt::CrossCursor);
  setFillColor(Qt::black);
}

void DrawPad::setImage(const QImage& image) {
  if (image == image_) return;
  image_ = image;
  update();
  Q_EMIT imageChanged();
}

void DrawPad::paint(QPainter* painter) {
  painter->setRenderHint(QPainter::SmoothPixmapTransform);
  if (!image_.isNull()) painter->drawImage(boundingRect(), image_);
}

void DrawPad::mousePressEvent(QMouseEvent* event) {
  last_ = event->position();
  stroke(last_, last_);
}

void DrawPad::mouseMoveEvent(QMouseEvent* event) {
  stroke(last_, event->position());
  last_ = event->position();
}

void DrawPad::stroke(QPointF from, QPointF to) {
  if (pixels_.isEmpty() || width() <= 0 || height() <= 0) return;
  const QSize size = pixels_ * kFiner;
  if (image_.size() != size) {
    image_ = QImage(size, QImage::Format_RGB32);
    image_.fill(Qt::black);
  }
  QPainter painter(&image_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Qt::white, kPen * std::min(size.width(), size.height()), Qt::SolidLine, Qt::RoundCap));
  const auto at = [&](QPointF p) { return QPointF(p.x() / width() * size.width(), p.y() / height() * size.height()); };
  from == to ? painter.drawPoint(at(from)) : painter.drawLine(at(from), at(to));
  painter.end();
  update();
  Q_EMIT imageChanged();
  Q_EMIT drawn(image_);
}

}  // namespace hw::app
