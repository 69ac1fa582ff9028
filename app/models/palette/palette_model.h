// PaletteModel: the node types, by category; or those that fit what was typed, best first.
#pragma once

#include <QAbstractListModel>
#include <vector>

#include "engine/node/node_type.h"

namespace hw::app {

class PaletteModel : public QAbstractListModel {
  Q_OBJECT
  Q_PROPERTY(QString filter READ filter WRITE setFilter NOTIFY filterChanged)
  Q_PROPERTY(int count READ count NOTIFY countChanged)

 public:
  enum Role {
    TypeRole = Qt::UserRole + 1,
    TitleRole,
    CategoryRole,
    SummaryRole,
    /// Markdown.
  };

  explicit PaletteModel(QObject* parent = nullptr);

  const QString& filter() const { return filter_; }
  void setFilter(const QString& filter);
  int count() const { return static_cast<int>(rows_.size()); }
  /// The type in a row; "" outside.
  Q_INVOKABLE QString typeAt(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

 Q_SIGNALS:
  void filterChanged();
  void countChanged();

 private:
  void rebuild();
  QString filter_;
  std::vector<const NodeType*> rows_;
};

}  // namespace hw::app
