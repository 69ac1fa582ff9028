// Edits by chance through everything that edits: undo and redo give the bytes that each state had.
#include <gtest/gtest.h>

#include "app/models/graph/graph_clipboard.h"
#include "app/models/graph/graph_edits.h"
#include "engine/backend/backend.h"
#include "engine/graph/flatten.h"
#include "engine/io/graph_file.h"
#include "tests/app/support.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_params.h"

namespace hw::app::testing {
namespace {

/// A document, and the bytes of every state that Undo and Redo can reach.
class Walk {
 public:
  Walk(uint64_t seed) : dice_(seed) {
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
    if (dice_.chance(0.8)) return edit();
    const bool back = dice_.chance(0.6);
    for (int64_t times = 1 + dice_.below(6); times > 0 && !::testing::Test::HasFatalFailure(); --times)
      back ? undo() : redo();
  }
  /// What was found edit by edit is what a new look finds.
  void validate() {
    Validator anew;
    anew.set_devices(device_ids());
    anew.reset(flatten(document_.graph()));
    ASSERT_EQ(document_.validator().all(), anew.all());
  }
  void to_the_beginning_and_back() {
    while (at_ > 0 && !::testing::Test::HasFatalFailure()) undo();
    while (at_ + 1 < states_.size() && !::testing::Test::HasFatalFailure()) redo();
  }

 private:
  const Node* any() {
    const auto& nodes = document_.graph().nodes();
    return nodes.empty() ? nullptr : &std::next(nodes.begin(), dice_.below(static_cast<int64_t>(nodes.size())))->second;
  }
  QString any_type() {
    const auto& all = Registry::instance().all();
    return QString::fromStdString(std::next(all.begin(), dice_.below(static_cast<int64_t>(all.size())))->first);
  }
  std::optional<Link> any_link() {
    const std::vector<Link> links = document_.graph().links();
    return links.empty() ? std::nullopt : std::optional(dice_.of(links));
  }
  void select_some() {
    QSet<QString> ids;
    for (int64_t i = dice_.below(4); i >= 0; --i)
      if (const Node* node = any()) ids.insert(QString::fromStdString(node->id));
    document_.select(ids, ids.isEmpty() ? QString() : *ids.constBegin());
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
    if (!node || document_.graph().nodes().size() < 3) return (void)edits_.addNode(any_type(), 0, 0);
    const QString id = QString::fromStdString(node->id);
    const double x = static_cast<double>(dice_.below(100) * 8), y = static_cast<double>(dice_.below(100) * 8);
    select_some();
    switch (document_.graph().nodes().size() > 30 ? 0 : dice_.below(20)) {
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
        return edits_.toggleCollapse();
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
    }
  }
  walk.to_the_beginning_and_back();
}
INSTANTIATE_TEST_SUITE_P(Document, RandomEdits, ::testing::Range(0, 20));

}  // namespace
}  // namespace hw::app::testing
