// load_model: a child process that may crash, hang or grow, and what becomes of it.
#include "engine/io/child/reading_child.h"
#include "engine/io/mesh/model_bytes.h"
#include "engine/io/mesh/model_import.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMaxAddresses = 2'000'000'000;  // address space of the child, bytes
constexpr uint64_t kMaxResident = 800'000'000;   // watched from outside: below 1 GB with what a poll may miss

}  // namespace

Result<Model> load_model(const fs::path& file, const Reach& reach, ImportCost* cost) {
  using End = ImportCost::End;
  ImportCost ignored;
  ImportCost& c = cost ? *cost : ignored;
  c = {};
  child::Reading reading{{"import-mesh", "--", file.string()}, file, "model", kMaxResident};
  for (const fs::path& root : reach.roots()) reading.words.push_back(root.string());
  HW_TRY(const child::Ran ran, child::run(reading));
  constexpr End ends[] = {End::read, End::crashed, End::out_of_time, End::out_of_memory};
  c = {ends[static_cast<size_t>(ran.fault.kind)], ran.wall_seconds, ran.cpu_seconds, ran.peak_bytes};
  if (!ran.outcome) return ran.fault.error;
  auto model = read_model(ran.outcome->bytes(), file.string());
  c.end = model ? End::read : End::refused;
  return model;
}

int import_model_as_child(const fs::path& file, const Reach& reach, const ImportModel& import) {
  Reach readable = reach;
  readable.allow(file);
  readable.allow(file.has_parent_path() ? file.parent_path() : fs::path("."));
  return child::serve(file, {.addresses = kMaxAddresses}, readable.roots(), [&](const child::WillRead& will_read) {
    return write_model(child::kFd, import(file, reach, will_read));
  });
}

}  // namespace hw
