#include "app/models/graph/graph_find.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/graph/pattern.h"
#include "engine/graph/check/find.h"

namespace hw::app {
namespace {

constexpr int kAfterEdit = 100;  // ms: edits that come fast are looked at once

}  // namespace

GraphFind::GraphFind(Document& document, QObject* parent) : QObject(parent), document_(document) {
  soon_.setSingleShot(true);
  soon_.setInterval(kAfterEdit);
  connect(&soon_, &QTimer::timeout, this, &GraphFind::look);
  connect(&document_, &Document::validationChanged, this, [this] {
    if (!query_.isEmpty()) soon_.start();
  });
  connect(&document_, &Document::reset, this, &GraphFind::look);
}

void GraphFind::setQuery(const QString& query) {
  if (query == query_) return;
  query_ = query;
  current_ = -1;
  look();
}

void GraphFind::look() {
  soon_.stop();
  const std::string at = current_ < 0 ? std::string() : found_[static_cast<size_t>(current_)];
  found_.clear();
  problem_.clear();
  const auto query = FindQuery::parse(query_.toStdString(), make_pattern);
  if (query) {
    found_ = find_nodes(document_.graph(), document_.validator(), *query);
  } else {
    problem_ = to_q(query.error().reason + " " + query.error().remedy);
  }
  const auto still = std::find(found_.begin(), found_.end(), at);
  current_ = at.empty() || still == found_.end() ? -1 : static_cast<int>(still - found_.begin());
  Q_EMIT changed();
}

bool GraphFind::step(int by) {
  if (soon_.isActive()) look();
  if (found_.empty()) return false;
  const int first = by > 0 ? 0 : count() - 1;
  current_ = current_ < 0 ? first : (current_ + by % count() + count()) % count();
  document_.reveal(to_q(found_[static_cast<size_t>(current_)]));
  Q_EMIT changed();
  Q_EMIT reached(document_.activeNode());
  return true;
}

}  // namespace hw::app
