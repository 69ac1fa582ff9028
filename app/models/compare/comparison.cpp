#include "app/models/compare/comparison.h"

#include <QFileInfo>
#include <algorithm>

#include "app/document/text.h"
#include "engine/io/graph/graph_file.h"

namespace hw::app {
namespace {

using Kind = Difference::Kind;
using Of = Difference::Of;

constexpr int kAfterEdit = 100;  // ms: edits that come fast are looked at once

const char* kind_name(Kind kind) {
  constexpr const char* kNames[] = {"added", "removed", "changed"};
  return kNames[static_cast<size_t>(kind)];
}

QString field_text(const FieldChange& field) {
  const auto value = [](const std::string& text) {
    return text.empty() ? Comparison::tr("none") : to_q(text).simplified();
  };
  return QStringLiteral("%1: %2 → %3").arg(to_q(field.what), value(field.before), value(field.after));
}

}  // namespace

Comparison::Comparison(Document& document, QObject* parent) : QObject(parent), document_(document) {
  soon_.setSingleShot(true);
  soon_.setInterval(kAfterEdit);
  connect(&soon_, &QTimer::timeout, this, &Comparison::look);
  const auto later = [this] {
    if (on_) soon_.start();
  };
  for (const auto edit : {&Document::nodesAdded, &Document::nodesRemoved, &Document::nodesChanged,
                          &Document::linksChanged, &Document::validationChanged})
    connect(&document_, edit, this, later);
  for (const auto edit : {&Document::framesChanged, &Document::policyChanged}) connect(&document_, edit, this, later);
  connect(&document_, &Document::shownChanged, this, [this] {
    if (on_) mark();
  });
  connect(&document_, &Document::reset, this, &Comparison::leave);
}

bool Comparison::withFile(const QUrl& file) {
  auto graph = read_graph(std::filesystem::path(file.toLocalFile().toStdU16String()));
  if (!graph) {
    const Error& e = graph.error();
    Q_EMIT document_.refused(to_q(e.code), sentence(e.reason), to_q(e.remedy));
    return false;
  }
  with(QFileInfo(file.toLocalFile()).completeBaseName(), std::move(*graph));
  return true;
}

bool Comparison::withSaved() {
  if (document_.path().isEmpty() || !withFile(QUrl::fromLocalFile(document_.path()))) return false;
  title_ = tr("the saved version");
  Q_EMIT changed();
  return true;
}

void Comparison::with(const QString& title, Graph other) {
  document_.letGo();
  on_ = true;
  title_ = title;
  other_ = std::move(other);
  current_ = -1;
  look();
  Q_EMIT currentChanged();
}

bool Comparison::leave() {
  if (!on_) return false;
  on_ = false;
  soon_.stop();
  other_ = {};
  found_.clear();
  list_.clear();
  items_.clear();
  current_ = -1;
  mark();
  Q_EMIT changed();
  Q_EMIT currentChanged();
  return true;
}

void Comparison::look() {
  soon_.stop();
  found_ = compare_graphs(other_, document_.graph());
  list_.clear();
  items_.clear();
  for (const auto& [level, compared] : found_)
    for (const Difference& difference : compared.differences) list_.push_back({level, difference});
  for (const Item& item : list_) items_.append(describe(item));
  if (current_ >= static_cast<int>(list_.size())) current_ = -1;
  mark();
  Q_EMIT changed();
}

const Graph* Comparison::level_of(const Graph& document, const std::string& level) const {
  if (level.empty()) return &document;
  const Group* group = document.find_group(level);
  return group ? &group->graph : nullptr;
}

std::string Comparison::shown_level() const {
  const auto group = document_.shown().definition();
  return group ? group->id : std::string();
}

QVariantMap Comparison::describe(const Item& item) const {
  const Difference& d = item.difference;
  const Graph& document = d.kind == Kind::removed ? other_ : document_.graph();
  const Graph& graph = *level_of(document, item.level);
  QString text = to_q(words_of(d, graph));
  if (const Node* node = d.of == Of::node ? graph.find(d.id) : nullptr) {
    const QString name = to_q(display_name(document, *node));
    text = name == to_q(d.id) ? name : QStringLiteral("%1 (%2)").arg(name, to_q(d.id));
  } else {
    text[0] = text[0].toUpper();
  }
  QStringList details;
  for (const FieldChange& field : d.fields) details.append(field_text(field));
  if (d.inside) details.append(tr("what is in the group differs"));
  return {
      {"kind", QLatin1String(kind_name(d.kind))}, {"text", text}, {"details", details}, {"group", to_q(item.level)}};
}

QString Comparison::summary() const {
  if (list_.empty()) {
    const auto level = found_.find("");
    return level == found_.end() || level->second.moved.empty() ? tr("No difference") : tr("No difference but places");
  }
  QStringList parts;
  const std::pair<Kind, QString> words[] = {
      {Kind::added, tr("%1 added")}, {Kind::removed, tr("%1 removed")}, {Kind::changed, tr("%1 changed")}};
  for (const auto& [kind, word] : words) {
    const auto count = std::ranges::count_if(list_, [k = kind](const Item& i) { return i.difference.kind == k; });
    if (count > 0) parts.append(word.arg(count));
  }
  return parts.join(QStringLiteral(", "));
}

void Comparison::mark() {
  nodes_.clear();
  frames_.clear();
  ghosts_.clear();
  wires_.clear();
  const std::string level = shown_level();
  const auto compared = found_.find(level);
  if (compared != found_.end()) {
    Scope there;
    there.document = &other_;
    there.graph = level_of(other_, level);
    for (const Difference& d : compared->second.differences) {
      const QString id = to_q(d.id);
      if (d.of == Of::wire) {
        wires_.push_back({d.link, d.kind});
      } else if (d.of == Of::frame && d.kind == Kind::removed) {
        const Frame& frame = there.graph->frames().at(d.id);
        ghosts_[QStringLiteral("frame:") + id] = {
            to_q(frame.title), QRectF(frame.x, frame.y, frame.width, frame.height), {}, true};
      } else if (d.of == Of::frame) {
        frames_[id] = d.kind;
      } else if (d.of == Of::node && d.kind == Kind::removed) {
        const Node& node = *there.graph->find(d.id);
        Card card = make_card(there, node);
        const QRectF rect(QPointF(node.x, node.y), card.size);
        ghosts_[id] = {to_q(display_name(other_, node)), rect, std::move(card)};
      } else if (d.of == Of::node) {
        nodes_[id] = d.kind;
      }
    }
  }
  Q_EMIT marksChanged();
}

QVariantList Comparison::ghostNames() const {
  QVariantList names;
  for (auto ghost = ghosts_.begin(); ghost != ghosts_.end(); ++ghost)
    names.append(QVariantMap{{"id", ghost.key()},
                             {"title", ghost->title},
                             {"x", ghost->rect.x()},
                             {"y", ghost->rect.y()},
                             {"width", ghost->rect.width()},
                             {"height", ghost->rect.height()}});
  return names;
}

QString Comparison::textOf(const QString& node) const {
  const auto kind = nodes_.find(node);
  if (kind == nodes_.end()) return {};
  if (*kind == Kind::added) return tr("Only here, not in %1").arg(title_);
  const std::string level = shown_level();
  for (size_t i = 0; i < list_.size(); ++i) {
    const Difference& d = list_[i].difference;
    if (list_[i].level == level && d.of == Of::node && to_q(d.id) == node)
      return items_[static_cast<qsizetype>(i)].toMap().value(QStringLiteral("details")).toStringList().join('\n');
  }
  return {};
}

QRectF Comparison::place_of(const Difference& d) const {
  const Scope& scope = document_.shown().scope();
  const auto rect = [&](const std::string& id) {
    if (const Node* node = scope.graph->find(id))
      return QRectF(QPointF(node->x, node->y), make_card(scope, *node).size);
    return ghosts_.value(to_q(id)).rect;
  };
  if (d.of == Of::wire) return rect(d.link.from) | rect(d.link.to);
  if (d.of == Of::node) return rect(d.id);
  if (d.of != Of::frame) return {};
  const auto frame = scope.graph->frames().find(d.id);
  if (frame == scope.graph->frames().end()) return ghosts_.value(QStringLiteral("frame:") + to_q(d.id)).rect;
  return {frame->second.x, frame->second.y, frame->second.width, frame->second.height};
}

bool Comparison::step(int by) {
  if (soon_.isActive()) look();
  const auto count = static_cast<int>(list_.size());
  if (!on_ || count == 0) return false;
  show(current_ < 0 ? (by > 0 ? 0 : count - 1) : (current_ + by % count + count) % count);
  return true;
}

void Comparison::show(int item) {
  if (item < 0 || item >= static_cast<int>(list_.size())) return;
  current_ = item;
  const Item shown = list_[static_cast<size_t>(item)];
  if (shown.level != shown_level()) {
    const std::set<std::string> instances = instances_of(document_.graph(), shown.level);
    document_.openGroup(shown.level.empty() || instances.empty() ? QString() : to_q(*instances.begin()));
  }
  if (shown.level == shown_level()) {
    const Difference& d = shown.difference;
    if (d.of == Of::node && d.kind != Kind::removed)
      document_.selectNode(to_q(d.id));
    else
      document_.clearSelection();
    if (const QRectF place = place_of(d); !place.isEmpty()) Q_EMIT reached(place);
  }
  Q_EMIT currentChanged();
}

}  // namespace hw::app
