// TensorImageModel: a tensor as a picture: which axes, which slice, which range, and the value under the cursor.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QVariantList>

#include "app/models/tensors/tensor_picture.h"

namespace hw::app {

/// Pictures are made on a worker thread; while one is being made newer tensors wait, and only the newest is taken. GUI
/// thread.
class TensorImageModel : public QObject {
  Q_OBJECT
  /// {size, index: of the slice} of every axis.
  Q_PROPERTY(QVariantList axes READ axes NOTIFY viewChanged)
  /// Axes; −1: none.
  Q_PROPERTY(int rowAxis READ rowAxis NOTIFY viewChanged)
  Q_PROPERTY(int columnAxis READ columnAxis NOTIFY viewChanged)
  Q_PROPERTY(int colourAxis READ colourAxis NOTIFY viewChanged)
  /// Axes that may be colours: of 3 or 4.
  Q_PROPERTY(QList<int> colourChoices READ colourChoices NOTIFY viewChanged)
  Q_PROPERTY(bool autoRange READ autoRange WRITE setAutoRange NOTIFY viewChanged)
  Q_PROPERTY(QString low READ low NOTIFY pictureChanged)
  Q_PROPERTY(QString high READ high NOTIFY pictureChanged)
  /// "3 values are NaN or Inf", or "".
  Q_PROPERTY(QString bad READ bad NOTIFY pictureChanged)
  Q_PROPERTY(bool empty READ empty NOTIFY pictureChanged)
  /// Whether it is visible; else it does no work.
  Q_PROPERTY(bool watched READ watched WRITE setWatched NOTIFY watchedChanged)

 public:
  explicit TensorImageModel(QObject* parent = nullptr);
  ~TensorImageModel() override;

  /// Until another is set, or automatic.
  void fixRange(PictureRange range);

  /// A tensor of the same sizes keeps the view.
  void setTensor(const Tensor& tensor);
  const TensorPicture& picture() const { return picture_; }

  QVariantList axes() const;
  int rowAxis() const { return view_.rows; }
  int columnAxis() const { return view_.columns; }
  int colourAxis() const { return view_.colour; }
  QList<int> colourChoices() const;
  bool autoRange() const { return !range_; }
  void setAutoRange(bool on);
  QString low() const;
  QString high() const;
  QString bad() const;
  bool empty() const { return picture_.image.isNull(); }
  bool watched() const { return watched_; }
  void setWatched(bool on);

  /// An axis that was seen as something else trades places.
  Q_INVOKABLE void setRowAxis(int axis);
  Q_INVOKABLE void setColumnAxis(int axis);
  Q_INVOKABLE void setColourAxis(int axis);
  Q_INVOKABLE void setIndex(int axis, int index);
  /// Fixes the range; what is no number, or no range, is left as it was. Returns whether it was taken.
  Q_INVOKABLE bool setRange(const QString& low, const QString& high);
  /// {row, column, text: the value or values} at a place of the picture, both 0 to 1; empty outside.
  Q_INVOKABLE QVariantMap read(double x, double y) const;

 Q_SIGNALS:
  void viewChanged();
  void pictureChanged();
  void watchedChanged();

 private:
  void take(int& role, int axis);
  void change();
  void drawNext();
  Tensor tensor_, drawn_;  // drawn_: what picture_ shows
  PictureAxes view_, drawnView_;
  std::optional<PictureRange> range_;
  TensorPicture picture_;
  bool watched_ = false, stale_ = false, working_ = false;
  QThreadPool work_;
};

}  // namespace hw::app
