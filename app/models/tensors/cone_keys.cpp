#include "app/models/tensors/cone_keys.h"

#include <QCryptographicHash>
#include <QDataStream>
#include <QIODevice>

#include "app/document/text.h"
#include "engine/field/node_evaluator.h"
#include "engine/graph/node_fields.h"

namespace hw::app {
namespace {

QDataStream& operator<<(QDataStream& out, const std::string& text) {
  return out << QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

void add(QDataStream& out, const ParamValue& value) {
  out << static_cast<quint32>(value.index());
  std::visit(
      [&out](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::vector<double>>) {
          out << static_cast<quint64>(v.size());
          for (const double x : v) out << x;
        } else if constexpr (std::is_same_v<T, int64_t>) {
          out << static_cast<qint64>(v);
        } else {
          out << v;
        }
      },
      value);
}

void add(QDataStream& out, const ParamMap& params) {
  out << static_cast<quint64>(params.size());
  for (const auto& [name, value] : params) {
    out << name;
    add(out, value);
  }
}

/// What a node's parameters are stored as.
void add(QDataStream& out, const std::map<std::string, WeightFormat, std::less<>>& weights) {
  out << static_cast<quint64>(weights.size());
  for (const auto& [weight, format] : weights)
    out << weight << static_cast<quint32>(format.dtype) << format.cast << format.convert;
}

void add(QDataStream& out, const std::string& text) {
  out << text;
}

void add(QDataStream& out, bool flag) {
  out << flag;
}

/// All that the node computes is made of.
void add(QDataStream& out, const Node& node) {
  for_each_field(
      [&out](auto row, const auto& field) {
        if constexpr (contains(kComputed, decltype(row)::value)) add(out, field);
      },
      node);
}

QByteArray hashed(const QByteArray& content) {
  return QCryptographicHash::hash(content, QCryptographicHash::Sha256);
}

}  // namespace

ConeKeys::ConeKeys(const Graph& flat, EvaluationInputs inputs) : flat_(flat), inputs_(std::move(inputs)) {}

ConeKeys::Cone ConeKeys::look(const Node& node) const {
  Cone made;
  QByteArray content;
  QDataStream out(&content, QIODevice::WriteOnly);
  add(out, node);
  if (const Node* owner = node.tie.empty() ? nullptr : flat_.find(node.tie)) {
    out << owner->frozen;
    add(out, owner->weights);
  }
  const NodeType* type = Registry::instance().find(node.type);
  made.has_weights = !type || !type->decl.weights().empty();
  const std::vector<Link>& links = flat_.links_into(node.id);
  if (const GivenInput* given = links.empty() ? inputs_.given->find(node.id) : nullptr)
    out << static_cast<quint64>(given->version);
  for (const Link& link : links) {
    out << link.to_socket << link.from_socket;
    const auto before = known_.constFind(to_q(link.from));
    if (before == known_.cend()) continue;  // a cycle, which is not evaluated
    out << before->key;
    made.has_weights = made.has_weights || before->has_weights;
  }
  made.key = hashed(content);
  return made;
}

const ConeKeys::Cone& ConeKeys::cone(const std::string& node) {
  // Cones may be as deep as a graph has nodes: no recursion.
  std::vector<std::pair<std::string, bool>> stack{{node, false}};
  QHash<QString, bool> begun;
  while (!stack.empty()) {
    auto [id, entered] = stack.back();
    stack.pop_back();
    const QString key = to_q(id);
    const Node* found = flat_.find(id);
    if (known_.contains(key)) continue;
    if (entered || !found) {
      known_.insert(key, found ? look(*found) : Cone{});
      continue;
    }
    if (std::exchange(begun[key], true)) continue;
    stack.emplace_back(id, true);
    for (const Link& link : flat_.links_into(id)) stack.emplace_back(link.from, false);
  }
  return *known_.constFind(to_q(node));
}

ConeKeys::Cone ConeKeys::together(const std::string& path) {
  if (flat_.find(path)) return cone(path);
  Cone all;
  QByteArray content;
  QDataStream out(&content, QIODevice::WriteOnly);
  for (const SocketRef& wire : tensors_of(flat_, path).wires) {
    const Cone& of = cone(wire.node);
    out << wire.node << wire.socket << of.key;
    all.has_weights = all.has_weights || of.has_weights;
  }
  all.key = hashed(content);
  return all;
}

bool ConeKeys::has_weights(const std::string& path) {
  return together(path).has_weights;
}

std::vector<std::string> ConeKeys::nodes() const {
  std::vector<std::string> nodes;
  for (auto it = known_.begin(); it != known_.end(); ++it) nodes.push_back(to_std(it.key()));
  return nodes;
}

QByteArray ConeKeys::program_of(const std::string& path) {
  QByteArray content;
  QDataStream out(&content, QIODevice::WriteOnly);
  out << together(path).key << inputs_.device << inputs_.training;
  return hashed(content);
}

QByteArray ConeKeys::of(const std::string& path) {
  const Cone cone = together(path);
  QByteArray content;
  QDataStream out(&content, QIODevice::WriteOnly);
  out << path << cone.key << inputs_.device << inputs_.training << static_cast<quint64>(inputs_.seed)
      << static_cast<quint64>(inputs_.step) << static_cast<quint64>(inputs_.files);
  if (cone.has_weights) out << static_cast<quint64>(inputs_.weights);
  return hashed(content);
}

}  // namespace hw::app
