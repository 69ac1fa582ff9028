// TensorTableModel: a tensor's numbers: the last two axes as rows and columns, a slice over the axes before them.
#pragma once

#include <QAbstractTableModel>

#include "engine/core/tensor.h"

namespace hw::app {

/// Cells are converted when they are shown, so a tensor of any size costs nothing. GUI thread.
class TensorTableModel : public QAbstractTableModel {
  Q_OBJECT
  /// Sizes of the leading axes, and the index shown of each.
  Q_PROPERTY(QList<int> leading READ leading NOTIFY shapeChanged)
  Q_PROPERTY(QList<int> slice READ slice NOTIFY sliceChanged)
  Q_PROPERTY(bool empty READ empty NOTIFY shapeChanged)

 public:
  enum Role { BadRole = Qt::UserRole + 1 };  // NaN or Inf

  explicit TensorTableModel(QObject* parent = nullptr);

  /// A tensor of the same sizes keeps the slice.
  void setTensor(const Tensor& tensor);
  QList<int> leading() const;
  const QList<int>& slice() const { return slice_; }
  bool empty() const { return tensor_.empty() || tensor_.size() == 0; }
  Q_INVOKABLE void setSlice(int axis, int index);
  /// "12"; "0 x", "1 y", .. where rows have 2 to 4 numbers, as vectors do.
  Q_INVOKABLE QString columnName(int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void shapeChanged();
  void sliceChanged();

 private:
  void refreshCells();
  Tensor tensor_;
  QList<int> slice_;
  int rows_ = 0, columns_ = 0;
};

}  // namespace hw::app
