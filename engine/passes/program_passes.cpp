#include "engine/passes/program_passes.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/passes/fold_batch_norm.h"

namespace hw {
namespace {

void channels_last(Program& program, const PassTarget&, std::vector<PassNote>&) {
  program.any_layout = true;
}

void elementwise_regions(Program& program, const PassTarget&, std::vector<PassNote>&) {
  program.regions = Regions::always;
}

constexpr ProgramPass kPasses[] = {
    {"fold_batch_norm", "In evaluation, a batch norm behind a convolution becomes part of its weights and bias.",
     passes::fold_batch_norm},
    {"channels_last",
     "Between convolutions, pools and batch norms, pictures are held as the device computes them, N H W C on the CPU.",
     channels_last},
    {"elementwise_regions",
     "Elementwise ops behind each other run as one: on large pictures as a loop over strips that stay in the CPU's "
     "cache, "
     "on a Vulkan device as one kernel.",
     elementwise_regions},
};

}  // namespace

std::span<const ProgramPass> program_passes() {
  return kPasses;
}

PassesOff every_pass() {
  PassesOff off;
  for (const ProgramPass& pass : kPasses) off.emplace(pass.name);
  return off;
}

Status check_passes(const PassesOff& off) {
  for (const std::string& name : off) {
    if (std::ranges::any_of(kPasses, [&](const ProgramPass& pass) { return pass.name == name; })) continue;
    std::string known;
    for (const ProgramPass& pass : kPasses) known += (known.empty() ? "" : ", ") + std::string(pass.name);
    return Error{codes::bad_usage, "--no-pass " + name, "there is no such pass.", "The passes are: " + known + "."};
  }
  return ok();
}

PassedProgram apply_passes(const Program& program, const PassTarget& target, const PassesOff& off) {
  auto passed = std::make_shared<Program>(program);
  PassedProgram result;
  for (const ProgramPass& pass : kPasses)
    if (!off.contains(pass.name)) pass.run(*passed, target, result.notes);
  result.program = std::move(passed);
  return result;
}

}  // namespace hw
