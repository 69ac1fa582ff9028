#include "app/workspace/open_graph.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "app/workspace/device_choice.h"
#include "app/workspace/set_aside.h"
#include "app/workspace/weights_beside.h"
#include "engine/core/nearest_names.h"
#include "engine/devices/devices.h"
#include "engine/graph/check/check_instances.h"
#include "engine/graph/check/check_type.h"
#include "engine/graph/edit_nodes.h"
#include "engine/graph/groups/edits_apart.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/graph/near_nodes.h"
#include "engine/io/asset/asset_paths.h"
#include "engine/io/graph/graph_file.h"
#include "engine/plan/train_settings.h"

namespace hw::workspace {

namespace fs = std::filesystem;

namespace {

/// Allows reading what a parameter is set to on disk: the user chose it.
void allow_set(FileAssets& assets, const NodeType& type, const ParamDecl& decl, const ParamValue& value) {
  const auto* path = std::get_if<std::string>(&value);
  if (decl.type == ParamDecl::Type::path && path && !type.decl.outputs().empty())
    assets.allow_named(type.decl.outputs().front().kind, *path);
}

Status apply_set(OpenGraph& loaded, const std::string& text) {
  const Graph& graph = loaded.graph;
  const std::string& option = loaded.option_names.set;
  const size_t dot = text.find('.'), equals = text.find('=');
  if (dot == std::string::npos || equals == std::string::npos || dot > equals) {
    return Error{codes::bad_usage, by_option(option, text), "expected NODE.PARAM=VALUE.",
                 "For example: " + by_option(option, "train.learning_rate=0.001")};
  }
  std::string id = text.substr(0, dot), param = text.substr(dot + 1, equals - dot - 1);
  std::vector<std::pair<std::string, std::string>> places{{id, param}};
  if (const Node* own = loaded.document.find(id)) {
    places = flat_params(document_scope(loaded.document), *own, param);
    if (places.empty()) {
      std::string known;
      for (const PromotedParam& p : loaded.document.find_group(*group_of(*own))->params)
        known += (known.empty() ? "" : ", ") + p.id;
      return Error{codes::unknown_parameter, by_option(option, id + "." + param),
                   "the group of " + id + " promotes no parameter \"" + param + "\".",
                   known.empty() ? "It promotes none: name a node in it, like " + id + "/NODE." + param
                                 : "It promotes " + known + "."};
    }
    std::tie(id, param) = places.front();
  }
  const Node* node = graph.find(id);
  if (!node) return no_such_node(graph, by_option(option, id + "." + param), id);
  const NodeType* type = Registry::instance().find(node->type);
  const ParamDecl* decl = type ? type->decl.find_param(param) : nullptr;
  if (!decl) {
    std::string known;
    for (const ParamDecl& p : type ? type->decl.params() : std::vector<ParamDecl>())
      known += (known.empty() ? "" : ", ") + p.id;
    return Error{codes::unknown_parameter, by_option(option, id + "." + param),
                 "a node of type " + node->type + " has no parameter \"" + param + "\".",
                 "Its parameters are " + known + "."};
  }
  const auto value = parse_param(*decl, text.substr(equals + 1));
  if (!value) {
    Error error = value.error();
    error.where = by_option(option, id + "." + param);
    return error;
  }
  allow_set(*loaded.assets, *type, *decl, *value);
  Edits edits;
  for (const auto& [node_id, its] : places) edits.push_back(SetParam{node_id, its, *value});
  HW_CHECK(apply_edits(loaded.graph, edits));
  return ok();
}

Status apply_pin(Graph& graph, const std::string& text, const std::string& option) {
  const size_t equals = text.find('=');
  const std::string asked = by_option(option, text);
  if (equals == std::string::npos || equals + 1 == text.size())
    return Error{codes::bad_usage, asked, "expected NODE=DEVICE.", "For example: " + by_option(option, "mlp=cpu")};
  const std::string device = text.substr(equals + 1);
  HW_CHECK(choose_device(device, asked));
  const std::string node = text.substr(0, equals);
  Edits pins;
  for (const auto& [id, other] : graph.nodes()) {
    if (id == node || id.starts_with(node + "/")) pins.push_back(SetDevice{id, device});
  }
  if (pins.empty()) return no_such_node(graph, asked, node);
  HW_CHECK(apply_edits(graph, pins));
  return ok();
}

}  // namespace

Result<Graph> read_document(const std::string& file) {
  if (fs::path(file).extension() == ".onnx")
    return Error{codes::file_syntax, file, "this is a model of ONNX, not a graph.",
                 "Make a graph of it: halfwire-cli import " + file};
  return read_graph(file);
}

Status save_document(Graph document, const std::string& from, const std::string& file, const OptionNames& names,
                     Notes& notes) {
  const fs::path before = fs::path(from).parent_path(), after = fs::path(file).parent_path();
  HW_CHECK(apply_edits(document, paths_seen_from(document, before, after)));
  HW_CHECK(save_graph(document, file));
  if (before == after) return ok();
  const std::string reading = names.allow.empty() ? "" : "reading it needs " + names.allow + ", and ";
  const std::string naming = names.set.empty() ? "" : " by " + names.set;
  for (const AssetRef& ref : assets_outside(flatten(document), after))
    add_note(notes, ref.node + "." + ref.param + ": " + ref.path + " lies outside the folder of " + file + ": " +
                        reading + "it does not travel with the graph; copy it there and name it" + naming);
  return ok();
}

Result<OpenGraph> open_graph(const GraphRequest& request, Notes&) {
  HW_TRY(Graph document, read_document(request.graph));
  Graph graph = flatten(document);
  OpenGraph loaded{request.graph, std::move(graph), std::make_shared<FileAssets>(fs::path(request.graph).parent_path()),
                   std::move(document), request.option_names};
  for (const std::string& path : request.allowed) loaded.assets->allow(path);
  for (const std::string& set : request.sets) HW_CHECK(apply_set(loaded, set));
  for (const std::string& pin : request.pins) HW_CHECK(apply_pin(loaded.graph, pin, request.option_names.pin));
  return loaded;
}

Status prepare_training(OpenGraph& loaded, const std::string& trainer, const TrainableOptions& how, Notes& notes) {
  if (how.seed >= 0) HW_CHECK(apply_edits(loaded.graph, {SetParam{trainer, "seed", how.seed}}));
  HW_CHECK(check_blocking(loaded.graph, loaded.document, trainer, how.pins, notes));
  if (!how.device.empty()) HW_CHECK(choose_device(how.device, loaded.option_names));
  return ok();
}

Result<TrainableGraph> as_trainable(OpenGraph loaded, const TrainableOptions& how, Notes& notes) {
  bool stands_in = false;
  if (how.checks) {
    HW_TRY(CheckableGraph checked, checkable(loaded.graph));
    loaded.graph = std::move(checked.graph);
    stands_in = checked.stands_in;
  }
  if (stands_in)
    add_note(notes,
             "the graph has no Train node: the mean square of its outputs stands in for a loss, and it runs as in "
             "training.");
  HW_TRY(const std::string trainer, find_trainer(loaded.graph));
  HW_CHECK(prepare_training(loaded, trainer, how, notes));
  return TrainableGraph{std::move(loaded), trainer, stands_in};
}

Result<TrainableGraph> open_trainable(const GraphRequest& request, const TrainableOptions& how, Notes& notes) {
  HW_TRY(OpenGraph loaded, open_graph(request, notes));
  return as_trainable(std::move(loaded), how, notes);
}

Status save_changed(const GraphRequest& request, const TrainableGraph& ran, const Edits& edits, const std::string& file,
                    Notes& notes) {
  HW_TRY(const OpenGraph asked, open_graph(request, notes));
  std::set<std::string> of_run;
  for (const auto& [id, node] : ran.graph.nodes())
    if (!asked.graph.find(id)) of_run.insert(id);
  Graph changed = asked.document.groups().empty() ? asked.graph : asked.document;
  HW_TRY(const Edits made, document_edits_apart(changed, edits_without(edits, of_run)));
  HW_CHECK(apply_edits(changed, made));
  HW_CHECK(set_weights_aside(weights_file(file), notes));
  HW_CHECK(save_document(std::move(changed), request.graph, file, request.option_names, notes));
  note_weights_stay(request.graph, file, notes);
  return ok();
}

namespace {

bool is_socket(const Node& node) {
  return node.type == kInputType || node.type == kOutputType;
}

/// The error, at `where`, for a name without a dot. `type`: of the nodes that it lists.
Error no_such_socket(const Graph& graph, const std::string& where, const std::string& name, const std::string& type) {
  if (graph.find(name)) return {codes::bad_usage, where, "this is a node: expected NODE.SOCKET.", "For example: mlp.y"};
  std::vector<std::string> names;
  for (const auto& [id, node] : graph.nodes())
    if (node.type == type) names.push_back(id);
  return {codes::bad_usage, where,
          names.empty() ? "expected NODE.SOCKET."
                        : std::string("there is no ") + (type == kInputType ? "Input" : "Output") + " of this name.",
          names.empty() ? "For example: mlp.y"
                        : "Name one of " + listed(names, 8) + ", or a wire as NODE.SOCKET, mlp.y for example."};
}

}  // namespace

Result<SocketRef> find_output(const Graph& graph, const std::string& name, const std::string& option,
                              const std::string& listed) {
  const std::string where = by_option(option, name);
  const size_t dot = name.find('.');
  const Node* named = graph.find(name);
  if (named && is_socket(*named)) return SocketRef{name, "y"};
  if (dot == std::string::npos || dot + 1 == name.size()) return no_such_socket(graph, where, name, listed);
  const SocketRef ref{name.substr(0, dot), name.substr(dot + 1)};
  const std::string inside = ref.node + "/" + ref.socket;  // a socket of an instance of a group
  if (const Node* of_group = graph.find(inside); of_group && is_socket(*of_group)) return SocketRef{inside, "y"};
  const Node* node = graph.find(ref.node);
  if (!node) return no_such_node(graph, where, ref.node);
  const NodeType* type = Registry::instance().find(node->type);
  if (foreign_operator(*node)) {
    return Error{codes::unknown_node, where, "the node " + foreign_text(*node),
                 "Put nodes in its place that compute the same, or name a wire before it."};
  }
  if (!type) {
    return Error{codes::unknown_node, where, "its type, " + node->type + ", is not known here.",
                 "Open the graph with a newer Halfwire."};
  }
  const Declaration declared = type->declared(node->params);
  if (declared->find_output(ref.socket)) return ref;
  const auto links = graph.links_into(ref.node, ref.socket);
  if (!links.empty()) return SocketRef{links[0].from, links[0].from_socket};
  std::string known;
  for (const SocketDecl& socket : declared->outputs()) known += (known.empty() ? "" : ", ") + socket.id;
  return Error{codes::unknown_socket, where, "the node has no such output or wired input.",
               known.empty() ? "It has no outputs." : "Its outputs are " + known + "."};
}

namespace {

/// Adds them to the notes; the error of the first.
Status stopped_by(const std::vector<Diagnostic>& found, Notes& notes) {
  for (const Diagnostic& d : found) add_diagnostic(notes, d);
  return found.empty() ? ok() : Status(error_of(found.front()));
}

}  // namespace

Status check_group_instances(const OpenGraph& loaded, Notes& notes) {
  std::vector<Diagnostic> found = check_instances(loaded.document);
  std::erase_if(found, [](const Diagnostic& d) { return d.severity != Severity::error; });
  return stopped_by(found, notes);
}

Status check_nodes(const Graph& graph, Notes& notes) {
  Validator validator;
  validator.reset(graph);
  std::vector<Diagnostic> found = validator.all();
  std::erase_if(found, [](const Diagnostic& d) { return !blocks(d, Pins::count); });
  return stopped_by(found, notes);
}

Status check_blocking(const Graph& graph, const Graph& document, const std::string& node, Pins pins, Notes& notes) {
  std::vector<Diagnostic> found = blocking_instances(document, graph, node);
  Validator validator;
  validator.set_devices(has_device, device_ids);
  validator.reset(graph);
  const Diagnostic* first = validator.blocking(graph, node, pins);
  if (!first) return stopped_by(found, notes);
  std::set<std::string> cone{node};
  std::vector<std::string> open{node};
  while (!open.empty()) {
    const std::string id = open.back();
    open.pop_back();
    for (const Link& link : graph.links_into(id)) {
      if (cone.insert(link.from).second) open.push_back(link.from);
    }
  }
  for (const std::string& id : cone) {
    for (const Diagnostic& d : validator.of(id)) {
      if (blocks(d, pins)) found.push_back(d);
    }
  }
  for (const Diagnostic& d : validator.of("")) {
    if (d.severity == Severity::error) found.push_back(d);
  }
  if (found.empty()) found.push_back(*first);
  return stopped_by(found, notes);
}

}  // namespace hw::workspace
