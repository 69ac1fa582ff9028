#include "engine/io/checkpoint/checkpoint_writer.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/file/folder_entries.h"

namespace hw {

namespace fs = std::filesystem;

CheckpointWriter::CheckpointWriter(fs::path folder, uint64_t step) : folder_(std::move(folder)) {
  for (CheckpointPlace& place : find_checkpoints(folder_)) {
    if (place.step > step) continue;
    const bool sound = is_sound(place.file);
    own_.push_back({std::move(place), sound});
  }
  remove_leftovers();
  thread_ = std::thread([this] { loop(); });
}

CheckpointWriter::~CheckpointWriter() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CheckpointWriter::write(std::shared_ptr<const Checkpoint> checkpoint) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !next_; });
  next_ = std::move(checkpoint);
  changed_.notify_all();
}

Status CheckpointWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !next_ && !busy_; });
  return error_ ? Status(*error_) : ok();
}

void CheckpointWriter::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return next_ || quit_; });
    if (!next_) return;
    auto checkpoint = std::exchange(next_, nullptr);
    busy_ = true;
    changed_.notify_all();
    lock.unlock();
    const Status saved = guarded([&]() -> Status {
      const fs::path file = folder_ / checkpoint_name(checkpoint->step);
      HW_CHECK(save_checkpoint(*checkpoint, file));
      prune(checkpoint->step, is_sound(file));
      return ok();
    });
    checkpoint.reset();
    lock.lock();
    busy_ = false;
    try {
      if (!saved && !error_) error_ = saved.error();
    } catch (...) {
      error_ = error_of_exception();
    }
    changed_.notify_all();
  }
}

void CheckpointWriter::remove_leftovers() const {
  std::error_code ignored;
  for (const fs::path& file : entries_of(folder_, ignored))
    if (file.filename().string().starts_with(".checkpoint-")) fs::remove(file, ignored);
}

void CheckpointWriter::prune(uint64_t written, bool sound) {
  std::erase_if(own_, [&](const Own& own) { return own.place.step == written; });
  own_.push_back({{written, folder_ / checkpoint_name(written)}, sound});
  const auto newest_sound = std::find_if(own_.rbegin(), own_.rend(), [](const Own& own) { return own.sound; });
  const std::optional<uint64_t> keep =
      newest_sound == own_.rend() ? std::nullopt : std::optional(newest_sound->place.step);
  size_t older = own_.size() - std::min(own_.size(), kCheckpointsKept);
  for (auto own = own_.begin(); older > 0; --older) {
    if (own->place.step == keep) {
      ++own;
      continue;
    }
    std::error_code ignored;
    fs::remove(own->place.file, ignored);
    own = own_.erase(own);
  }
}

Status check_checkpoint_folder(const fs::path& folder, uint64_t step) {
  HW_TRY(const auto found, list_checkpoints(folder));
  if (found.empty() || found.back().step <= step) return ok();
  return Error{codes::file_unwritable, found.back().file.string(),
               "the folder holds a checkpoint of another run, at step " + std::to_string(found.back().step) + ".",
               "Go on from it with --resume, remove it, or name another folder with --out."};
}

}  // namespace hw
