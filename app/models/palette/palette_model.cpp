#include "app/models/palette/palette_model.h"

#include "app/document/text.h"
#include "app/models/palette/node_ranking.h"

namespace hw::app {

PaletteModel::PaletteModel(QObject* parent) : QAbstractListModel(parent) {
  rebuild();
}

void PaletteModel::setFilter(const QString& filter) {
  if (filter == filter_) return;
  filter_ = filter;
  beginResetModel();
  rebuild();
  endResetModel();
  Q_EMIT filterChanged();
  Q_EMIT countChanged();
}

void PaletteModel::rebuild() {
  std::vector<const NodeType*> all;
  for (const auto& [id, type] : Registry::instance().all()) all.push_back(&type);
  rows_ = ranked_types(filter_, all);
}

QString PaletteModel::typeAt(int row) const {
  return row >= 0 && row < count() ? to_q(rows_[static_cast<size_t>(row)]->id) : QString();
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const NodeType& type = *rows_[static_cast<size_t>(index.row())];
  switch (role) {
    case TypeRole:
      return to_q(type.id);
    case TitleRole:
    case Qt::DisplayRole:
      return to_q(type.decl.title());
    case CategoryRole:
      return to_q(type.decl.category());
    case SummaryRole:
      return to_q(type.decl.summary());
    default:
      return {};
  }
}

QHash<int, QByteArray> PaletteModel::roleNames() const {
  return {{TypeRole, "type"}, {TitleRole, "title"}, {CategoryRole, "category"}, {SummaryRole, "summary"}};
}

}  // namespace hw::app
