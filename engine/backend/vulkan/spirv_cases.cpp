#include "engine/backend/vulkan/spirv_cases.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "engine/backend/vulkan/spirv_words.h"

namespace hw::vulkan {
namespace {

using namespace spirv;

struct Block {
  uint32_t label = 0;
  std::vector<Instruction> instructions;
};

struct Function {
  uint32_t id = 0;
  std::vector<Instruction> head;  // down to its first label
  std::vector<Block> blocks;
};

struct Module {
  std::vector<Instruction> before;  // the functions
  std::vector<Function> functions;
};

Module parse(std::span<const uint32_t> words) {
  Module m;
  each(words, [&](const Instruction& i, size_t) {
    if (i.opcode == kFunction) m.functions.push_back({.id = i.words[2], .head = {}, .blocks = {}});
    if (m.functions.empty()) return m.before.push_back(i);
    Function& function = m.functions.back();
    if (i.opcode == kLabel) function.blocks.push_back({i.words[1], {}});
    if (i.opcode == kFunctionEnd) return;
    (function.blocks.empty() ? function.head : function.blocks.back().instructions).push_back(i);
  });
  return m;
}

/// Calls f with every instruction of a function but its end.
template <class F>
void each(const Function& function, F f) {
  for (const Instruction& i : function.head) f(i);
  for (const Block& block : function.blocks)
    for (const Instruction& i : block.instructions) f(i);
}

// The ids reached from `first`, where next(id, found) appends those that lie next to one.
template <class Next>
std::set<uint32_t> reached_from(uint32_t first, Next next) {
  std::set<uint32_t> reached;
  for (std::vector<uint32_t> open{first}; !open.empty();) {
    const uint32_t id = open.back();
    open.pop_back();
    if (reached.insert(id).second) next(id, open);
  }
  return reached;
}

// Takes the blocks away that are not reached from the first, by a branch or as the end of a construct.
void keep_reached_blocks(Function& function) {
  std::map<uint32_t, const Block*> by_label;
  for (const Block& block : function.blocks) by_label[block.label] = &block;
  const auto reached = reached_from(function.blocks.front().label, [&](uint32_t label, std::vector<uint32_t>& next) {
    for (const Instruction& i : by_label.at(label)->instructions) {
      if (i.opcode == kBranch || i.opcode == kSelectionMerge || i.opcode == kLoopMerge) next.push_back(i.words[1]);
      if (i.opcode == kLoopMerge || i.opcode == kBranchConditional || i.opcode == kSwitch) next.push_back(i.words[2]);
      if (i.opcode == kBranchConditional) next.push_back(i.words[3]);
      for (uint32_t k = 4; i.opcode == kSwitch && k < i.count; k += 2) next.push_back(i.words[k]);
    }
  });
  std::erase_if(function.blocks, [&](const Block& block) { return !reached.contains(block.label); });
}

void keep_called_functions(Module& m) {
  std::map<uint32_t, const Function*> by_id;
  for (const Function& function : m.functions) by_id[function.id] = &function;
  const auto entry = std::ranges::find(m.before, +kEntryPoint, &Instruction::opcode);
  const auto called = reached_from(entry->words[2], [&](uint32_t id, std::vector<uint32_t>& next) {
    each(*by_id.at(id), [&](const Instruction& i) {
      if (i.opcode == kFunctionCall) next.push_back(i.words[3]);
    });
  });
  std::erase_if(m.functions, [&](const Function& function) { return !called.contains(function.id); });
}

void add(std::vector<uint32_t>& words, const Instruction& i) {
  words.insert(words.end(), i.words, i.words + i.count);
}

void add(std::vector<uint32_t>& words, const Function& function) {
  std::set<uint32_t> labels;
  for (const Block& block : function.blocks) labels.insert(block.label);
  each(function, [&](const Instruction& i) {
    if (i.opcode != kPhi) return add(words, i);
    const size_t start = words.size();  // its values by the block before: of blocks that are still there
    words.insert(words.end(), i.words, i.words + 3);
    for (uint32_t k = 3; k + 1 < i.count; k += 2)
      if (labels.contains(i.words[k + 1])) words.insert(words.end(), i.words + k, i.words + k + 2);
    words[start] = static_cast<uint32_t>(words.size() - start) << 16 | kPhi;
  });
  words.push_back(1u << 16 | kFunctionEnd);
}

}  // namespace

void choose_cases(std::vector<uint32_t>& words, std::span<const int32_t> constants) {
  Module m = parse(words);
  std::map<uint32_t, uint32_t> values;  // of specialisation constants
  for (const Instruction& i : m.before)
    if (i.opcode == kDecorate && i.words[2] == kSpecId && i.words[3] < constants.size())
      values[i.words[1]] = static_cast<uint32_t>(constants[i.words[3]]);
  std::deque<std::array<uint32_t, 2>> branches;  // the words of new instructions
  for (Function& function : m.functions) {
    for (Block& block : function.blocks) {
      const Instruction end = block.instructions.back();
      if (end.opcode != kSwitch || !values.contains(end.words[1])) continue;
      uint32_t target = end.words[2];
      for (uint32_t k = 3; k + 1 < end.count; k += 2)
        if (end.words[k] == values.at(end.words[1])) target = end.words[k + 1];
      branches.push_back({2u << 16 | kBranch, target});
      block.instructions.pop_back();
      block.instructions.back() = {kBranch, 2, branches.back().data()};  // in the place of OpSelectionMerge
    }
    keep_reached_blocks(function);
  }
  keep_called_functions(m);

  // Decorations of what is no longer there go, too. A result's id is the first or second word of its instruction.
  const auto describes = [](const Instruction& i) { return i.opcode == kName || i.opcode == kDecorate; };
  std::set<uint32_t> there;
  const auto note = [&](const Instruction& i) { there.insert(i.words + 1, i.words + std::min(i.count, 3u)); };
  for (const Instruction& i : m.before)
    if (!describes(i)) note(i);
  for (const Function& function : m.functions) each(function, note);
  std::vector<uint32_t> chosen(words.begin(), words.begin() + kHeaderWords);
  for (const Instruction& i : m.before)
    if (!describes(i) || there.contains(i.words[1])) add(chosen, i);
  for (const Function& function : m.functions) add(chosen, function);
  words = std::move(chosen);
}

}  // namespace hw::vulkan
