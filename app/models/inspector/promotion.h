// Parameters of a node in a group as parameters of the group: each change is one undo step. GUI thread.
#pragma once

#include <QVariantList>

#include "app/document/document.h"

namespace hw::app {

/// Whether it is a parameter of the group that is shown. `node`: a node that is shown.
bool is_promoted(const Document& document, const std::string& node, const std::string& param);

/// Makes it a parameter of the group that is shown, or takes it off.
void set_promoted(Document& document, const std::string& node, const std::string& param, bool on);

/// {id, label} of the group's parameters that could set this one of a node, too: of its kind. Empty where it is
/// promoted.
QVariantList joinable(const Document& document, const std::string& node, const ParamDecl& param);

/// From now on the group's parameter `with` sets it.
void join(Document& document, const std::string& node, const std::string& param, const std::string& with);

}  // namespace hw::app
