#include "app/models/graph/graph_model.h"

#include <algorithm>

#include "app/document/wire_checks.h"
#include "app/models/graph/verdicts.h"
#include "app/models/instruments/heat_map_model.h"
#include "app/models/instruments/instruments_model.h"
#include "app/models/previews/card_facts.h"
#include "app/models/previews/node_previews.h"
#include "app/models/run/device_model.h"
#include "app/models/text/format.h"

namespace hw::app {
GraphModel::GraphModel(Document& document, QObject* parent) : QAbstractListModel(parent), document_(document) {
  connect(&document_, &Document::reset, this, [this] { findings_.clear(); });  // of another document
  connect(&document_, &Document::shownAboutToChange, this, [this] { beginResetModel(); });
  connect(&document_, &Document::shownChanged, this, &GraphModel::reload);
  connect(&document_, &Document::nodesAdded, this, &GraphModel::add_rows);
  connect(&document_, &Document::nodesRemoved, this, &GraphModel::remove_rows);
  connect(&document_, &Document::nodesChanged, this, &GraphModel::change_rows);
  connect(&document_, &Document::linksChanged, this, &GraphModel::change_links);
  connect(&document_, &Document::validationChanged, this, &GraphModel::change_states);
  connect(&document_, &Document::selectionChanged, this, &GraphModel::change_selection);
  beginResetModel();
  reload();
}

int GraphModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> GraphModel::roleNames() const {
  return {{NodeIdRole, "nodeId"},
          {TypeRole, "type"},
          {TitleRole, "title"},
          {CategoryRole, "category"},
          {SummaryRole, "summary"},
          {PosXRole, "posX"},
          {PosYRole, "posY"},
          {CardWidthRole, "cardWidth"},
          {CardHeightRole, "cardHeight"},
          {InputsRole, "inputs"},
          {OutputsRole, "outputs"},
          {InputStatesRole, "inputStates"},
          {OutputStatesRole, "outputStates"},
          {CardParamsRole, "cardParams"},
          {ParamValuesRole, "paramValues"},
          {SelectedRole, "selected"},
          {ActiveRole, "active"},
          {StatusRole, "status"},
          {StatusTextRole, "statusText"},
          {RandomRole, "random"},
          {RandomFixedRole, "randomFixed"},
          {RandomTextRole, "randomText"},
          {PassesRole, "passes"},
          {TimeRole, "time"},
          {BypassedRole, "bypassed"},
          {FrozenRole, "frozen"},
          {TieRole, "tie"},
          {DeviceRole, "device"},
          {CollapsedRole, "collapsed"},
          {PreviewTopRole, "previewTop"},
          {PreviewRole, "preview"},
          {FactsRole, "facts"},
          {DotRole, "dot"},
          {IsGroupRole, "isGroup"},
          {InstrumentsRole, "instruments"},
          {HeatRole, "heat"}};
}

QVariant GraphModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count()) return {};
  const NodeRow& row = rows_[static_cast<size_t>(index.row())];
  switch (role) {
    case SelectedRole:
      return selected_.contains(row.id());
    case ActiveRole:
      return active_ == row.id();
    case PassesRole:
      return passes_.value(row.path());
    case TimeRole: {
      const double ms = ms_of(row);
      return ms > 0 ? format_ms(ms) : QString();
    }
    case InstrumentsRole:
      return instruments_ ? instruments_->of(row.path(), row.card().outputs) : QVariantMap();
    case HeatRole:
      return heat_map_ ? heat_map_->of(row.path()) : QVariantMap();
    case PreviewRole:
      return QVariant::fromValue(previews_ ? previews_->of(row.path()) : Preview());
    case FactsRole:
      return facts_ ? facts_->of(row.path()) : QVariantMap();
    default:
      return row.data(document_, role);
  }
}

