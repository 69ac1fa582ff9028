// The words of a SPIR-V module, and numbers of its specification.
#pragma once

#include <cstdint>
#include <span>

namespace hw::vulkan::spirv {

inline constexpr uint32_t kHeaderWords = 5;

enum Opcode : uint32_t {
  kName = 5,
  kExtInst = 12,
  kMemoryModel = 14,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypeStruct = 30,
  kConstant = 43,
  kFunction = 54,
  kFunctionEnd = 56,
  kFunctionCall = 57,
  kDecorate = 71,
  kMemberDecorate = 72,
  kPhi = 245,
  kLoopMerge = 246,
  kSelectionMerge = 247,
  kLabel = 248,
  kBranch = 249,
  kBranchConditional = 250,
  kSwitch = 251,
};
inline constexpr uint32_t kFirstType = 19;  // opcodes of types begin here
/// Decorations.
inline constexpr uint32_t kSpecId = 1, kNoContraction = 42, kBlock = 2, kArrayStride = 6, kOffset = 35;

struct Instruction {
  uint32_t opcode, count;
  const uint32_t* words;
};

/// f(instruction, where it begins in the words).
template <class F>
void each(std::span<const uint32_t> words, F f) {
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t count = words[at] >> 16;
    if (count == 0) return;
    f(Instruction{words[at] & 0xFFFFu, count, words.data() + at}, at);
    at += count;
  }
}

}  // namespace hw::vulkan::spirv
