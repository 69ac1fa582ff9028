#include "app/models/palette/palette_model.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/palette/node_ranking.h"
#include "engine/graph/groups/grouping.h"

namespace hw::app {
namespace {

const Graph& none() {
  static const Graph graph;
  return graph;
}

bool is_listed_alike(const Placeable& a, const Placeable& b) {
  const NodeDecl &x = a.decl(), &y = b.decl();
  return a.key() == b.key() && a.origin == b.origin && x.title() == y.title() && x.category() == y.category() &&
         x.doc() == y.doc() && x.keywords() == y.keywords();
}

std::string group_id(const QString& key) {
  return to_std(key.section(QLatin1Char(':'), 1));
}

}  // namespace

PaletteModel::PaletteModel(Library& library, QObject* parent) : QAbstractListModel(parent), library_(library) {
  connect(&library, &Library::changed, this, &PaletteModel::refresh);
  refresh();
}

void PaletteModel::setDocument(Document* document) {
  if (document_) document_->disconnect(this);
  document_ = document;
  if (document) {
    connect(document, &Document::historyChanged, this, &PaletteModel::follow);
    connect(document, &Document::reset, this, &PaletteModel::follow);
  }
  follow();
}

void PaletteModel::follow() {
  const Graph& graph = document_ ? document_->graph() : none();
  if (graph.groups() != groups_) refresh();  // definitions are shared: the same ones are the same memory
}

void PaletteModel::refresh() {
  const Graph& graph = document_ ? document_->graph() : none();
  groups_ = graph.groups();
  std::vector<Placeable> all = placeables(graph, library_.blocks());
  if (std::ranges::equal(all, all_, is_listed_alike)) return;  // an edit in a group leaves the list where it is
  beginResetModel();
  all_ = std::move(all);
  rows_ = ranked(filter_, all_);
  endResetModel();
  Q_EMIT countChanged();
}

void PaletteModel::setFilter(const QString& filter) {
  if (filter == filter_) return;
  filter_ = filter;
  beginResetModel();
  rows_ = ranked(filter_, all_);
  endResetModel();
  Q_EMIT filterChanged();
  Q_EMIT countChanged();
}

QString PaletteModel::typeAt(int row) const {
  return row >= 0 && row < count() ? to_q(rows_[static_cast<size_t>(row)].key()) : QString();
}

bool PaletteModel::isUnused(const QString& key) const {
  const std::string id = group_id(key);
  return document_ && document_->graph().find_group(id) && count_instances(document_->graph(), id) == 0;
}

void PaletteModel::removeGroup(const QString& key) {
  if (isUnused(key)) document_->pushDocument(tr("Delete group"), {RemoveGroup{group_id(key)}});
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Placeable& row = rows_[static_cast<size_t>(index.row())];
  switch (role) {
    case TypeRole:
      return to_q(row.key());
    case TitleRole:
    case Qt::DisplayRole:
      return to_q(row.decl().title());
    case CategoryRole:
      return to_q(row.decl().category());
    case SummaryRole:
      return to_q(row.decl().summary());
    case OriginRole: {
      constexpr const char* names[] = {"type", "document", "library", "own"};
      return QLatin1String(names[static_cast<size_t>(row.origin)]);
    }
    default:
      return {};
  }
}

QHash<int, QByteArray> PaletteModel::roleNames() const {
  return {{TypeRole, "type"},
          {TitleRole, "title"},
          {CategoryRole, "category"},
          {SummaryRole, "summary"},
          {OriginRole, "origin"}};
}

}  // namespace hw::app
