#include "app/models/graph/graph_clipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QRectF>
#include <QUuid>
#include <algorithm>
#include <map>
#include <set>

#include "app/document/text.h"
#include "app/models/cards/card_boxes.h"
#include "app/models/graph/selection.h"
#include "engine/graph/groups/copy_groups.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/scope.h"
#include "engine/io/asset/asset_paths.h"
#include "engine/io/graph/graph_file.h"

namespace hw::app {
namespace {

constexpr double kAside = 32;  // canvas units between a copy and what lies where it would
const QString kOrigin = QStringLiteral("application/x-halfwire-origin");  // which document it was copied from
const QString kFolder = QStringLiteral("application/x-halfwire-folder");  // where that looks for files

/// A graph from elsewhere may name a node that happens to be here and is another.
bool has_output(const Scope& scope, const std::string& node, const std::string& socket) {
  const Node* found = scope.graph->find(node);
  if (const auto inside = found ? enter(scope, *found) : std::nullopt) {
    const Node* output = inside->graph->find(socket);
    return output && output->type == kOutputType;
  }
  const NodeType* type = found ? Registry::instance().find(found->type) : nullptr;
  return type && type->declared(found->params).has_output(socket);
}

/// `offset`, moved aside until no copy lies exactly on a node.
QPointF beside(const Graph& graph, const Graph& copies, QPointF offset) {
  std::set<std::pair<double, double>> places;
  for (const auto& [id, node] : graph.nodes()) places.emplace(node.x, node.y);
  const auto covers = [&](const Node& copy) { return places.contains({copy.x + offset.x(), copy.y + offset.y()}); };
  while (std::any_of(copies.nodes().begin(), copies.nodes().end(), [&](const auto& c) { return covers(c.second); })) {
    offset += QPointF(kAside, kAside);
  }
  return offset;
}

/// Graph::fresh_id for many nodes: no two get the same.
class FreshIds {
 public:
  explicit FreshIds(const Graph& graph) : graph_(graph) {}
  std::string of(const std::string& type) {
    for (int& n = next_[type];;) {
      std::string id = ++n == 1 ? type : type + "_" + std::to_string(n);
      if (!graph_.find(id) && given_.insert(id).second) return id;  // another type may be called "mlp_2"
    }
  }

