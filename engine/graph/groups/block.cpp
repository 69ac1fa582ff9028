#include "engine/graph/groups/block.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/graph/groups/copy_groups.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/groups/spacing.h"

namespace hw {
namespace {

/// Example data of this type: sizes that are not known are 4.
void give_example(Node& input, const WireType& type) {
  if (type.kind != Kind::tensor) return;
  std::vector<double> sizes;
  std::string axes, symbolic;
  bool named = true;
  for (const Axis& axis : type.shape.axes()) {
    sizes.push_back(axis.known() ? static_cast<double>(axis.size) : 4);
    named = named && !axis.name.empty();
    axes += (axes.empty() ? "" : " ") + axis.name;
    if (!axis.known() || axis.name == "N" || axis.name == "batch")
      symbolic += (symbolic.empty() ? "" : " ") + axis.name;
  }
  input.params["shape"] = std::move(sizes);
  input.params["axes"] = named ? axes : std::string();
  input.params["symbolic"] = named ? symbolic : std::string();
  const std::vector<DType> floats = running_floats();
  if (std::ranges::find(floats, type.dtype) != floats.end()) input.params["dtype"] = std::string(name(type.dtype));
}

/// As a graph has it: values that are the default are not there.
void drop_defaults(Node& node) {
  const NodeDecl& decl = Registry::instance().find(node.type)->decl;
  std::erase_if(node.params, [&](const auto& entry) {
    const ParamDecl* param = decl.find_param(entry.first);
    return param && param->value == entry.second;
  });
}

}  // namespace

Result<const Group*> block_of(const Graph& file) {
  const Group* found = nullptr;
  for (const auto& [id, node] : file.nodes()) {
    const auto group = group_of(node);
    if (!group) continue;
    const Group* definition = file.find_group(*group);
    if (!definition || found)
      return Error{codes::bad_group, id, found ? "it has several instances of groups." : "its group is not there.",
                   "A block has one instance of one group."};
    found = definition;
  }
  if (!found) return Error{codes::bad_group, "", "it has no instance of a group.", "A block has one."};
  return found;
}

Graph block_file(const Graph& document, const Group& group, const std::map<std::string, WireType>& inputs) {
  Graph file;
  Node instance;
  instance.id = group.id;
  instance.type = "group:" + group.id;
  instance.x = kColumn;
  file.add_node(instance);
  double next_input = 0, next_output = 0;
  for (const Node* socket : sockets_of(group.graph)) {
    const bool is_input = socket->type == kInputType;
    Node end;
    end.id = file.fresh_id(socket->id);
    end.type = socket->type;
    end.label = socket->label;
    if (const auto kind = socket->params.find("kind"); kind != socket->params.end()) end.params["kind"] = kind->second;
    end.x = is_input ? 0 : 2 * kColumn;
    double& y = is_input ? next_input : next_output;
    end.y = y;
    y += kRow;
    const std::string id = end.id;
    if (const auto type = inputs.find(socket->id); is_input && type != inputs.end()) give_example(end, type->second);
    drop_defaults(end);
    file.add_node(std::move(end));
    if (is_input)
      file.add_link({id, "y", group.id, socket->id});
    else
      file.add_link({group.id, socket->id, id, "x"});
  }
  file.set_group(group);
  add_used_groups(document, file);
  return file;
}

Result<AdoptedBlock> adopt_block(const Graph& document, const Graph& file) {
  HW_TRY(const Group* block, block_of(file));
  Graph part;
  Node instance;
  instance.id = "block";
  instance.type = "group:" + block->id;
  part.add_node(instance);
  add_used_groups(file, part);
  AdoptedBlock adopted;
  adopted.edits = adopt_groups(document, part);
  adopted.group = *group_of(*part.find("block"));
  return adopted;
}

}  // namespace hw
