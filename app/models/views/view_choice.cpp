#include "app/models/views/view_choice.h"

#include <algorithm>

#include "app/document/text.h"

namespace hw::app {
namespace {

constexpr const char* kKinds[] = {"viewport", "picture", "plot"};

/// One of kKinds; null for a node that is no viewer, or not there.
const char* kind_of(const Node* node) {
  const NodeType* type = node && !node->bypassed ? Registry::instance().find(node->type) : nullptr;
  switch (type ? type->decl.role() : Role::compute) {
    case Role::viewport:
      return kKinds[0];
    case Role::picture:
      return kKinds[1];
    case Role::plot:
      return kKinds[2];
    default:
      return nullptr;
  }
}

}  // namespace

ViewChoice::ViewChoice(Document& document, QObject* parent) : QObject(parent), document_(document) {
  for (const auto change : {&Document::structureChanged, &Document::reset}) {
    connect(&document, change, this, [this] {
      look();
      choose();
    });
  }
  connect(&document, &Document::selectionChanged, this, &ViewChoice::choose);
  look();
  choose();
}

void ViewChoice::look() {
  there_.clear();
  for (const auto& [id, node] : document_.flat().nodes())
    if (const char* kind = kind_of(&node)) there_.insert(kind);
}

void ViewChoice::choose() {
  const auto has = [this](const char* kind) { return there_.contains(kind); };
  const char* now = kind_of(document_.flat().find(to_std(document_.activePath())));
  for (const char* kind : kKinds) {
    if (!now && kind_ == QLatin1String(kind) && has(kind)) now = kind;
  }
  for (const char* kind : kKinds) {
    if (!now && has(kind)) now = kind;
  }
  const QString kind = QLatin1String(now ? now : kKinds[0]);
  if (kind == kind_) return;
  kind_ = kind;
  Q_EMIT kindChanged();
}

}  // namespace hw::app
