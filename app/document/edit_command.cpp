#include "app/document/edit_command.h"

#include <algorithm>
#include <set>

#include "app/document/document.h"

namespace hw::app {
namespace {

/// What a setting sets; empty for edits that are no plain settings.
std::string target_of(const Edit& edit) {
  struct Visit {
    std::string operator()(const SetParam& e) const { return "param " + e.node + "." + e.param; }
    std::string operator()(const SetLabel& e) const { return "label " + e.node; }
    std::string operator()(const MoveNode& e) const { return "move " + e.node; }
    std::string operator()(const SetFlags& e) const { return "flags " + e.node; }
    std::string operator()(const SetPreview& e) const { return "preview " + e.node; }
    std::string operator()(const SetFrozen& e) const { return "frozen " + e.node; }
    std::string operator()(const SetDevice& e) const { return "device " + e.node; }
    std::string operator()(const SetTie& e) const { return "tie " + e.node; }
    std::string operator()(const SetWeight& e) const { return "weight " + e.node + "." + e.weight; }
    std::string operator()(const SetPolicy&) const { return "policy"; }
    std::string operator()(const SetWeightNames&) const { return "weight names"; }
    std::string operator()(const AddNode&) const { return {}; }
    std::string operator()(const RemoveNode&) const { return {}; }
    std::string operator()(const AddLink&) const { return {}; }
    std::string operator()(const RemoveLink&) const { return {}; }
    std::string operator()(const SetFrame& e) const { return "frame " + e.frame.id; }
    std::string operator()(const RemoveFrame&) const { return {}; }
    std::string operator()(const SetGroup& e) const { return "group " + e.group->id; }
    std::string operator()(const RemoveGroup&) const { return {}; }
  };
  return std::visit(Visit{}, edit);
}

}  // namespace

EditCommand::EditCommand(Document& document, const QString& text, std::string path, Edits edits, Edits inverse,
                         MovedNodes moved, int mergeId, int mergeRun)
    : QUndoCommand(text),
      document_(document),
      path_(std::move(path)),
      edits_(std::move(edits)),
      inverse_(std::move(inverse)),
      moved_(std::move(moved)),
      mergeId_(mergeId),
      mergeRun_(mergeRun) {}

void EditCommand::redo() {
  if (!applied_) document_.reapply(path_, edits_, moved_);
  applied_ = true;
}

void EditCommand::undo() {
  document_.takeBack(path_, inverse_, moved_back(moved_));
  applied_ = false;
}

bool EditCommand::mergeWith(const QUndoCommand* other) {
  const auto* later = dynamic_cast<const EditCommand*>(other);
  if (!later || later->mergeRun_ != mergeRun_ || !moved_.empty() || !later->moved_.empty()) return false;
  edits_.insert(edits_.end(), later->edits_.begin(), later->edits_.end());
  inverse_.insert(inverse_.begin(), later->inverse_.begin(), later->inverse_.end());
  keep_last_settings(edits_);
  keep_last_settings(inverse_);
  // What was dragged and put back is no step of history.
  setObsolete(std::is_permutation(edits_.begin(), edits_.end(), inverse_.begin(), inverse_.end()));
  return true;
}

void keep_last_settings(Edits& edits) {
  std::set<std::string> seen;
  Edits kept;
  for (auto it = edits.rbegin(); it != edits.rend(); ++it) {
    const std::string target = target_of(*it);
    if (target.empty()) return;
    if (seen.insert(target).second) kept.push_back(*it);
  }
  edits.assign(kept.rbegin(), kept.rend());
}

}  // namespace hw::app
