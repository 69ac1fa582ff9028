#include "engine/program/random_ops.h"

#include <algorithm>
#include <cstdio>

namespace hw {
namespace {

std::string part(const char* what, std::optional<uint64_t> fixed, std::optional<uint64_t> of_run) {
  if (!fixed && !of_run) return std::string("the run's ") + what;
  return std::string(what) + " " + std::to_string(fixed ? *fixed : *of_run) + (fixed ? " (fixed)" : "");
}

std::optional<uint64_t> from_1(std::optional<uint64_t> step) {
  return step ? std::optional(*step + 1) : std::nullopt;
}

}  // namespace

RandomStream* random_stream(Attr& attr) {
  return std::visit(
      [](auto& a) -> RandomStream* {
        if constexpr (requires { a.stochastic; })
          return a.stochastic ? &a.random : nullptr;
        else if constexpr (requires { a.shuffle; })
          return a.shuffle ? &a.random : nullptr;
        else if constexpr (requires { a.random; })
          return &a.random;
        else
          return nullptr;
      },
      attr);
}

const RandomStream* random_stream(const Attr& attr) {
  return random_stream(const_cast<Attr&>(attr));
}

bool is_random(const Instr& instr) {
  return random_stream(instr.attr) != nullptr;
}

bool draws_samples(const Instr& instr) {
  return is_random(instr) || std::holds_alternative<SampleRowsAttr>(instr.attr);
}

std::vector<bool> drawn_values(const Program& program) {
  std::vector<bool> drawn(program.values.size());
  for (const Instr& instr : program.instrs) {
    const bool any = draws_samples(instr) || std::ranges::any_of(instr.in, [&](ValueId id) { return drawn[id]; });
    for (const ValueId id : instr.out) drawn[id] = drawn[id] || any;
  }
  return drawn;
}

std::string draw_text(const RandomStream& random, std::optional<uint64_t> seed, std::optional<uint64_t> step) {
  char stream[16];
  std::snprintf(stream, sizeof stream, "0x%08x", static_cast<unsigned>(random.stream));
  return part("seed", random.seed, seed) + ", stream " + stream + ", " +
         part("step", from_1(random.step), from_1(step));
}

}  // namespace hw
