#include "app/models/inspector/promotion.h"

#include <algorithm>

#include "app/document/text.h"
#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/group_interface.h"

namespace hw::app {

bool is_promoted(const Document& document, const std::string& node, const std::string& param) {
  const auto group = document.shown().definition();
  return group &&
         std::ranges::any_of(group->params, [&](const PromotedParam& p) { return p.node == node && p.param == param; });
}

void set_promoted(Document& document, const std::string& node, const std::string& param, bool on) {
  const Scope& scope = document.shown().scope();
  const auto edits = on ? promote_param(scope, node, param) : demote_param(scope, node, param);
  if (!edits) return;  // it is so already
  document.pushDocument(
      on ? QObject::tr("Make a parameter of the group") : QObject::tr("Take a parameter off the group"), *edits);
}

QVariantList joinable(const Document& document, const std::string& node, const ParamDecl& param) {
  QVariantList list;
  const auto group = document.shown().definition();
  if (!group || is_promoted(document, node, param.id)) return list;
  const NodeDecl declared = interface_of(document.graph(), *group);
  for (const ParamDecl& p : declared.params())
    if (p.type == param.type) list.append(QVariantMap{{"id", to_q(p.id)}, {"label", to_q(p.label)}});
  return list;
}

void join(Document& document, const std::string& node, const std::string& param, const std::string& with) {
  const auto edits = promote_param(document.shown().scope(), node, param, with);
  if (edits) document.pushDocument(QObject::tr("Set together with the group's parameter"), *edits);
}

}  // namespace hw::app
