#include "app/models/graph/node_search.h"

#include <algorithm>
#include <cmath>

#include "app/document/wire_checks.h"
#include "app/models/cards/wire_curve.h"
#include "app/models/graph/selection.h"
#include "app/models/palette/fuzzy_match.h"
#include "app/models/palette/node_ranking.h"
#include "engine/core/dtype.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/replace.h"

namespace hw::app {
namespace {

constexpr size_t kMostSockets = 6;  // of the graph that are listed
constexpr size_t kMostAsked = 200;  // nodes, nearest first, whose sockets are tried
constexpr double kOnWire = 10;      // canvas units from a wire

/// The wire at a place on the canvas where no card lies.
std::optional<Link> wire_at(const GraphModel& graph, QPointF at) {
  for (int row = 0; row < graph.count(); ++row)
    if (graph.rectAt(row).contains(at)) return std::nullopt;
  std::optional<Link> nearest;
  double reach = kOnWire;
  for (const Link& link : graph.document().shown().graph().links()) {
    const WireCurve curve(graph.anchor(link.from, link.from_socket, true),
                          graph.anchor(link.to, link.to_socket, false));
    if (!curve.bounds().adjusted(-reach, -reach, reach, reach).contains(at)) continue;
    const double distance = curve.distance(at);
    if (distance > reach) continue;
    reach = distance;
    nearest = link;
  }
  return nearest;
}

/// What is searched and shown of a note, which is no node.
const std::shared_ptr<const NodeType>& note() {
  static const std::shared_ptr<const NodeType> type = [] {
    NodeType note;
    note.id = "note";
    note.decl.title("Note").category("Canvas").summary("Text on the canvas, behind the nodes.");
    note.decl.keywords("comment annotation sticky text");
    return std::make_shared<const NodeType>(std::move(note));
  }();
  return type;
}

}  // namespace

int NodeSearch::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QHash<int, QByteArray> NodeSearch::roleNames() const {
  return {{KeyRole, "key"}, {TitleRole, "title"}, {CategoryRole, "category"}, {SummaryRole, "summary"}};
}

QVariant NodeSearch::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count()) return {};
  const Offer& offer = found_[static_cast<size_t>(index.row())];
  const NodeDecl& decl = offer.type->decl;
  switch (role) {
    case KeyRole:
      return offer.exists() ? to_q(offer.node + ":" + offer.socket) : to_q(offer.type->id);
    case Qt::DisplayRole:
    case TitleRole:
      if (offer.exists()) return to_q(offer.label);
      return offer.cast ? tr("%1 via Cast to %2").arg(to_q(decl.title()), to_q(name(*offer.cast))) : to_q(decl.title());
    case CategoryRole:
      return to_q(decl.category());
    case SummaryRole:
      return offer.exists() ? tr("In the graph: %1")
                                  .arg(graph_->socketText(to_q(offer.node), to_q(offer.socket), !is_output_)
                                           .section(QLatin1Char('\n'), 0, 0))
                            : to_q(decl.summary());
    default:
      return {};
  }
}

void NodeSearch::setGraph(GraphModel* graph) {
  if (graph == graph_) return;
  graph_ = graph;
  fit({}, {}, false, {});
}

void NodeSearch::setQuery(const QString& query) {
  if (query == query_) return;
  query_ = query;
  search();
}

void NodeSearch::fit(const QString& node, const QString& socket, bool isOutput, QPointF at) {
  clear();
  node_ = node;
  socket_ = socket;
  is_output_ = isOutput;
  at_ = at;
  wire_ = node_.isEmpty() && graph_ ? wire_at(*graph_, at) : std::nullopt;
  const bool waits = !node_.isEmpty() && graph_;
  if (waits && !is_output_) offer_sockets(at);
  offer_types();
  if (waits && is_output_) offer_sockets(at);
  search();
}

void NodeSearch::clear() {
  node_.clear();
  after_.clear();
  wire_.reset();
  replaces_ = false;
  offers_.clear();
  refused_ = 0;
}

