// Existing files where something is written: renamed, never replaced.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/workspace/notes.h"

namespace hw::workspace {

/// Files of `folder` get names with ".previous" before the ending, NAME.previous-2.ENDING and so on where there are
/// such already, all with the first number that is free for all of them; the ending of an optimiser's state is
/// .optimiser.safetensors. What is no regular file is left out. The new names. Error HW-F002: all have
/// their old names, but for those that it says cannot be named back.
Result<std::vector<std::string>> set_aside(const std::filesystem::path& folder, std::vector<std::string> names);

/// The new names; "": none lay there.
struct KeptAside {
  std::string weights, optimiser;
};
/// The same of a file of weights and the optimiser's state beside it, which go together: beside a graph that is written
/// they would be taken for its own. Any thread.
Result<KeptAside> set_aside_with_optimiser(const std::filesystem::path& weights);
/// The same with a note.
Status set_weights_aside(const std::filesystem::path& weights, Notes& notes);

/// Notes that weights beside `graph`, where there are any, are not those of what is written to `out`.
void note_weights_stay(const std::filesystem::path& graph, const std::filesystem::path& out, Notes& notes);

}  // namespace hw::workspace
