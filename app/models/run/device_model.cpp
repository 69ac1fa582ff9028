#include "app/models/run/device_model.h"

#include <algorithm>

#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "app/models/text/format.h"
#include "engine/devices/devices.h"

namespace hw::app {

DeviceModel::DeviceModel(Document& document, RunModel& run, QObject* parent)
    : QObject(parent), document_(document), run_(run) {
  connect(&document_, &Document::shownChanged, this, &DeviceModel::reload);
  connect(&document_, &Document::nodesAdded, this, &DeviceModel::follow);
  connect(&document_, &Document::nodesRemoved, this, &DeviceModel::follow);
  connect(&document_, &Document::nodesChanged, this, &DeviceModel::follow);
  connect(&document_, &Document::selectionChanged, this, &DeviceModel::pinChanged);
  connect(&document_, &Document::linksChanged, this, &DeviceModel::refresh);
  connect(&document_, &Document::validationChanged, this, &DeviceModel::refresh);
  connect(&run_, &RunModel::deviceChanged, this, &DeviceModel::refresh);
  connect(&run_, &RunModel::ratesChanged, this, &DeviceModel::refresh);
  connect(&run_, &RunModel::stateChanged, this, &DeviceModel::refresh);
  reload();
}

QStringList DeviceModel::ids() const {
  static const std::vector<std::string> all = device_ids();
  QStringList list;
  for (const std::string& id : all) list.append(to_q(id));
  return list;
}

QString DeviceModel::notes() const {
  QStringList lines;
  for (const std::string& id : device_ids())
    if (const std::string name = device_name(id); !name.empty()) lines << to_q(id + ": " + name);
  for (const auto& [kind, why] : absent_devices()) lines << to_q(kind + ": " + why.reason);
  return lines.join(QLatin1Char('\n'));
}

/// A view shows what others computed, and runs nowhere.
static bool runs(const Node* node) {
  const NodeType* type = node ? Registry::instance().find(node->type) : nullptr;
  return type &&
         (type->decl.role() == Role::compute || type->decl.role() == Role::train || type->decl.role() == Role::metric);
}

QString DeviceModel::pin() const {
  return pins_.value(document_.activeNode());
}

bool DeviceModel::pinnable() const {
  return runs(document_.shown().graph().find(document_.activeNode().toStdString()));
}

QString DeviceModel::deviceOf(const std::string& node) const {
  const QString pinned = pins_.value(to_q(node));
  return pinned.isEmpty() ? run_.device() : pinned;
}

void DeviceModel::setPin(const QString& device) {
  push({document_.activeNode()}, device);
}

void DeviceModel::pinSelection(const QString& device) {
  const auto& chosen = document_.selection().nodes();
  push({chosen.begin(), chosen.end()}, device);
}

QString DeviceModel::pinOfSelection() const {
  std::optional<QString> all;
  for (const QString& id : document_.selection().nodes()) {
    if (!runs(document_.shown().graph().find(id.toStdString()))) continue;
    const QString own = pins_.value(id);
    if (all && *all != own) return QStringLiteral("-");
    all = own;
  }
  return all.value_or(QString());
}

void DeviceModel::push(const QStringList& nodes, const QString& device) {
  Edits edits;
  for (const QString& id : nodes) {
    const Node* node = document_.shown().graph().find(id.toStdString());
    if (runs(node) && to_q(node->device) != device) edits.push_back(SetDevice{node->id, device.toStdString()});
  }
  if (!edits.empty())
    document_.push(device.isEmpty() ? tr("Run on the Graph's Device") : tr("Run on %1").arg(device), edits);
}

void DeviceModel::follow(const QStringList& nodes) {
  bool changed = false;
  for (const QString& id : nodes) {
    const Node* node = document_.shown().graph().find(id.toStdString());
    const QString own = node ? to_q(node->device) : QString();
    if (pins_.value(id) == own) continue;
    changed = true;
    if (own.isEmpty())
      pins_.remove(id);
    else
      pins_.insert(id, own);
  }
  if (!changed) return;
  Q_EMIT pinChanged();
  refresh();
}

void DeviceModel::reload() {
  pins_.clear();
  for (const auto& [id, node] : document_.shown().graph().nodes()) {
    if (!node.device.empty()) pins_.insert(to_q(id), to_q(node.device));
  }
  Q_EMIT pinChanged();
  refresh();
}

void DeviceModel::refresh() {
  QVariantList now;
  if (!pins_.isEmpty()) {
    for (const Link& link : document_.shown().graph().links()) {
      const auto type = document_.validator().output_type(document_.shown().path_of(link.from), link.from_socket);
      if (!type || type->kind != Kind::tensor) continue;  // the rest stays on the host
      if (const QVariantMap wire = crossing(link, false); !wire.isEmpty()) now.append(wire);
    }
  }
  if (now == crossings_) return;
  crossings_ = std::move(now);
  Q_EMIT crossingsChanged();
}

QVariantMap DeviceModel::crossing(const Link& link, bool times) const {
  if (!runs(document_.shown().graph().find(link.to))) return {};
  const QString source = deviceOf(link.from), sink = deviceOf(link.to);
  if (source == sink) return {};
  const std::string socket = document_.shown().path_of(link.from) + "." + link.from_socket;
  double bytes = 0;
  QStringList lines;
  const auto add = [&](const std::string& value, const QString& from, const QString& to, const QString& sentence) {
    for (const TransferReading& t : run_.snapshot().transfers) {
      if (t.value != value || to_q(t.from) != from || to_q(t.to) != to) continue;
      bytes += t.bytes;
      const QString size = format_bytes(t.bytes);
      const QString amount = times ? tr("%1 a step, %2").arg(size, format_ms(t.ms)) : tr("%1 a step").arg(size);
      lines.append(sentence.arg(amount, from, to));
    }
  };
  add(socket, source, sink, tr("%1, %2 → %3"));
  add("grad(" + socket + ")", sink, source, tr("gradient: %1, %2 → %3"));
  if (lines.isEmpty()) lines.append(tr("%1 → %2").arg(source, sink));
  return {{"from", to_q(link.from)},
          {"fromSocket", to_q(link.from_socket)},
          {"to", to_q(link.to)},
          {"toSocket", to_q(link.to_socket)},
          {"source", source},
          {"target", sink},
          {"text", lines.join(QLatin1Char('\n'))},
          {"figure", bytes > 0 ? format_bytes(bytes) : QString()}};
}

QString DeviceModel::wireText(const Link& link) const {
  return pins_.isEmpty() ? QString() : crossing(link, true).value(QStringLiteral("text")).toString();
}

}  // namespace hw::app
