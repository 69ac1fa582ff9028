#include "app/models/palette/placeable.h"

#include <algorithm>
#include <set>

#include "app/models/palette/node_ranking.h"
#include "engine/graph/groups/block.h"
#include "engine/graph/groups/group_interface.h"

namespace hw::app {
namespace {

constexpr std::string_view kGroup = "group:", kBlock = "block:";

std::shared_ptr<const NodeType> look_of(const Graph& definitions, const Group& group, std::string key) {
  NodeType look;
  look.id = std::move(key);
  look.decl = interface_of(definitions, group);
  return std::make_shared<const NodeType>(std::move(look));
}

Placeable of_type(const NodeType& type) {
  return {{std::shared_ptr<const NodeType>(), &type}, Placeable::Origin::type, {}};  // the Registry keeps it
}

Placeable of_group(const Graph& document, const Group& group) {
  return {look_of(document, group, std::string(kGroup) + group.id), Placeable::Origin::document, {}};
}

Placeable of_block(const Block& block) {
  return {look_of(*block.graph, *block.group, std::string(kBlock) + block.key),
          block.own ? Placeable::Origin::own : Placeable::Origin::library, block.graph};
}

}  // namespace

Candidate Placeable::candidate(const Graph& document) const {
  if (origin == Origin::type) return Candidate(*look);
  if (block) return Candidate(*block, **block_of(*block));
  const Group* group = document.find_group(std::string_view(key()).substr(kGroup.size()));
  return group ? Candidate(document, *group) : Candidate();
}

std::vector<Placeable> placeables(const Graph& document, const BlockLibrary& library) {
  std::vector<Placeable> all;
  for (const auto& [id, type] : Registry::instance().all()) all.push_back(of_type(type));
  std::set<std::string> listed;  // groups of the document that are blocks
  for (const Block& block : library.blocks) {
    all.push_back(of_block(block));
    const auto there = adopt_block(document, *block.graph);
    if (there && there->edits.empty()) listed.insert(there->group);
  }
  for (const auto& [id, group] : document.groups())
    if (!listed.contains(id)) all.push_back(of_group(document, *group));
  std::ranges::stable_sort(all, [](const Placeable& a, const Placeable& b) { return palette_order(*a.look, *b.look); });
  return all;
}

std::vector<Placeable> ranked(const QString& query, const std::vector<Placeable>& all) {
  std::vector<std::pair<int, const Placeable*>> scored;
  for (const Placeable& one : all)
    if (const int score = match_score(query, *one.look)) scored.push_back({score, &one});
  std::ranges::stable_sort(scored, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Placeable> found;
  for (const auto& [score, one] : scored) found.push_back(*one);
  return found;
}

std::optional<Placeable> find_placeable(const Graph& document, const BlockLibrary& library, std::string_view key) {
  if (key.starts_with(kGroup)) {
    const Group* group = document.find_group(key.substr(kGroup.size()));
    return group ? std::optional(of_group(document, *group)) : std::nullopt;
  }
  if (key.starts_with(kBlock)) {
    const Block* block = find_block(library, key.substr(kBlock.size()));
    return block ? std::optional(of_block(*block)) : std::nullopt;
  }
  const NodeType* type = Registry::instance().find(key);
  return type ? std::optional(of_type(*type)) : std::nullopt;
}

Adopted adopt(const Placeable& placeable, const Graph& document) {
  Adopted adopted;
  adopted.type = adopted.stem = placeable.key();
  if (!placeable.is_group()) return adopted;
  for (const auto& [id, group] : document.groups()) adopted.definitions.set_group(*group);
  if (placeable.block) {
    auto taken = adopt_block(document, *placeable.block);  // a block, as the library has read it
    adopted.edits = std::move(taken->edits);
    for (const Edit& edit : adopted.edits) adopted.definitions.set_group(*std::get<SetGroup>(edit).group);
    adopted.type = std::string(kGroup) + taken->group;
  }
  adopted.stem = adopted.type.substr(kGroup.size());
  return adopted;
}

}  // namespace hw::app