 private:
  const Graph& graph_;
  std::map<std::string, int> next_;
  std::set<std::string> given_;
};

/// Notes of adopt_groups: a line for each group of `source` that goes into the document under another id.
std::vector<std::string> notes_of_renamed(const Graph& source, const Edits& adopted) {
  std::vector<std::string> notes;
  for (const Edit& edit : adopted) {
    const Group& group = *std::get<SetGroup>(edit).group;
    if (!source.find_group(group.id))
      notes.push_back(title_of(group) +
                      " comes along: the group of that name in this document is another, and stays as it is.");
  }
  return notes;
}

}  // namespace

GraphClipboard::GraphClipboard(Document& document, QObject* parent) : QObject(parent), document_(document) {
  const auto renew = [this] { origin_ = QUuid::createUuid().toByteArray(); };
  renew();
  connect(&document, &Document::reset, this, renew);
}

/// The selected nodes and frames, frames whose nodes are all selected, and the wires among them; with `with_incoming`
/// also the wires into them.
Graph GraphClipboard::selected_part(bool with_incoming) const {
  Graph part;
  const Graph& graph = document_.shown().graph();
  const QSet<QString>& chosen = document_.selection().nodes();
  for (const QString& id : chosen) {
    if (const Node* node = graph.find(id.toStdString())) part.add_node(*node);
  }
  for (const auto& [id, node] : part.nodes()) {
    for (const Link& link : graph.links_into(id)) {
      if (with_incoming || chosen.contains(to_q(link.from))) part.add_link(link);
    }
  }
  for (const std::string& id : frames_with_selection())
    if (const auto frame = graph.frames().find(id); frame != graph.frames().end()) part.set_frame(frame->second);
  add_used_groups(document_.graph(), part);
  return part;
}

std::set<std::string> GraphClipboard::frames_with_selection() const {
  const Scope& scope = document_.shown().scope();
  return frames_of(*scope.graph, selection_of(document_), card_boxes(scope));
}

void GraphClipboard::add_copies(const QString& text, Graph source, QPointF offset, bool with_incoming,
                                std::vector<std::string> notes) {
  offset = beside(document_.shown().graph(), source, offset);
  FreshIds fresh(document_.shown().graph());
  std::map<std::string, std::string> renamed;
  Edits edits = adopt_groups(document_.graph(), source);
  std::ranges::move(notes_of_renamed(source, edits), std::back_inserter(notes));
  QSet<QString> ids;
  std::vector<Node> copies;
  copies.reserve(source.nodes().size());
  edits.reserve(edits.size() + source.nodes().size() + source.links().size());
  for (const auto& [id, node] : source.nodes()) {
    Node copy = node;
    copy.id = fresh.of(std::string(group_of(node).value_or(node.type)));
    copy.x += offset.x();
    copy.y += offset.y();
    renamed[id] = copy.id;
    ids.insert(to_q(copy.id));
    copies.push_back(std::move(copy));
  }
  for (Node& copy : copies) {  // a tie leads to the owner's copy, else to the owner where it is there
    if (const auto owner = renamed.find(copy.tie); owner != renamed.end()) {
      copy.tie = owner->second;
    } else if (const Node* there = document_.shown().graph().find(copy.tie); !there || there->type != copy.type) {
      copy.tie.clear();
    }
    edits.push_back(AddNode{std::move(copy)});
  }
  for (const Link& link : source.links()) {
    const auto from = renamed.find(link.from), to = renamed.find(link.to);
    if (to == renamed.end()) continue;
    if (from != renamed.end()) {
      edits.push_back(AddLink{{from->second, link.from_socket, to->second, link.to_socket}});
    } else if (with_incoming && has_output(document_.shown().scope(), link.from, link.from_socket)) {
      edits.push_back(AddLink{{link.from, link.from_socket, to->second, link.to_socket}});
    }
  }
  QSet<QString> frames;
  Graph taken;  // to find ids that are free together
  for (const auto& [id, frame] : document_.shown().graph().frames()) taken.set_frame(frame);
  for (const auto& [id, frame] : source.frames()) {
    Frame copy = frame;
    copy.id = taken.fresh_frame_id(frame.text ? "note" : "frame");
    copy.x += offset.x();
    copy.y += offset.y();
    taken.set_frame(copy);
    frames.insert(to_q(copy.id));
    edits.push_back(SetFrame{std::move(copy)});
  }
  if ((ids.empty() && frames.empty()) || !document_.push(text, edits)) return;
  document_.select(ids, ids.size() == 1 ? *ids.begin() : QString(), {}, frames);
  QStringList lines;
  for (const std::string& note : notes) lines.append(to_q(note));
  if (!lines.isEmpty()) Q_EMIT document_.explained(text, lines);
}

void GraphClipboard::duplicateSelection() {
  document_.letGo();  // copies have the stored positions, not where nodes are being dragged
  add_copies(QStringLiteral("Duplicate"), selected_part(true), QPointF(kAside, kAside), true);
}

void GraphClipboard::copySelection() const {
  const Graph part = selected_part(true);
  if (part.nodes().empty() && part.frames().empty()) return;
  auto* data = new QMimeData;  // the clipboard owns it
  data->setText(to_q(write_graph(part)));
  data->setData(kOrigin, origin_);
  data->setData(kFolder, document_.folder().toUtf8());
  QGuiApplication::clipboard()->setMimeData(data);
}

void GraphClipboard::cutSelection() {
  if (document_.selection().nodes().isEmpty() && document_.selection().frames().isEmpty()) return;
  copySelection();
  QSet<QString> frames;
  for (const std::string& id : frames_with_selection()) frames.insert(to_q(id));
  document_.select(document_.selection().nodes(), document_.activeNode(), document_.selection().links(), frames);
  document_.deleteSelection();
}

void GraphClipboard::paste(double x, double y, bool withIncoming) {
  const QMimeData* data = QGuiApplication::clipboard()->mimeData();
  Result<Graph> pasted = parse_graph(data ? data->text().toStdString() : std::string(), "clipboard");
  if (!pasted) {
    const Error& e = pasted.error();
    Q_EMIT document_.refused(to_q(e.code), QStringLiteral("The clipboard holds no nodes"), to_q(e.reason));
    return;
  }
  const QString from = QString::fromUtf8(data->data(kFolder));
  if (!from.isEmpty()) {  // what paths name beside the other document
    const auto seen = apply_edits(*pasted, paths_seen_from(*pasted, to_path(from), to_path(document_.folder())));
    if (!seen) return void(Q_EMIT document_.refused(to_q(seen.error().code), reason_text(seen.error()), {}));
  }
  std::vector<std::string> notes;
  if (data->data(kOrigin) == origin_) notes = renew_groups(document_.graph(), *pasted);
  QRectF bounds;
  for (const auto& [id, node] : pasted->nodes()) {
    bounds |= QRectF(QPointF(node.x, node.y), make_card(document_scope(*pasted), node).size);
  }
  for (const auto& [id, frame] : pasted->frames()) bounds |= QRectF(frame.x, frame.y, frame.width, frame.height);
  const QPointF offset = QPointF(x, y) - bounds.center();
  add_copies(QStringLiteral("Paste"), *std::move(pasted), QPointF(qRound(offset.x()), qRound(offset.y())), withIncoming,
             std::move(notes));
}

}  // namespace hw::app
