#include "app/canvas/node_search.h"

#include <algorithm>

namespace hw::app {
namespace {

/// How well a type answers one word; 0: not at all.
int score(const NodeDecl& decl, const QString& id, const QString& word) {
  const QString title = to_q(decl.title());
  if (title.startsWith(word, Qt::CaseInsensitive)) return 100;
  if (id.startsWith(word, Qt::CaseInsensitive)) return 90;
  if (title.contains(QLatin1Char(' ') + word, Qt::CaseInsensitive)) return 80;
  if (title.contains(word, Qt::CaseInsensitive) || id.contains(word, Qt::CaseInsensitive)) return 60;
  if (to_q(decl.keywords()).contains(word, Qt::CaseInsensitive)) return 40;
  if (to_q(decl.category()).startsWith(word, Qt::CaseInsensitive)) return 30;
  if (to_q(decl.summary()).contains(word, Qt::CaseInsensitive)) return 10;
  return 0;
}

}  // namespace

int NodeSearch::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> NodeSearch::roleNames() const {
  return {{TypeIdRole, "typeId"}, {TitleRole, "title"}, {CategoryRole, "category"}, {SummaryRole, "summary"}};
}

QVariant NodeSearch::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count()) return {};
  const NodeType& type = *found_[static_cast<size_t>(index.row())];
  switch (role) {
    case TypeIdRole:
      return to_q(type.id);
    case Qt::DisplayRole:
    case TitleRole:
      return to_q(type.decl.title());
    case CategoryRole:
      return to_q(type.decl.category());
    case SummaryRole:
      return to_q(type.decl.summary());
    default:
      return {};
  }
}

void NodeSearch::setGraph(GraphModel* graph) {
  if (graph == graph_) return;
  graph_ = graph;
  fit({}, {}, false);
}

void NodeSearch::setQuery(const QString& query) {
  if (query == query_) return;
  query_ = query;
  search();
}

void NodeSearch::fit(const QString& node, const QString& socket, bool isOutput) {
  node_ = node;
  socket_ = socket;
  is_output_ = isOutput;
  fitting_.clear();
  refused_ = 0;
  for (const auto& [id, type] : Registry::instance().all()) {
    if (!node_.isEmpty() && graph_ &&
        !fitting_socket(graph_->document().graph(), graph_->document().validator(), node_.toStdString(),
                        socket_.toStdString(), is_output_, type)) {
      ++refused_;
      continue;
    }
    fitting_.push_back(&type);
  }
  search();
}

void NodeSearch::search() {
  const QStringList words = query_.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  std::vector<std::pair<int, const NodeType*>> ranked;
  for (const NodeType* type : fitting_) {
    int total = 0;
    bool all = true;
    for (const QString& word : words) {
      const int one = score(type->decl, to_q(type->id), word);
      all = all && one > 0;
      total += one;
    }
    if (all) ranked.emplace_back(total, type);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    const NodeDecl &x = a.second->decl, &y = b.second->decl;
    return x.category() != y.category() ? x.category() < y.category() : x.title() < y.title();
  });
  beginResetModel();
  found_.clear();
  for (const auto& [value, type] : ranked) found_.push_back(type);
  endResetModel();
  Q_EMIT changed();
}

QString NodeSearch::typeAt(int row) const {
  return row >= 0 && row < count() ? to_q(found_[static_cast<size_t>(row)]->id) : QString();
}

}  // namespace hw::app
