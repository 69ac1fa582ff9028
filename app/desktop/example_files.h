// The graphs that come with Halfwire: where they lie.
#pragma once

#include <QFileInfoList>

namespace hw::app {

/// *.halfwire of the installed examples, else of those beside the program; by name.
QFileInfoList example_files();
/// The same of the networks, in a folder of the examples.
QFileInfoList network_files();
/// Whether a file is one of all these. They are opened as copies: an update replaces them.
bool is_example(const QString& path);

}  // namespace hw::app
