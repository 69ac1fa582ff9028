// Edits inside groups, and of what they promote.
#pragma once

#include <set>

#include "engine/core/codes.h"
#include "engine/graph/edit.h"
#include "engine/graph/groups/scope.h"

namespace hw {

/// Error HW-G010 at `where`: a group does not take the edit.
inline Error group_refused(const std::string& where, std::string reason, std::string remedy = {}) {
  return {codes::bad_group, where, std::move(reason), std::move(remedy)};
}

/// Edits of the graph at `inside`, as edits of the document. In a group they change its definition, which all instances
/// share; a value that an instance gives changes at the instance. Groups that the edits set or remove are the
/// document's. Errors: those of apply_edits() and document_edits().
Result<Edits> document_edits_at(const Scope& inside, Edits edits);

/// Error HW-G010 where the group that the graph at `inside` is promotes a parameter of one of these nodes.
Status refuse_promoted(const Scope& inside, const std::set<std::string>& nodes);

/// Lets each instance of the group set a parameter of a node in it. `inside` is the scope of an instance. Errors: it is
/// promoted already, or `inside` is the document (HW-G010); there is no such node (HW-G003) or parameter (HW-P002): the
/// nearest names are the remedy. The edits are the document's.
/// `joined`: the id of a parameter of the group, of the same kind (else HW-G010), which sets this one too from now on;
/// empty: it becomes one of its own.
Result<Edits> promote_param(const Scope& inside, const std::string& node, const std::string& param,
                            const std::string& joined = {});
/// Takes that back. What instances had set is dropped, unless the group's parameter sets others too. The edits are the
/// document's.
Result<Edits> demote_param(const Scope& inside, const std::string& node, const std::string& param);

}  // namespace hw
