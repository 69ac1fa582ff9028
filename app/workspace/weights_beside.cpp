#include "app/workspace/weights_beside.h"

#include "engine/core/exceptions.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/checkpoint/checkpoint_file.h"

namespace hw::workspace {

namespace fs = std::filesystem;

namespace {

void add_states(WeightsBeside& beside, const fs::path& weights) {
  const fs::path file = optimiser_file(weights);
  std::error_code ec;
  if (!fs::exists(file, ec)) return;
  auto read = guarded_at(file.string(), [&] { return read_checkpoint(file); });
  if (!read) {
    beside.problem = read.error();
  } else if (has_optimiser(weights) && read->unsound.empty()) {
    beside.states = std::make_shared<const Checkpoint>(std::move(*read));
  } else {
    beside.problem =
        Error{codes::weights_mismatch, file.string(), "the optimiser's state does not belong to the weights beside it.",
              "The weights are used; training begins with a new optimiser."};
  }
}

}  // namespace

fs::path weights_file(const fs::path& graph) {
  return fs::path(graph).replace_extension(".safetensors");
}

Status may_read_weights(const Reach& reach, const fs::path& file) {
  HW_CHECK(reach.check(file, file.string()));
  const fs::path optimiser = optimiser_file(file);
  std::error_code ec;
  return fs::exists(optimiser, ec) ? reach.check(optimiser, optimiser.string()) : ok();
}

Result<WeightsBeside> read_weights_beside(const fs::path& file) {
  HW_TRY(WeightsFile read, read_weights(file));
  HW_CHECK(copy_mapped(read.tensors, file));
  WeightsBeside beside{std::move(read.tensors), {}, {}};
  add_states(beside, file);
  return beside;
}

WeightsFile weights_to_save(const Graph& flat, Weights weights, std::map<std::string, std::string> more) {
  more.emplace("format", "halfwire");
  more.emplace(kChecksum, "");
  return {with_foreign_names(flat, std::move(weights)), std::move(more)};
}

Status save_optimiser(Checkpoint states, const WeightsFile& saved, const fs::path& file) {
  states.of_weights = checksum_of(saved);
  return save_checkpoint(states, optimiser_file(file));
}

Status save_weights_beside(const Graph& flat, const Weights& weights, const Checkpoint* states, const fs::path& file) {
  const WeightsFile whole = weights_to_save(flat, states && states->weights ? *states->weights : weights);
  HW_CHECK(save_weights(whole, file));
  if (states) return save_optimiser(*states, whole, file);
  std::error_code ignored;
  fs::remove(optimiser_file(file), ignored);
  return ok();
}

Status copy_weights_beside(const fs::path& from, const fs::path& to) {
  std::error_code ec;
  for (const auto& [old, made] : {std::pair(from, to), std::pair(optimiser_file(from), optimiser_file(to))}) {
    if (old != from && !fs::exists(old, ec)) continue;
    fs::path part = made;
    part += ".part";
    fs::copy_file(old, part, fs::copy_options::overwrite_existing, ec);
    if (!ec) fs::rename(part, made, ec);
    if (!ec) continue;
    std::error_code ignored;
    fs::remove(part, ignored);
    return Error{codes::file_unwritable, made.string(),
                 "the weights of " + old.string() + " could not be copied: " + ec.message() + ".",
                 "They are still in that file; save again once there is room."};
  }
  return ok();
}

}  // namespace hw::workspace
