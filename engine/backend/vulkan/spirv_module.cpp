#include "engine/backend/vulkan/spirv_module.h"

#include <map>
#include <set>

#include "engine/backend/vulkan/spirv_words.h"
#include "engine/core/codes.h"

namespace hw::vulkan {
namespace {

using namespace spirv;

bool is_float_arithmetic(const Instruction& i) {
  // FNegate FAdd FSub FMul FDiv FRem FMod VectorTimesScalar Dot
  for (const uint32_t o : {127u, 129u, 131u, 133u, 136u, 140u, 141u, 142u, 148u})
    if (i.opcode == o) return true;
  return i.opcode == kExtInst && i.words[4] == 50;  // Fma of GLSL.std.450: one rounding
}

// Where decorations may stand: before the first type.
size_t before_types(std::span<const uint32_t> words) {
  size_t place = words.size();
  each(words, [&](const Instruction& i, size_t at) {
    if (place == words.size() && i.opcode >= kFirstType && i.opcode <= 39) place = at;
  });
  return place;
}

void insert(std::vector<uint32_t>& words, size_t at, const std::vector<uint32_t>& more) {
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
}

}  // namespace

void forbid_contraction(std::vector<uint32_t>& words) {
  std::set<uint32_t> exact;
  std::vector<uint32_t> more;
  each(words, [&](const Instruction& i, size_t) {
    if (i.opcode == kDecorate && i.words[2] == kNoContraction) exact.insert(i.words[1]);
    if (!is_float_arithmetic(i) || exact.contains(i.words[2])) return;
    more.insert(more.end(), {3u << 16 | kDecorate, i.words[2], kNoContraction});
  });
  insert(words, before_types(words), more);
}

void add_float_modes(std::vector<uint32_t>& words, const FloatModes& modes) {
  struct Row {
    bool f32, f64;
    uint32_t capability, mode;
  };
  const Row rows[] = {{modes.preserves_subnormal_f32, modes.preserves_subnormal_f64, 4464, 4459},
                      {modes.preserves_nan_f32, modes.preserves_nan_f64, 4466, 4461},
                      {modes.rounds_even_f32, modes.rounds_even_f64, 4467, 4462}};
  uint32_t entry = 0;
  size_t behind_capabilities = kHeaderWords, behind_entry = kHeaderWords;
  each(words, [&](const Instruction& i, size_t at) {
    if (i.opcode == kCapability) behind_capabilities = at + i.count;
    if (i.opcode == kEntryPoint) entry = i.words[2], behind_entry = at + i.count;
  });
  std::vector<uint32_t> capabilities, execution;
  for (const Row& row : rows) {
    if (row.f32 || row.f64) capabilities.insert(capabilities.end(), {2u << 16 | kCapability, row.capability});
    if (row.f32) execution.insert(execution.end(), {4u << 16 | kExecutionMode, entry, row.mode, 32});
    if (row.f64) execution.insert(execution.end(), {4u << 16 | kExecutionMode, entry, row.mode, 64});
  }
  insert(words, behind_entry, execution);
  insert(words, behind_capabilities, capabilities);
}

Result<uint32_t> functor_bytes(std::span<const uint32_t> words) {
  std::map<uint32_t, uint32_t> sizes, strides, constants;      // by id
  std::map<uint32_t, std::vector<uint32_t>> offsets, members;  // of structs
  std::set<uint32_t> blocks;
  each(words, [&](const Instruction& i, size_t) {
    if (i.opcode == kDecorate && i.words[2] == kBlock) blocks.insert(i.words[1]);
    if (i.opcode == kDecorate && i.words[2] == kArrayStride) strides[i.words[1]] = i.words[3];
    if (i.opcode == kMemberDecorate && i.words[3] == kOffset) {
      auto& list = offsets[i.words[1]];
      list.resize(std::max<size_t>(list.size(), i.words[2] + 1));
      list[i.words[2]] = i.words[4];
    }
    if (i.opcode == kTypeInt || i.opcode == kTypeFloat) sizes[i.words[1]] = i.words[2] / 8;
    if (i.opcode == kTypeVector) sizes[i.words[1]] = sizes[i.words[2]] * i.words[3];
    if (i.opcode == kConstant && i.count == 4) constants[i.words[2]] = i.words[3];
    if (i.opcode == kTypeArray) sizes[i.words[1]] = strides[i.words[1]] * constants[i.words[3]];
    if (i.opcode != kTypeStruct) return;
    auto& list = members[i.words[1]];
    list.assign(i.words + 2, i.words + i.count);
    const auto& at = offsets[i.words[1]];
    if (!list.empty() && at.size() == list.size()) sizes[i.words[1]] = at.back() + sizes[list.back()];
  });
  for (const uint32_t block : blocks)
    if (members[block].size() == 1 && members.contains(members[block][0])) return sizes[members[block][0]];
  return Error{codes::no_shader, "", "The kernel has no block of its functor.", ""};
}

}  // namespace hw::vulkan
