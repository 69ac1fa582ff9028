// Edits by chance through everything that edits: undo and redo give the bytes that each state had.
#include <gtest/gtest.h>

#include <QJsonDocument>

#include "app/models/graph/graph_clipboard.h"
#include "app/models/graph/graph_edits.h"
#include "app/models/graph/graph_model.h"
#include "app/models/inspector/group_interface_model.h"
#include "app/models/inspector/inspector_model.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/graph/graph_file.h"
#include "tests/app/support.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_params.h"

namespace hw::app::testing {
namespace {

std::string text(const QVariant& value) {
  return QJsonDocument::fromVariant(QVariantList{value}).toJson(QJsonDocument::Compact).toStdString();
}

std::string texts(const std::vector<Diagnostic>& diagnostics) {
  std::string all;
  for (const Diagnostic& d : diagnostics) all += d.node + "." + d.socket + " " + d.code + " " + d.reason + "\n";
  return all;
}

/// A document, and the bytes of every state that Undo and Redo can reach.
class Walk {
 public:
  Walk(uint64_t seed) : dice_(seed) {
    edits_.setLibrary(&library());
    document_.restore(fuzz::random_graph(seed), {}, QStringLiteral("walk"), {});
    states_ = {write_graph(document_.graph())};
    QObject::connect(&document_, &Document::historyChanged, &document_, [this] { stepped_ = true; });
  }

  /// An edit, or several that merge into one step; then Undo and Redo may follow.
  void edit() {
    stepped_ = false;
    act();
    document_.endMerge();
    const std::string bytes = write_graph(document_.graph());
    if (!stepped_) {
      ASSERT_EQ(bytes, states_[at_]) << "a change outside history";
      return;
    }
    states_.resize(++at_);
    states_.push_back(bytes);
    ASSERT_NO_FATAL_FAILURE(undo()) << "one gesture is one step";
    redo();
  }
  void undo() {
    if (at_ == 0) {
      ASSERT_FALSE(document_.canUndo());
      return;
    }
    document_.undo();
    ASSERT_EQ(write_graph(document_.graph()), states_[--at_]);
  }
  void redo() {
    if (at_ + 1 == states_.size()) {
      ASSERT_FALSE(document_.canRedo());
      return;
    }
    document_.redo();
    ASSERT_EQ(write_graph(document_.graph()), states_[++at_]);
  }
  void wander() {
    if (dice_.chance(0.05))
      return document_.shown().graph().nodes().empty() ? void() : (void)groups_.enter(any_group());
    if (dice_.chance(0.05)) return (void)groups_.leave();
    if (dice_.chance(0.8)) return edit();
    const bool back = dice_.chance(0.6);
    for (int64_t times = 1 + dice_.below(6); times > 0 && !::testing::Test::HasFatalFailure(); --times)
      back ? undo() : redo();
  }
  /// What was found edit by edit is what a new look finds.
  void validate() {
    Validator anew;
    anew.set_devices(has_device, device_ids);
    anew.reset(flatten(document_.graph()));
    ASSERT_EQ(texts(document_.validator().all()), texts(anew.all()));
    ASSERT_EQ(document_.validator().all(), anew.all());
  }
  /// What was reported to the canvas makes it what a new look finds.
  void look() {
    const GraphModel anew(document_);
    ASSERT_EQ(canvas_.count(), anew.count());
    for (int row = 0; row < anew.count(); ++row) {
      const int known = canvas_.rowOf(anew.idAt(row));
      ASSERT_GE(known, 0) << anew.idAt(row).toStdString();
      const auto roles = anew.roleNames();
      for (auto role = roles.begin(); role != roles.end(); ++role)
        ASSERT_EQ(text(canvas_.data(canvas_.index(known), role.key())), text(anew.data(anew.index(row), role.key())))
            << anew.idAt(row).toStdString() << " " << role.value().toStdString();
    }
    ASSERT_EQ(canvas_.wrongWires(), anew.wrongWires());
  }
  void to_the_beginning_and_back() {
    while (at_ > 0 && !::testing::Test::HasFatalFailure()) undo();
    while (at_ + 1 < states_.size() && !::testing::Test::HasFatalFailure()) redo();
  }