double GraphModel::ms_of(const NodeRow& row) const {
  const QString below = row.path() + QLatin1Char('/');
  double ms = nodeMs_.value(row.path(), 0.0).toDouble();
  if (!group_of(row.node())) return ms;
  for (auto it = nodeMs_.lowerBound(below); it != nodeMs_.end() && it.key().startsWith(below); ++it)
    ms += it.value().toDouble();
  return ms;
}

const Card* GraphModel::card(const QString& id) const {
  const int row = rowOf(id);
  return row < 0 ? nullptr : &cardAt(row);
}

QRectF GraphModel::rectAt(int row) const {
  return rows_[static_cast<size_t>(row)].rect();
}

QRectF GraphModel::nodeRect(const QString& id) const {
  const int row = rowOf(id);
  return row < 0 ? QRectF() : rectAt(row);
}

QPointF GraphModel::anchor(std::string_view node, std::string_view socket, bool isOutput) const {
  const int row = rowOf(to_q(node));
  if (row < 0) return {};
  return rectAt(row).topLeft() + cardAt(row).anchor(socket, isOutput);
}

QString GraphModel::whyNot(const Link& link) const {
  const auto refusal = check_link(document_, link);
  return refusal ? to_q(refusal->reason) : QString();
}

QString GraphModel::dtypeToken(const QString& name) const {
  const auto dtype = dtype_from_name(name.toStdString());
  return dtype ? to_q(info(*dtype).colour_token) : QStringLiteral("dtypeAny");
}

QString GraphModel::socketText(const QString& node, const QString& socket, bool isOutput) const {
  const int row = rowOf(node);
  if (row < 0) return {};
  const NodeRow& r = rows_[static_cast<size_t>(row)];
  const std::vector<CardSocket>& sockets = isOutput ? r.card().outputs : r.card().inputs;
  const QVariantList& states = r.states(document_, isOutput);
  for (size_t i = 0; i < sockets.size() && i < static_cast<size_t>(states.size()); ++i) {
    if (to_q(sockets[i].id) != socket) continue;
    return socket_text(sockets[i], states[static_cast<qsizetype>(i)].toMap());
  }
  return {};
}

void GraphModel::setNodeMs(const QVariantMap& ms) {
  if (ms == nodeMs_) return;
  nodeMs_ = ms;
  Q_EMIT nodeMsChanged();
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {TimeRole});
}

void GraphModel::setInstruments(InstrumentsModel* instruments) {
  instruments_ = instruments;
  connect(instruments, &InstrumentsModel::readingsChanged, this, [this] { gaugeRows_.restart(); });
}

void GraphModel::setHeatMap(HeatMapModel* map) {
  heat_map_ = map;
  for (const auto change : {&HeatMapModel::choiceChanged, &HeatMapModel::heatChanged}) {
    connect(map, change, this, [this] {
      gaugeRows_.restart();
      Q_EMIT wireLooksChanged();
    });
  }
}

void GraphModel::setPreviews(NodePreviews* previews, CardFacts* facts) {
  previews_ = previews;
  facts_ = facts;
  connect(previews, &NodePreviews::previewsChanged, this, [this](const QStringList& paths) {
    for (const QString& path : paths) {
      const auto id = document_.shown().shown_at(to_std(path));
      if (const int row = id ? rowOf(to_q(*id)) : -1; row >= 0) notify_row(row, {PreviewRole});
    }
  });
  connect(facts, &CardFacts::changed, this, [this] { factRows_.restart(); });
}

void GraphModel::lookAt(const QStringList& ids) {
  if (!previews_) return;
  QStringList paths;
  for (const QString& id : ids) paths << document_.pathOf(id);
  previews_->lookAt(paths);
}

const HeatMapModel* GraphModel::heatMap() const {
  return heat_map_ && heat_map_->on() ? heat_map_ : nullptr;
}