void NodeSearch::offer_types() {
  if (!graph_) return;
  std::vector<Offer> by_cast;
  const std::string node = node_.toStdString(), socket = socket_.toStdString();
  for (const Placeable& one : graph_->edits()->placeables()) {
    if (node.empty()) {
      offers_.push_back({one.look, {}, {}, {}, {}});
      continue;
    }
    const Candidate candidate = one.candidate(document().graph());
    if (fitting_socket(document(), node, socket, is_output_, candidate)) {
      offers_.push_back({one.look, {}, {}, {}, {}});
    } else if (const auto fit = fitting_by_cast(document(), node, socket, is_output_, candidate)) {
      by_cast.push_back({one.look, fit->to, {}, {}, {}});
    } else {
      ++refused_;
    }
  }
  offers_.insert(offers_.end(), by_cast.begin(), by_cast.end());
  if (node.empty()) offers_.push_back({note(), {}, {}, {}, {}});
}

void NodeSearch::replace() {
  clear();
  replaces_ = true;
  if (graph_) offer_replacements();
  search();
}

void NodeSearch::offer_replacements() {
  const Scope& scope = document().shown().scope();
  const std::set<std::string> nodes = selection_of(document()).nodes;
  const Node* active = scope.graph->find(to_std(document().activeNode()));
  const auto declared = active ? declaration_of(document().graph(), *active) : std::nullopt;
  const std::string category = declared ? (*declared)->category() : std::string();
  std::vector<std::pair<std::pair<size_t, bool>, Offer>> all;  // wires that would be lost, another category
  for (const Placeable& one : graph_->edits()->placeables()) {
    const auto made = replace_nodes(scope, nodes, one.key(), one.decl());
    if (made) all.push_back({{made->lost.size(), one.decl().category() != category}, {one.look, {}, {}, {}, {}}});
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  for (auto& [order, offer] : all) offers_.push_back(std::move(offer));
}

void NodeSearch::follow(const QString& node) {
  clear();
  after_ = node;
  offer_following();
  search();
}

void NodeSearch::offer_following() {
  const Card* card = graph_ ? graph_->card(after_) : nullptr;
  if (!card) return offer_types();
  const std::string node = after_.toStdString();
  std::vector<Offer> direct, by_cast, loose;
  for (const Placeable& one : graph_->edits()->placeables()) {
    const Candidate candidate = one.candidate(document().graph());
    Offer offer{one.look, {}, {}, {}, {}};
    for (const CardSocket& output : card->outputs) {
      if (!offer.from.empty()) break;
      if (fitting_socket(document(), node, output.id, true, candidate)) offer.from = output.id;
    }
    const bool fits = !offer.from.empty();
    for (const CardSocket& output : card->outputs) {
      if (!offer.from.empty()) break;
      if (const auto fit = fitting_by_cast(document(), node, output.id, true, candidate)) {
        offer.from = output.id;
        offer.cast = fit->to;
      }
    }
    (fits ? direct : offer.cast ? by_cast : loose).push_back(std::move(offer));
  }
  for (const std::vector<Offer>* some : {&direct, &by_cast, &loose})
    offers_.insert(offers_.end(), some->begin(), some->end());
}

QPointF NodeSearch::place_after(const std::string& output) const {
  constexpr double above = CardMetrics::header + CardMetrics::pad + CardMetrics::socket_row / 2;
  QPointF at = graph_->anchor(after_.toStdString(), output, true) + QPointF(CardMetrics::gap, 0);
  for (int tried = 0; tried < graph_->count(); ++tried) {
    const QRectF room(at.x(), at.y() - above, CardMetrics::width, 2 * above);
    double lowest = 0;
    for (int row = 0; row < graph_->count(); ++row) {
      if (graph_->rectAt(row).intersects(room))
        lowest = std::max(lowest, graph_->rectAt(row).bottom() + above + CardMetrics::gap);
    }
    if (lowest <= at.y()) return at;
    at.setY(lowest);
  }
  return at;
}

void NodeSearch::offer_sockets(QPointF at) {
  std::vector<std::pair<double, int>> near;
  for (int row = 0; row < graph_->count(); ++row) {
    const QPointF away = graph_->rectAt(row).center() - at;
    if (graph_->idAt(row) != node_) near.push_back({std::hypot(away.x(), away.y()), row});
  }
  const size_t asked = std::min(near.size(), kMostAsked);
  std::partial_sort(near.begin(), near.begin() + static_cast<ptrdiff_t>(asked), near.end());
  near.resize(asked);
  const Document& document = graph_->document();
  const Graph& graph = document.shown().graph();
  const std::string held = node_.toStdString(), held_socket = socket_.toStdString();
  std::vector<Offer> open, wired;
  for (const auto& [distance, row] : near) {
    const Card& card = graph_->cardAt(row);
    const Node* node = graph.find(graph_->idAt(row).toStdString());
    const auto look = node ? find_placeable(document.graph(), {}, node->type) : std::nullopt;
    if (!look) continue;
    for (const CardSocket& socket : is_output_ ? card.inputs : card.outputs) {
      if (!socket.decl) continue;
      const Link link =
          is_output_ ? Link{held, held_socket, node->id, socket.id} : Link{node->id, socket.id, held, held_socket};
      const bool has_wire = is_output_ ? std::ranges::any_of(graph.links_into(node->id),
                                                             [&](const Link& l) { return l.to_socket == socket.id; })
                                       : std::ranges::any_of(graph.links_from(node->id),
                                                             [&](const Link& l) { return l.from_socket == socket.id; });
      if ((is_output_ && has_wire) || check_link(document, link)) continue;
      (has_wire ? wired : open)
          .push_back({look->look,
                      {},
                      node->id,
                      socket.id,
                      display_name(document.graph(), *node) + " › " + socket.decl->label});
    }
  }
  open.insert(open.end(), wired.begin(), wired.end());
  if (open.size() > kMostSockets) open.resize(kMostSockets);
  offers_.insert(offers_.end(), open.begin(), open.end());
}

void NodeSearch::search() {
  beginResetModel();
  std::vector<std::pair<int, const Offer*>> ranked;
  for (const Offer& offer : offers_) {
    int score = match_score(query_, *offer.type);
    if (offer.exists()) score = std::max(score, fuzzy_score(query_, to_q(offer.label)));
    if (score > 0) ranked.push_back({score, &offer});
  }
  if (!query_.trimmed().isEmpty()) {
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  }
  found_.clear();
  for (const auto& [score, offer] : ranked) found_.push_back(*offer);
  endResetModel();
  Q_EMIT changed();
}

bool NodeSearch::place(int row, QPointF at) {
  if (!graph_ || row < 0 || row >= count()) return false;
  const Offer offer = found_[static_cast<size_t>(row)];
  GraphEdits& edits = *graph_->edits();
  const QString type = to_q(offer.type->id);
  if (replaces_) {
    edits.replaceSelection(type);
  } else if (offer.type == note()) {
    if (const QString id = graph_->frames()->addNote(at.x(), at.y()); !id.isEmpty()) Q_EMIT noteAdded(id);
  } else if (offer.exists()) {
    const std::string held = node_.toStdString(), held_socket = socket_.toStdString();
    edits.rewire({}, {is_output_ ? Link{held, held_socket, offer.node, offer.socket}
                                 : Link{offer.node, offer.socket, held, held_socket}});
  } else if (!offer.from.empty()) {
    const QPointF beside = place_after(offer.from);
    edits.addNodeLinked(type, after_, to_q(offer.from), true, beside.x(), beside.y());
  } else if (node_.isEmpty()) {
    if (!wire_ || edits.addNodeIntoLink(type, *wire_, at_.x(), at_.y()).isEmpty()) edits.addNode(type, at.x(), at.y());
  } else {
    edits.addNodeLinked(type, node_, socket_, is_output_, at.x(), at.y());
  }
  return true;
}

}  // namespace hw::app