 private:
  const Node* any() {
    const auto& nodes = document_.shown().graph().nodes();
    return nodes.empty() ? nullptr : &std::next(nodes.begin(), dice_.below(static_cast<int64_t>(nodes.size())))->second;
  }
  QString any_type() {
    const auto& all = Registry::instance().all();
    return QString::fromStdString(std::next(all.begin(), dice_.below(static_cast<int64_t>(all.size())))->first);
  }
  std::optional<Link> any_link() {
    const std::vector<Link> links = document_.shown().graph().links();
    return links.empty() ? std::nullopt : std::optional(dice_.of(links));
  }
  /// An instance on the canvas; else any node.
  QString any_group() {
    std::vector<std::string> groups;
    for (const auto& [id, node] : document_.shown().graph().nodes())
      if (group_of(node)) groups.push_back(id);
    return to_q(groups.empty() ? any()->id : dice_.of(groups));
  }
  void promote(const Node& node) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.params().empty()) return;
    document_.selectNode(to_q(node.id));
    const QString param = to_q(dice_.of(type->decl.params()).id);
    inspector_.setPromoted(param, dice_.chance(0.7));
  }
  void select_some() {
    QSet<QString> ids;
    for (int64_t i = dice_.below(4); i >= 0; --i)
      if (const Node* node = any()) ids.insert(QString::fromStdString(node->id));
    QSet<QString> frames;
    if (const Frame* frame = any_frame(); frame && dice_.chance(0.4)) frames.insert(to_q(frame->id));
    document_.select(ids, ids.isEmpty() ? QString() : *ids.constBegin(), {}, frames);
  }
  const Frame* any_frame() {
    const auto& all = document_.shown().graph().frames();
    return all.empty() ? nullptr : &std::next(all.begin(), dice_.below(static_cast<int64_t>(all.size())))->second;
  }
  /// Frames and notes: made, changed, removed.
  void change_frames(double x, double y) {
    const Frame* frame = any_frame();
    if (!frame || document_.shown().graph().frames().size() < 3) {
      dice_.chance(0.7) ? frames_.frameSelection() : (void)frames_.addNote(x, y);
      return;
    }
    const QString id = to_q(frame->id);
    switch (dice_.below(7)) {
      case 0:
        return frames_.setTitle(id, to_q(dice_.of({"", "A", "B"})));
      case 1:
        return frames_.setText(id, to_q(dice_.of({"", "Two\nlines"})));
      case 2:
        return frames_.setColour(id, to_q(dice_.of({"", "red", "none"})));
      case 3:
        return frames_.shrink(id);
      case 4:
        return frames_.remove(id);
      case 5: {
        const Frame from = *frame;
        for (int i = 0; i < 5; ++i)
          frames_.resize(resized(from, {dice_.chance(0.5), dice_.chance(0.5), true, true}, 16.0 * i - 40, -16.0 * i));
        return;
      }
      default: {
        const QPointF at(frame->x, frame->y);
        for (int i = 0; i < 5; ++i) edits_.moveNodes({}, {{id, at + QPointF(8 * i, x)}});
      }
    }
  }
  void reroute_some() {
    std::vector<CrossedLink> crossed;
    for (int64_t i = dice_.below(3); i >= 0; --i) {
      const auto link = any_link();
      const auto is_it = [&](const CrossedLink& c) { return c.link == *link; };
      if (link && std::ranges::none_of(crossed, is_it)) crossed.push_back({*link, 8.0 * static_cast<double>(i), 16});
    }
    edits_.reroute(crossed);
  }
  void set_param(const Node& node) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.params().empty()) return;
    const ParamDecl& param = dice_.of(type->decl.params());
    const auto value = dice_.chance(0.1)   ? std::nullopt
                       : dice_.chance(0.2) ? std::optional(fuzz::wild_value(param, dice_))
                                           : std::optional(fuzz::fitting_value(param, dice_));
    document_.push(QStringLiteral("Set"), {SetParam{node.id, param.id, value}});
  }
  static Library& library() {
    static Library blocks{HALFWIRE_BLOCKS, {}};
    return blocks;
  }
  QString any_placeable() { return to_q(dice_.of(edits_.placeables()).key()); }
  QString any_block() { return to_q("block:" + dice_.of(library().blocks().blocks).key); }
  /// Sockets and parameters of a group: moved, named, given defaults.
  void change_interface() {
    document_.selectNode(any_group());
    const auto any_of = [&](const QVariantList& rows) {
      return rows.isEmpty() ? QString() : dice_.of(rows).toMap()["id"].toString();
    };
    switch (dice_.below(5)) {
      case 0:
        return interface_.moveSocket(any_of(interface_.inputs()), static_cast<int>(dice_.below(3)));
      case 1:
        return interface_.renameSocket(any_of(interface_.outputs()), to_q(dice_.of({"", "A"})));
      case 2:
        return interface_.moveParam(any_of(interface_.params()), static_cast<int>(dice_.below(3)));
      case 3:
        return interface_.renameParam(any_of(interface_.params()), to_q(dice_.of({"", "A"})));
      default:
        return (void)interface_.setDefault(any_of(interface_.params()), to_q(dice_.of({"8", "f16", "true", "0.5"})));
    }
  }
  void change_group() {
    const auto& groups = document_.graph().groups();
    if (groups.empty()) return;
    Group group = *std::next(groups.begin(), dice_.below(static_cast<int64_t>(groups.size())))->second;
    if (dice_.chance(0.1)) return (void)document_.push(QStringLiteral("Remove"), {RemoveGroup{group.id}});
    group.title = "Title " + std::to_string(dice_.below(100));
    document_.push(QStringLiteral("Group"), {SetGroup{group}});
  }

  void act() {
    const Node* node = any();
    const size_t nodes = document_.shown().graph().nodes().size();
    if (!node || nodes < 3) return (void)edits_.addNode(any_type(), 0, 0);
    const QString id = QString::fromStdString(node->id);
    const double x = static_cast<double>(dice_.below(100) * 8), y = static_cast<double>(dice_.below(100) * 8);
    select_some();
    switch (nodes > 30 || document_.flat().nodes().size() > 200 ? 0 : dice_.below(35)) {
      case 0:
        return document_.deleteSelection();
      case 1:
        return (void)edits_.addNode(any_type(), x, y);
      case 2:
        return set_param(*node);
      case 3:
        for (int i = 0; i < 5; ++i) edits_.moveNodes({{id, QPointF(x + i, y)}});
        return;
      case 4:
        return edits_.nudgeSelection(8, 0);
      case 5:
        return edits_.toggleBypass();
      case 6:
        return dice_.chance(0.5) ? edits_.toggleCollapse() : edits_.togglePreview();
      case 7:
        return (void)edits_.viewOutput(id);
      case 8:
        return clipboard_.duplicateSelection();
      case 9:
        clipboard_.copySelection();
        return clipboard_.paste(x, y, dice_.chance(0.5));
      case 10:
        return clipboard_.cutSelection();
      case 11: {
        const auto link = any_link();
        return link ? edits_.removeLinks({*link}) : void();
      }
      case 12: {
        const auto link = any_link();
        return link ? (void)edits_.insertIntoLink(id, *link) : void();
      }
      case 13: {
        const auto link = any_link();
        const Node* to = any();
        const NodeType* type = Registry::instance().find(to->type);
        if (!link || !type || type->decl.inputs().empty()) return;
        return edits_.rewire({*link}, {{link->from, link->from_socket, to->id, type->decl.inputs().front().id}});
      }
      case 14:
        return document_.setPolicy(dice_.of({"strict", "negotiate", "autocast bf16", "autocast f16"}));
      case 15:
        return change_group();
      case 16:
        return (void)document_.push(QStringLiteral("Name"), {SetLabel{node->id, dice_.of({"", "A", "B"})}});
      case 17:
        return (void)document_.push(QStringLiteral("Freeze"), {SetFrozen{node->id, !node->frozen}});
      case 18:
        return (void)document_.push(QStringLiteral("Tie"), {SetTie{node->id, any()->id}});
      case 19:
        return groups_.groupSelection();
      case 20:
        document_.selectNode(any_group());
        return groups_.ungroupSelection();
      case 21:
        return groups_.makeUnique(any_group());
      case 22:
        return promote(*node);
      case 23:
      case 24:
      case 25:
        return change_frames(x, y);
      case 26:
        return reroute_some();
      case 27:
      case 28:
        return edits_.replaceSelection(any_placeable());
      case 29:
        return (void)edits_.addNode(any_block(), x, y);
      case 30: {
        const auto link = any_link();
        if (!link) return;
        const QString type = dice_.chance(0.5) ? any_block() : any_placeable();
        return dice_.chance(0.5)
                   ? (void)edits_.addNodeIntoLink(type, *link, x, y)
                   : (void)edits_.addNodeLinked(type, to_q(link->from), to_q(link->from_socket), true, x, y);
      }
      case 31:
        return document_.shown().definition() ? groups_.addSocket(id, "y", true) : void();
      case 32:
        return change_interface();
      default: {
        for (const Diagnostic& found : document_.validator().all()) {
          if (!found.remedies.empty() && dice_.chance(0.3)) return (void)document_.mend(found.remedies.front());
        }
      }
    }
  }

  fuzz::Dice dice_;
  Document document_;
  GraphEdits edits_{document_};
  GraphClipboard clipboard_{document_};
  Groups groups_{document_};
  Frames frames_{document_};
  GraphModel canvas_{document_};
  InspectorModel inspector_{document_};
  GroupInterfaceModel interface_{document_};
  std::vector<std::string> states_;
  size_t at_ = 0;
  bool stepped_ = false;
};

class RandomEdits : public ::testing::TestWithParam<int> {};

TEST_P(RandomEdits, UndoAndRedoGiveTheBytesOfEveryState) {
  Walk walk(static_cast<uint64_t>(GetParam()));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_NO_FATAL_FAILURE(walk.wander()) << "edit " << i;
    if (i % 20 == 0) {
      ASSERT_NO_FATAL_FAILURE(walk.validate()) << "edit " << i;
      ASSERT_NO_FATAL_FAILURE(walk.look()) << "edit " << i;
    }
  }
  walk.to_the_beginning_and_back();
}
INSTANTIATE_TEST_SUITE_P(Document, RandomEdits, ::testing::Range(0, 20));

}  // namespace
}  // namespace hw::app::testing
