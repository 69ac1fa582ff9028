#include "app/models/tensors/tensor_table_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/models/text/format.h"
#include "engine/core/magnitudes.h"

namespace hw::app {
namespace {

constexpr int kMostLines = 1'000'000;  // what a view can scroll through

int axis_size(const Dims& dims, size_t from_end) {
  if (dims.size() < from_end) return 1;
  return static_cast<int>(std::min<int64_t>(dims[dims.size() - from_end], kMostLines));
}

}  // namespace

TensorTableModel::TensorTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TensorTableModel::setTensor(const Tensor& tensor) {
  const bool same = !empty() && !tensor.empty() && tensor.dims() == tensor_.dims();
  if (same) {
    tensor_ = tensor;
    refreshCells();
    return;
  }
  beginResetModel();
  tensor_ = tensor;
  const Dims& dims = tensor_.dims();
  // One axis is a column: a list of numbers reads downwards.
  rows_ = empty() ? 0 : dims.size() == 1 ? axis_size(dims, 1) : axis_size(dims, 2);
  columns_ = empty() ? 0 : dims.size() == 1 ? 1 : axis_size(dims, 1);
  slice_ = QList<int>(static_cast<qsizetype>(dims.size() > 2 ? dims.size() - 2 : 0), 0);
  endResetModel();
  Q_EMIT shapeChanged();
  Q_EMIT sliceChanged();
}

void TensorTableModel::refreshCells() {
  if (rows_ > 0 && columns_ > 0) Q_EMIT dataChanged(index(0, 0), index(rows_ - 1, columns_ - 1));
}

QList<int> TensorTableModel::leading() const {
  QList<int> sizes;
  for (qsizetype i = 0; i < slice_.size(); ++i) {
    sizes.append(
        static_cast<int>(std::min<int64_t>(tensor_.dims()[static_cast<size_t>(i)], std::numeric_limits<int>::max())));
  }
  return sizes;
}

void TensorTableModel::setSlice(int axis, int index) {
  if (axis < 0 || axis >= slice_.size()) return;
  index = std::clamp(index, 0, std::max(0, leading()[axis] - 1));
  if (slice_[axis] == index) return;
  slice_[axis] = index;
  refreshCells();
  Q_EMIT sliceChanged();
}

QString TensorTableModel::columnName(int column) const {
  const bool vector = columns_ >= 2 && columns_ <= 4 && column >= 0 && column < columns_;
  return vector ? QStringLiteral("%1 %2").arg(column).arg(QChar(u"xyzw"[column])) : QString::number(column);
}

int TensorTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

int TensorTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns_;
}

QVariant TensorTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Dims& dims = tensor_.dims();
  int64_t at = 0;
  for (qsizetype i = 0; i < slice_.size(); ++i) at = at * dims[static_cast<size_t>(i)] + slice_[i];
  if (dims.size() >= 2) {
    at = (at * dims[dims.size() - 2] + index.row()) * dims.back() + index.column();
  } else {
    at = index.row() + index.column();
  }
  const double value = element_of(tensor_, at);
  if (role == Qt::DisplayRole) return format_number(value, 5);
  if (role == BadRole) return !std::isfinite(value);
  return {};
}

QVariant TensorTableModel::headerData(int section, Qt::Orientation, int role) const {
  return role == Qt::DisplayRole ? QVariant(section) : QVariant();
}

QHash<int, QByteArray> TensorTableModel::roleNames() const {
  return {{Qt::DisplayRole, "display"}, {BadRole, "bad"}};
}

}  // namespace hw::app
