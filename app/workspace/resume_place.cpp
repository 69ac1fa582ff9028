#include "app/workspace/resume_place.h"

#include "engine/core/codes.h"

namespace hw::workspace {

namespace fs = std::filesystem;

Result<Checkpoint> read_sound_checkpoint(const fs::path& file) {
  HW_TRY(Checkpoint checkpoint, read_checkpoint(file));
  if (checkpoint.unsound.empty()) return checkpoint;
  return Error{codes::not_finite, file.string(), "the checkpoint is not sound: " + checkpoint.unsound + ".",
               "Resume from an older one, or train anew."};
}

Result<ResumePlace> find_resume_place(const std::string& place, Notes& notes) {
  HW_TRY(const fs::path newest, newest_checkpoint(place));
  auto checkpoint = read_sound_checkpoint(newest);
  if (checkpoint) return ResumePlace{newest, std::move(*checkpoint)};
  const Error bad = checkpoint.error();
  const auto is_bad = [](const Error& e) { return e.code == codes::file_syntax || e.code == codes::not_finite; };
  if (!is_bad(bad) || !fs::is_directory(place)) return bad;
  std::vector<std::pair<fs::path, Error>> aside;
  auto found = find_checkpoints(place);
  for (; !found.empty(); found.pop_back()) {
    checkpoint = read_sound_checkpoint(found.back().file);
    if (checkpoint) break;
    if (!is_bad(checkpoint.error())) return checkpoint.error();
    aside.emplace_back(found.back().file, checkpoint.error());
  }
  if (!checkpoint) return bad;
  for (const auto& [file, why] : aside) {
    const bool damaged = why.code != codes::not_finite;
    const std::string to = file.string() + (damaged ? ".damaged" : ".unsound");
    std::error_code ec;
    fs::rename(file, to, ec);
    if (ec)
      return Error{codes::file_unwritable, file.string(),
                   "the checkpoint is " + std::string(damaged ? "damaged" : "not sound") +
                       ", and cannot be set aside: " + ec.message() + ".",
                   "Move it away, or resume from " + found.back().file.string() + "."};
    add_note(notes, file.string() + " is " + (damaged ? "damaged" : "not sound") + " and kept as " +
                        fs::path(to).filename().string() + ": " + why.reason);
  }
  add_note(notes, "the run goes on from step " + std::to_string(checkpoint->step) + ", the newest sound checkpoint");
  return ResumePlace{found.back().file, std::move(*checkpoint)};
}

}  // namespace hw::workspace
