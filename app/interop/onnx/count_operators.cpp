#include "app/interop/onnx/count_operators.h"

#include <algorithm>

namespace hw::interop {
namespace {

constexpr size_t kLeast = 1 << 14, kTimes = 256;  // operators that any model may have; and for each in its file
constexpr int kDeepestCalls = 512;                // functions in each other that are counted; far fewer are inlined

/// Calls `visit` with each graph that the operator has.
template <class Visit>
void for_each_graph(const OnnxNode& n, const Visit& visit) {
  for (const auto& [name, value] : n.attributes)
    if (const auto* graph = std::get_if<std::shared_ptr<const OnnxGraph>>(&value)) visit(**graph);
}

class Counter {
 public:
  explicit Counter(const Functions& functions) : functions_(functions) {}

  size_t count(const std::vector<OnnxNode>& nodes, int depth) {
    size_t all = 0;
    for (const OnnxNode& n : nodes) {
      if (const OnnxFunction* f = functions_.find(n)) {
        if (of_.emplace(f, kMostOperators + 1).second && depth < kDeepestCalls) of_[f] = count(f->nodes, depth + 1);
        all += of_[f];
      }
      for_each_graph(n, [&](const OnnxGraph& graph) { all += count(graph.nodes, depth); });
      all = std::min(kMostOperators + 1, all + 1);
    }
    return all;
  }

 private:
  const Functions& functions_;
  std::map<const OnnxFunction*, size_t> of_;  // what is known so far; too many while it is being counted
};

void add_nested(const std::vector<OnnxNode>& nodes, size_t most, size_t& count) {
  for (const OnnxNode& n : nodes) {
    if (++count > most) return;
    for_each_graph(n, [&](const OnnxGraph& graph) { add_nested(graph.nodes, most, count); });
  }
}

}  // namespace

Functions::Functions(const OnnxModel& model) {
  for (const OnnxFunction& f : model.functions) by_name_.emplace(std::tie(f.name, f.domain, f.overload), &f);
}

const OnnxFunction* Functions::find(const OnnxNode& n) const {
  const auto found = by_name_.find(std::tie(n.op, n.domain, n.overload));
  return found == by_name_.end() ? nullptr : found->second;
}

size_t most_operators(const OnnxModel& model) {
  size_t written = count_nested(model.graph.nodes, kMostOperators);
  for (const OnnxFunction& f : model.functions) written += count_nested(f.nodes, kMostOperators);
  return std::clamp(kTimes * written, kLeast, kMostOperators);
}

size_t count_operators(const OnnxModel& model) {
  const Functions functions(model);
  return Counter(functions).count(model.graph.nodes, 0);
}

size_t count_nested(const std::vector<OnnxNode>& nodes, size_t most) {
  size_t count = 0;
  add_nested(nodes, most, count);
  return count;
}

}  // namespace hw::interop
