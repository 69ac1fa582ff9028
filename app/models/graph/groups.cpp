#include "app/models/graph/groups.h"

#include <utility>

#include "app/document/text.h"
#include "app/models/cards/card_boxes.h"
#include "app/models/graph/selection.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/grouping.h"
#include "engine/graph/groups/interface_edits.h"

namespace hw::app {
namespace {

void refuse(Document& document, const Error& error) {
  Q_EMIT document.refused(to_q(error.code), sentence(error.reason), to_q(error.remedy));
}

}  // namespace

Groups::Groups(Document& document, QObject* parent) : QObject(parent), document_(document) {
  for (const auto change : {&Document::shownChanged, &Document::structureChanged, &Document::fileChanged})
    connect(&document, change, this, &Groups::refresh);
  connect(&document, &Document::nodesChanged, this, &Groups::refresh);  // names
  refresh();
}

void Groups::refresh() {
  const QVariantList before = std::exchange(breadcrumbs_, trail());
  const auto group = document_.shown().definition();
  const int others = group ? static_cast<int>(count_instances(document_.graph(), group->id)) - 1 : 0;
  if (std::exchange(other_instances_, others) != others || before != breadcrumbs_) Q_EMIT breadcrumbsChanged();
}

QVariantList Groups::trail() const {
  QVariantList list{QVariantMap{{"title", document_.title()}, {"path", QString()}}};
  const qsizetype at = list.size();
  for (const Scope* scope = &document_.shown().scope(); scope->instance; scope = scope->outer) {
    list.insert(at, QVariantMap{{"title", to_q(display_name(document_.graph(), *scope->instance))},
                                {"path", to_q(scope->prefix).chopped(1)}});
  }
  return list;
}

bool Groups::isGroup(const QString& node) const {
  const Scope& scope = document_.shown().scope();
  const Node* found = scope.graph->find(to_std(node));
  return found && definition(scope, *found);
}

bool Groups::isShared(const QString& node) const {
  const Node* found = document_.shown().graph().find(to_std(node));
  const auto group = found ? group_of(*found) : std::nullopt;
  return group && count_instances(document_.graph(), *group) > 1;
}

bool Groups::enter(const QString& node) {
  if (!isGroup(node)) return false;
  document_.openGroup(document_.pathOf(node));
  return true;
}

bool Groups::leave() {
  const Scope& scope = document_.shown().scope();
  if (!scope.instance) return false;
  const QString instance = to_q(scope.instance->id);
  document_.openGroup(to_q(scope.outer->prefix).chopped(scope.outer->prefix.empty() ? 0 : 1));
  document_.selectNode(instance);
  return true;
}

void Groups::groupSelection() {
  document_.letGo();  // of nodes at their stored positions, not where they are being dragged
  const Scope& scope = document_.shown().scope();
  const BoxOf box = card_boxes(scope);
  const Placed chosen = with_content(*scope.graph, selection_of(document_), box);
  const auto made = make_group(scope, chosen.nodes, frames_of(*scope.graph, chosen, box));
  if (!made) return refuse(document_, made.error());
  if (document_.push(tr("Group"), made->edits, -1, made->moved)) document_.selectNode(to_q(made->instance));
}

void Groups::ungroupSelection() {
  document_.letGo();
  std::set<std::string> instances;
  for (const QString& id : document_.selection().nodes())
    if (isGroup(id)) instances.insert(to_std(id));
  if (instances.empty()) return;
  const auto done = ungroup(document_.shown().scope(), instances);
  if (!done) return refuse(document_, done.error());
  QSet<QString> shown, frames;
  for (const std::string& node : done->nodes) shown.insert(to_q(node));
  for (const std::string& frame : done->frames) frames.insert(to_q(frame));
  if (document_.push(tr("Ungroup"), done->edits, -1, done->moved))
    document_.select(shown, shown.isEmpty() ? QString() : *shown.begin(), {}, frames);
}

void Groups::addSocket(const QString& node, const QString& socket, bool isOutput) {
  const auto made = add_group_socket(document_.shown().scope(), to_std(node), to_std(socket), isOutput);
  if (!made) return refuse(document_, made.error());
  document_.push(isOutput ? tr("Add output") : tr("Add input"), made->edits);
}

QVariantMap Groups::described(const QString& node) const {
  const Scope& scope = document_.shown().scope();
  const Node* found = scope.graph->find(to_std(node));
  const Group* group = found ? definition(scope, *found) : nullptr;
  if (!group) return {};
  return {{"key", to_q("group:" + group->id)},
          {"title", to_q(title_of(*group))},
          {"category", to_q(group->category)},
          {"description", to_q(group->description)}};
}

void Groups::describe(const QString& node, const QString& title, const QString& category, const QString& description) {
  const Scope& scope = document_.shown().scope();
  const Node* found = scope.graph->find(to_std(node));
  const Group* group = found ? definition(scope, *found) : nullptr;
  if (!group) return;
  Group changed = *group;
  changed.title = to_std(title.trimmed());
  changed.category = to_std(category.trimmed());
  changed.description = to_std(description.trimmed());
  if (!(changed == *group)) document_.pushDocument(tr("Describe group"), {SetGroup{std::move(changed)}});
}

void Groups::makeUnique(const QString& node) {
  const auto edits = make_unique_group(document_.shown().scope(), to_std(node));
  if (!edits) return refuse(document_, edits.error());
  if (document_.push(tr("Make unique"), *edits)) document_.selectNode(node);
}

}  // namespace hw::app
