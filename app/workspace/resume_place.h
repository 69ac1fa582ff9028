// Where a run that was stopped goes on from.
#pragma once

#include <filesystem>

#include "app/workspace/notes.h"
#include "engine/io/checkpoint/checkpoint_file.h"

namespace hw::workspace {

/// A checkpoint to go on from. Errors: those of read_checkpoint, HW-R003: a state holds Inf or NaN.
Result<Checkpoint> read_sound_checkpoint(const std::filesystem::path& file);

struct ResumePlace {
  std::filesystem::path file;
  Checkpoint checkpoint;
};

/// The checkpoint, or the newest sound one of a folder. Newer ones that are damaged or hold Inf or NaN are renamed, to
/// `.damaged` or `.unsound`, with a note: the caller holds the folder's FolderLock. Errors HW-F001, HW-F002, HW-F003,
/// HW-F004; HW-R003: a state of the only one there is holds Inf or NaN.
Result<ResumePlace> find_resume_place(const std::string& file_or_folder, Notes& notes);

}  // namespace hw::workspace
