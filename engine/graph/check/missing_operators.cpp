#include "engine/graph/check/missing_operators.h"

#include <unordered_map>

#include "engine/core/codes.h"
#include "engine/graph/check/check_type.h"

namespace hw {
namespace {

struct Missing {
  Diagnostic first;
  size_t nodes = 0;
};

/// "It and 179 more nodes stand".
std::string subject(size_t nodes) {
  if (nodes == 1) return "It stands";
  return "It and " + std::to_string(nodes - 1) + (nodes == 2 ? " more node stand" : " more nodes stand");
}

Diagnostic merged(Missing m) {
  constexpr std::string_view one = "It stands";
  if (m.nodes > 1 && m.first.reason.starts_with(one)) m.first.reason.replace(0, one.size(), subject(m.nodes));
  return std::move(m.first);
}

Diagnostic merged_waiting(Missing m) {
  if (m.nodes > 1)
    m.first.reason = subject(m.nodes) +
                     " for operators that wait for what the missing ones make. Put nodes in their place, too, or "
                     "use what lies before them.";
  return std::move(m.first);
}

}  // namespace

std::vector<Diagnostic> merge_missing_operators(const Graph& flat, std::vector<Diagnostic> all) {
  std::vector<Missing> operators;
  std::unordered_map<std::string, size_t> known;  // by reason, which names the operator, too
  Missing waiting;
  std::optional<size_t> at;  // of the first of them, among what stays
  std::vector<Diagnostic> rest;
  for (Diagnostic& d : all) {
    const Node* node = d.code == codes::unknown_node ? flat.find(d.node) : nullptr;
    if (!node || !foreign_operator(*node)) {
      rest.push_back(std::move(d));
      continue;
    }
    if (!at) at = rest.size();
    if (waits_for_another(*node)) {
      if (waiting.nodes++ == 0) waiting.first = std::move(d);
      continue;
    }
    const auto [same, is_new] = known.try_emplace(d.reason, operators.size());
    if (is_new) operators.push_back({std::move(d), 0});
    ++operators[same->second].nodes;
  }
  if (!at) return rest;
  std::vector<Diagnostic> said;
  for (Missing& m : operators) said.push_back(merged(std::move(m)));
  if (waiting.nodes > 0) said.push_back(merged_waiting(std::move(waiting)));
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(*at), std::make_move_iterator(said.begin()),
              std::make_move_iterator(said.end()));
  return rest;
}

}  // namespace hw
