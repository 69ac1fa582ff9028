// document_edits: edits of the flattened graph as edits of the document.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

/// What `edits`, made for flatten(document), are for the document. Wires to and from nodes that are sockets of a group
/// become those of its instance, and so do settings that it gives its nodes. Other edits of nodes in groups become
/// edits of the definitions, which all instances share; the same edits in several instances are one. Added nodes get
/// ids that are free there. Errors: HW-G010, instances of one group would change in different ways, a wire would lead
/// from one group into another, or a definition is not there; those of apply_edits().
Result<Edits> document_edits(const Graph& document, const Edits& edits);

/// Makes them.
Status apply_flat_edits(Graph& document, const Edits& edits);

}  // namespace hw
