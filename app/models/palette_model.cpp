#include "app/models/palette_model.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/fuzzy_match.h"
#include "app/models/node_docs.h"

namespace hw::app {
namespace {

/// The way of the data, from left to right on a canvas; unknown categories last.
size_t category_order(const std::string& category) {
  constexpr std::string_view order[] = {"Source", "Encoder", "Layer", "Math", "Shape", "Loss", "Training", "View"};
  return static_cast<size_t>(std::find(std::begin(order), std::end(order), category) - std::begin(order));
}

int score(const QString& filter, const NodeType& type) {
  const int title = fuzzy_score(filter, to_q(type.decl.title()));
  const int keywords = fuzzy_score(filter, to_q(type.decl.keywords())) / 2;
  const int category = fuzzy_score(filter, to_q(type.decl.category())) / 3;
  return std::max({title, keywords, category});
}

}  // namespace

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
  struct Ranked {
    int score;
    const NodeType* type;
  };
  std::vector<Ranked> ranked;
  for (const auto& [id, type] : Registry::instance().all()) {
    if (const int s = score(filter_, type); s > 0) ranked.push_back({s, &type});
  }
  const bool searching = !filter_.trimmed().isEmpty();
  std::sort(ranked.begin(), ranked.end(), [searching](const Ranked& a, const Ranked& b) {
    if (searching && a.score != b.score) return a.score > b.score;
    const NodeDecl &x = a.type->decl, &y = b.type->decl;
    const size_t p = category_order(x.category()), q = category_order(y.category());
    return std::tie(p, x.category(), x.title()) < std::tie(q, y.category(), y.title());
  });
  rows_.clear();
  for (const Ranked& r : ranked) rows_.push_back(r.type);
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
    case DocsRole:
      return node_docs(type);
    default:
      return {};
  }
}

QHash<int, QByteArray> PaletteModel::roleNames() const {
  return {{TypeRole, "type"},
          {TitleRole, "title"},
          {CategoryRole, "category"},
          {SummaryRole, "summary"},
          {DocsRole, "docs"}};
}

}  // namespace hw::app