QString GraphModel::wireText(const Link& link) const {
  const auto type = document_.validator().output_type(document_.shown().path_of(link.from), link.from_socket);
  QStringList lines{type ? to_q(to_string(*type)) : tr("type not known yet")};
  if (devices_) lines << devices_->wireText(link);
  if (const HeatMapModel* map = heatMap()) lines << map->wordsOf(flat_link(document_.shown().scope(), link));
  lines.removeAll(QString());
  return lines.join(QLatin1Char('\n'));
}

void GraphModel::setPasses(const QHash<QString, QString>& texts) {
  const QHash<QString, QString> before = std::exchange(passes_, texts);
  for (int row = 0; row < count(); ++row) {
    const QString& path = rows_[static_cast<size_t>(row)].path();
    if (before.value(path) != texts.value(path)) notify_row(row, {PassesRole});
  }
}

void GraphModel::setFindings(const std::vector<Diagnostic>& problems) {
  if (problems == findings_) return;
  QStringList touched;
  for (const auto* list : {static_cast<const std::vector<Diagnostic>*>(&findings_), &problems}) {
    for (const Diagnostic& d : *list)
      if (const auto id = document_.shown().shown_at(d.node)) touched.append(to_q(*id));
  }
  findings_ = problems;
  touched.removeDuplicates();
  change_states(touched);
}

QStringList GraphModel::with_readers(const QStringList& ids) const {
  QSet<QString> all(ids.begin(), ids.end());
  for (const QString& id : ids) {
    for (const Link& link : document_.shown().graph().links_from(id.toStdString())) all.insert(to_q(link.to));
  }
  return {all.begin(), all.end()};
}

void GraphModel::rebuild_index() {
  index_.clear();
  index_.reserve(count());
  for (size_t i = 0; i < rows_.size(); ++i) index_[rows_[i].id()] = static_cast<int>(i);
}

void GraphModel::reload() {
  rows_.clear();
  fresh_.clear();
  for (const auto& [id, node] : document_.shown().graph().nodes()) {
    rows_.emplace_back(document_, node);
    rows_.back().refresh(document_, findings_);
  }
  selected_ = document_.selection().nodes();
  selectedLinks_ = document_.selection().links();
  active_ = document_.activeNode();
  rebuild_index();
  endResetModel();
  refresh_wrong_wires();
  Q_EMIT countChanged();
  Q_EMIT wiresReset();
}

void GraphModel::add_rows(const QStringList& ids) {
  std::vector<NodeRow> added;
  added.reserve(static_cast<size_t>(ids.size()));
  for (const QString& id : ids) {
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (!node || index_.contains(id)) continue;
    added.emplace_back(document_, *node);
    added.back().refresh(document_, findings_);
  }
  if (added.empty()) return;
  beginInsertRows({}, count(), count() + static_cast<int>(added.size()) - 1);
  if (rows_.capacity() < rows_.size() + added.size()) rows_.reserve(2 * (rows_.size() + added.size()));
  for (NodeRow& row : added) {
    index_[row.id()] = count();
    fresh_.insert(row.id());
    rows_.push_back(std::move(row));
  }
  endInsertRows();
  Q_EMIT countChanged();
  Q_EMIT geometryChanged(ids);
}

void GraphModel::remove_rows(const QStringList& ids) {
  const QSet<QString> gone(ids.begin(), ids.end());
  const auto stays = [&](const NodeRow& row) { return !gone.contains(row.id()); };
  const auto count_kept = std::count_if(rows_.begin(), rows_.end(), stays);
  if (count_kept == count()) return;
  // Rows that go are brought together, so that they go at once.
  const auto first = std::find_if_not(rows_.begin(), rows_.end(), stays);
  const auto next = std::find_if(first, rows_.end(), stays);
  const bool together = std::all_of(next, rows_.end(), stays);
  const int begin = static_cast<int>(together ? first - rows_.begin() : count_kept);
  if (!together) {
    Q_EMIT layoutAboutToBeChanged();
    std::stable_partition(rows_.begin(), rows_.end(), stays);
    rebuild_index();
    Q_EMIT layoutChanged();
  }
  const auto from = rows_.begin() + begin, to = from + (count() - static_cast<int>(count_kept));
  beginRemoveRows({}, begin, static_cast<int>(to - rows_.begin()) - 1);
  rows_.erase(from, to);
  rebuild_index();
  endRemoveRows();
  Q_EMIT countChanged();
  Q_EMIT geometryChanged(ids);
}

