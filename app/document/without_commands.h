// The engine's remedies name options of the command line in brackets; a window leaves them out.
#pragma once

#include <QString>

namespace hw::app {

/// Without " (on the command line: …)".
QString without_commands(QString text);

}  // namespace hw::app
