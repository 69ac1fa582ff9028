#include "app/models/tensors/tensor_image_model.h"

#include <algorithm>
#include <cmath>

#include "app/document/task.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

constexpr int kMostPixels = 512;  // a side

}  // namespace

TensorImageModel::TensorImageModel(QObject* parent) : QObject(parent) {
  work_.setMaxThreadCount(1);
}

TensorImageModel::~TensorImageModel() {
  work_.waitForDone();
}

void TensorImageModel::setTensor(const Tensor& tensor) {
  const bool same = !tensor_.empty() && tensor.dims() == tensor_.dims();
  tensor_ = tensor;
  if (!same) {
    view_ = default_axes(tensor_.dims());
    Q_EMIT viewChanged();
  }
  stale_ = true;
  drawNext();
}

void TensorImageModel::setWatched(bool on) {
  if (on == watched_) return;
  watched_ = on;
  Q_EMIT watchedChanged();
  drawNext();
}

void TensorImageModel::change() {
  stale_ = true;
  Q_EMIT viewChanged();
  drawNext();
}

void TensorImageModel::drawNext() {
  if (!watched_ || !stale_ || working_) return;
  stale_ = false;
  working_ = true;
  start_task(
      work_, this,
      [this, tensor = tensor_, view = view_, range = range_] {
        auto made = std::make_shared<TensorPicture>(picture_of(tensor, view, range, kMostPixels));
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this,
            [this, made, tensor, view] {
              working_ = false;
              picture_ = std::move(*made);
              drawn_ = tensor;
              drawnView_ = view;
              Q_EMIT pictureChanged();
              drawNext();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { working_ = false; });  // the picture from before stays
}

QVariantList TensorImageModel::axes() const {
  QVariantList list;
  for (size_t i = 0; i < tensor_.dims().size(); ++i) {
    list.append(QVariantMap{{"size", static_cast<qlonglong>(tensor_.dims()[i])},
                            {"index", static_cast<qlonglong>(view_.slice[i])}});
  }
  return list;
}

QList<int> TensorImageModel::colourChoices() const {
  QList<int> list;
  for (size_t i = 0; i < tensor_.dims().size(); ++i) {
    if (tensor_.dims()[i] == 3 || tensor_.dims()[i] == 4) list.append(static_cast<int>(i));
  }
  return list;
}

void TensorImageModel::take(int& role, int axis) {
  if (axis == role || axis < 0 || axis >= static_cast<int>(tensor_.dims().size())) return;
  for (int* other : {&view_.rows, &view_.columns, &view_.colour}) {
    if (other != &role && *other == axis) *other = other == &view_.colour ? -1 : role;
  }
  role = axis;
  change();
}

void TensorImageModel::setRowAxis(int axis) {
  take(view_.rows, axis);
}

void TensorImageModel::setColumnAxis(int axis) {
  take(view_.columns, axis);
}

void TensorImageModel::setColourAxis(int axis) {
  if (axis == view_.colour) return;
  if (axis >= 0 && !colourChoices().contains(axis)) return;
  view_.colour = axis;
  // The picture needs its rows and columns from other axes.
  for (int* seen : {&view_.rows, &view_.columns}) {
    if (axis < 0 || *seen != axis) continue;
    *seen = -1;
    for (auto i = static_cast<int>(tensor_.dims().size()) - 1; i >= 0 && *seen < 0; --i) {
      if (i != axis && i != view_.rows && i != view_.columns) *seen = i;
    }
  }
  change();
}

void TensorImageModel::setIndex(int axis, int index) {
  if (axis < 0 || axis >= static_cast<int>(tensor_.dims().size())) return;
  const int64_t last = std::max<int64_t>(0, tensor_.dims()[static_cast<size_t>(axis)] - 1);
  int64_t& at = view_.slice[static_cast<size_t>(axis)];
  const int64_t wanted = std::clamp<int64_t>(index, 0, last);
  if (wanted == at) return;
  at = wanted;
  change();
}

void TensorImageModel::setAutoRange(bool on) {
  if (on == autoRange()) return;
  range_ = on ? std::nullopt : std::optional(picture_.range);
  change();
}

void TensorImageModel::fixRange(PictureRange range) {
  range_ = range;
  change();
}

bool TensorImageModel::setRange(const QString& low, const QString& high) {
  bool good = false, good_too = false;
  const PictureRange range{low.trimmed().toDouble(&good), high.trimmed().toDouble(&good_too)};
  if (!good || !good_too || !std::isfinite(range.low) || !std::isfinite(range.high) || range.low >= range.high) {
    return false;
  }
  fixRange(range);
  return true;
}

QString TensorImageModel::low() const {
  return format_number(picture_.range.low, 4);
}

QString TensorImageModel::high() const {
  return format_number(picture_.range.high, 4);
}

QString TensorImageModel::bad() const {
  if (picture_.bad == 0) return {};
  return picture_.bad == 1 ? tr("1 value is NaN or Inf")
                           : tr("%1 values are NaN or Inf").arg(format_count(static_cast<double>(picture_.bad)));
}

QVariantMap TensorImageModel::read(double x, double y) const {
  if (empty() || !(x >= 0 && x < 1 && y >= 0 && y < 1)) return {};
  const auto row = static_cast<int64_t>(y * static_cast<double>(picture_.height));
  const auto column = static_cast<int64_t>(x * static_cast<double>(picture_.width));
  QStringList values;
  for (int64_t c = 0; c < (drawnView_.colour < 0 ? 1 : 3); ++c) {
    values.append(format_number(value_at(drawn_, drawnView_, row, column, c), 5));
  }
  return {{"row", static_cast<qlonglong>(row)},
          {"column", static_cast<qlonglong>(column)},
          {"text", values.join(QStringLiteral(", "))}};
}

}  // namespace hw::app
