// The halfwire-cli call that does what Run does.
#pragma once

#include <QString>

#include "app/document/document.h"

namespace hw::app {

/// `halfwire-cli train FILE …` for a POSIX shell: the document's file, `--set` for every parameter and `--pin` for
/// every device of a node that differs from what is saved there, the weights a run begins with, steps and device.
/// Errors: HW-F001 when the document has no file, or its file has other nodes or wires, others frozen, tied or
/// bypassed, or pins a node that is not pinned now (save first); those of find_trainer and read_graph.
Result<QString> train_command(const Document& document, const QString& device);

/// A parameter as `--set` takes it; parse_param gives the same value back.
std::string param_text(const ParamValue& value);

}  // namespace hw::app
