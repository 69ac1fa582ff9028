// Naming a node: its label, or none where the label would say what the node is called without one.
#pragma once

#include "app/document/document.h"

namespace hw::app {

/// Gives a node that is shown this label; one that is empty, or its type's or group's own title, takes the label away.
/// One undo step, none where nothing changes.
void rename_node(Document& document, const QString& node, const QString& label);

}  // namespace hw::app