void GraphModel::change_rows(const QStringList& ids) {
  QStringList moved, other_wires;
  for (const QString& id : ids) {
    const int i = rowOf(id);
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (i < 0 || !node) continue;
    NodeRow& row = rows_[static_cast<size_t>(i)];
    QVector<int> roles = row.follow(document_, *node);
    const auto any_of = [&roles](std::initializer_list<int> wanted) {
      return std::ranges::any_of(wanted, [&](int role) { return roles.contains(role); });
    };
    if (any_of({PosXRole, PosYRole, CardHeightRole})) moved.append(id);
    if (any_of({ParamValuesRole, BypassedRole})) other_wires.append(id);
    if (any_of({ParamValuesRole})) rewired_.append(id);  // what a socket says that has no type follows parameters
    if (any_of({InputsRole})) roles += row.refresh(document_, findings_);
    notify_row(i, roles);
  }
  if (!moved.isEmpty()) Q_EMIT geometryChanged(moved);
  if (!other_wires.isEmpty()) Q_EMIT wireLooksTouched(other_wires);
}

void GraphModel::change_links(const QStringList& ids) {
  QStringList resized;
  for (const QString& id : ids) {
    const int i = fresh_.contains(id) ? -1 : rowOf(id);
    const QVector<int> roles = i < 0 ? QVector<int>() : rows_[static_cast<size_t>(i)].follow_wires(document_);
    if (roles.isEmpty()) continue;
    notify_row(i, roles);
    resized.append(id);
  }
  rewired_ += ids;
  Q_EMIT wiresChanged(ids);
  if (!resized.isEmpty()) Q_EMIT geometryChanged(resized);
}

void GraphModel::change_states(const QStringList& ids) {
  const QSet<QString> fresh = std::exchange(fresh_, {});
  if (ids.isEmpty() && rewired_.isEmpty()) return;
  // A wire's look at its far end follows the near end's type.
  const QStringList affected = with_readers(ids + std::exchange(rewired_, {}));
  for (const QString& id : affected) {
    if (const int i = fresh.contains(id) ? -1 : rowOf(id); i >= 0)
      notify_row(i, rows_[static_cast<size_t>(i)].refresh(document_, findings_));
  }
  refresh_wrong_wires();
  Q_EMIT wireLooksTouched(affected);
}

void GraphModel::change_selection() {
  const QSet<QString> before = std::exchange(selected_, document_.selection().nodes());
  const QString active_before = std::exchange(active_, document_.activeNode());
  QSet<QString> changed = (before - selected_) + (selected_ - before);
  if (active_before != active_) changed << active_before << active_;
  for (const QString& id : changed) {
    if (const int row = rowOf(id); row >= 0) notify_row(row, {SelectedRole, ActiveRole});
  }
  const std::vector<Link> links_before = std::exchange(selectedLinks_, document_.selection().links());
  if (links_before == selectedLinks_) return;
  QStringList ends;
  for (const auto* links : {&links_before, &std::as_const(selectedLinks_)})
    for (const Link& link : *links) ends.append(to_q(link.to));
  Q_EMIT wireLooksTouched(ends);
}

void GraphModel::notify_row(int row, const QVector<int>& roles) {
  if (!roles.isEmpty()) Q_EMIT dataChanged(index(row), index(row), roles);
}

void GraphModel::refresh_wrong_wires() {
  const QVariantList wrong = wrong_wires(document_.shown().scope(), document_.validator());
  if (wrong == wrongWires_) return;
  wrongWires_ = wrong;
  Q_EMIT wrongWiresChanged();
}

}  // namespace hw::app
