// Writing *.halfwire: fixed order of fields, one node, link or frame a line.
#include <cmath>
#include <utility>

#include "engine/core/codes.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/json_text.h"
#include "engine/io/graph/graph_file.h"

namespace hw {
namespace {

using nlohmann::json;

/// Canvas units: whole numbers without ".0".
void append_unit(std::string& out, double v) {
  if (!std::isfinite(v)) v = 0;
  const double whole = std::nearbyint(v) + 0.0;  // no −0
  if (v == whole && std::abs(v) < 1e15) {
    out += std::to_string(static_cast<int64_t>(whole));
  } else {
    append_double(out, v);
  }
}

void append_pair(std::string& out, const char* key, double a, double b) {
  out.append(", \"").append(key).append("\": [");
  append_unit(out, a);
  out += ", ";
  append_unit(out, b);
  out += ']';
}

json to_json(const ParamValue& value) {
  return std::visit([](const auto& v) { return json(v); }, value);
}

/// Fields of `extra` (JSON text of an object) or an empty object. Text that is no JSON is a programmer's mistake.
json extra_fields(const std::string& extra) {
  if (extra.empty()) return json::object();
  json fields = json::parse(extra, nullptr, false);
  assert(fields.is_object());
  return fields.is_object() ? fields : json::object();
}

void append_fields(std::string& out, const json& fields) {
  for (const auto& [key, value] : fields.items()) {
    out += ", ";
    append_quoted(out, key);
    out += ": ";
    append_json(out, value);
  }
}

void append_node(std::string& out, const Node& node) {
  json extra = extra_fields(node.extra);
  json params = extra.value("params", json::object());  // values this version cannot hold
  json weights = extra.value("weights", json::object());
  extra.erase("params");
  extra.erase("weights");
  for (const auto& [key, value] : node.params) params[key] = to_json(value);

  out += "{\"id\": ";
  append_quoted(out, node.id);
  out += ", \"type\": ";
  append_quoted(out, node.type);
  append_pair(out, "at", node.x, node.y);
  if (!node.label.empty()) {
    out += ", \"label\": ";
    append_quoted(out, node.label);
  }
  if (!node.name.empty()) {
    out += ", \"name\": ";
    append_quoted(out, node.name);
  }
  if (node.collapsed) out += ", \"collapsed\": true";
  if (node.bypassed) out += ", \"bypassed\": true";
  if (node.preview) out += *node.preview ? ", \"preview\": true" : ", \"preview\": false";
  if (node.frozen) out += ", \"frozen\": true";
  if (!node.tie.empty()) {
    out += ", \"tie\": ";
    append_quoted(out, node.tie);
  }
  if (!node.device.empty()) {
    out += ", \"device\": ";
    append_quoted(out, node.device);
  }
  if (!params.empty()) {
    out += ", \"params\": ";
    append_json(out, params);
  }
  for (auto it = weights.begin(); it != weights.end();) it = node.weights.contains(it.key()) ? ++it : weights.erase(it);
  for (const auto& [weight, format] : node.weights) {
    json& object = weights[weight];
    object["dtype"] = name(format.dtype);
    if (format.cast) object["cast"] = true;
    if (format.convert) object["convert"] = true;
  }
  if (!weights.empty()) {
    out += ", \"weights\": ";
    append_json(out, weights);
  }
  append_fields(out, extra);
  out += '}';
}

void append_frame(std::string& out, const Frame& frame) {
  out += "{\"id\": ";
  append_quoted(out, frame.id);
  out += ", \"title\": ";
  append_quoted(out, frame.title);
  append_pair(out, "at", frame.x, frame.y);
  append_pair(out, "size", frame.width, frame.height);
  if (!frame.colour.empty()) {
    out += ", \"colour\": ";
    append_quoted(out, frame.colour);
  }
  if (frame.text) {
    out += ", \"text\": ";
    append_quoted(out, *frame.text);
  }
  append_fields(out, extra_fields(frame.extra));
  out += '}';
}

/// `"key": [` one item a line `]`. `indent`: of the key.
template <class Items, class Append>
void append_list(std::string& out, const char* key, const std::string& indent, const Items& items, Append append) {
  out.append(",\n").append(indent).append("\"").append(key).append("\": [");
  bool first = true;
  for (const auto& item : items) {
    out.append(first ? "\n" : ",\n").append(indent).append("  ");
    first = false;
    append(item);
  }
  if (!first) out.append("\n").append(indent);
  out += ']';
}

/// Nodes, links and frames: of a graph or of a group.
void append_contents(std::string& out, const std::string& indent, const Graph& graph) {
  append_list(out, "nodes", indent, graph.nodes(), [&](const auto& entry) { append_node(out, entry.second); });
  append_list(out, "links", indent, graph.links(), [&](const Link& link) {
    out += '[';
    append_quoted(out, link.from + "." + link.from_socket);
    out += ", ";
    append_quoted(out, link.to + "." + link.to_socket);
    out += ']';
  });
  if (!graph.frames().empty())
    append_list(out, "frames", indent, graph.frames(), [&](const auto& entry) { append_frame(out, entry.second); });
}

/// Fields of `extra`, one a line.
void append_extra(std::string& out, const std::string& indent, const std::string& extra) {
  const json fields = extra_fields(extra);
  for (const auto& [key, value] : fields.items()) {
    out.append(",\n").append(indent);
    append_quoted(out, key);
    out += ": ";
    append_json(out, value);
  }
}

void append_promoted(std::string& out, const PromotedParam& promoted) {
  out += "{\"id\": ";
  append_quoted(out, promoted.id);
  if (!promoted.label.empty()) {
    out += ", \"label\": ";
    append_quoted(out, promoted.label);
  }
  out += ", \"node\": ";
  append_quoted(out, promoted.node);
  out += ", \"param\": ";
  append_quoted(out, promoted.param);
  append_fields(out, extra_fields(promoted.extra));
  out += '}';
}

void append_group(std::string& out, const Group& group) {
  append_quoted(out, group.id);
  out += ": {\n      \"title\": ";
  append_quoted(out, group.title);
  for (const auto& [key, text] :
       {std::pair("description", &group.description), {"category", &group.category}, {"keywords", &group.keywords}}) {
    if (text->empty()) continue;
    out.append(",\n      \"").append(key).append("\": ");
    append_quoted(out, *text);
  }
  if (!group.params.empty())
    append_list(out, "params", "      ", group.params, [&](const PromotedParam& p) { append_promoted(out, p); });
  append_contents(out, "      ", group.graph);
  append_extra(out, "      ", group.extra);
  out += "\n    }";
}

/// Error HW-P001 at a value that is not finite. `place`: of the graph in the file.
Status check_finite(const Graph& graph, const std::string& place) {
  for (const auto& [id, node] : graph.nodes()) {
    for (const auto& [key, value] : node.params) {
      const double* real = std::get_if<double>(&value);
      const auto* list = std::get_if<std::vector<double>>(&value);
      bool finite = !real || std::isfinite(*real);
      for (size_t i = 0; list && i < list->size(); ++i) finite = finite && std::isfinite((*list)[i]);
      if (!finite) {
        return Error{codes::bad_parameter, place + id + "." + key, "a value that is not finite cannot be saved.",
                     "Give it a finite number."};
      }
    }
  }
  return ok();
}

}  // namespace

std::string write_graph(const Graph& graph) {
  std::string out = "{\n  \"halfwire\": " + std::to_string(kGraphFormatVersion);
  const Precision& precision = graph.precision;
  if (precision.policy != Policy::strict) out.append(",\n  \"policy\": \"").append(name(precision.policy)) += '"';
  if (precision.low != Precision{}.low) out.append(",\n  \"autocast_dtype\": \"").append(name(precision.low)) += '"';
  if (!graph.weight_names.empty()) {
    out += ",\n  \"weight_names\": {";
    const char* separator = "\n    ";
    for (const auto& [parameter, tensor] : graph.weight_names) {
      out += std::exchange(separator, ",\n    ");
      append_quoted(out, parameter);
      out += ": ";
      append_quoted(out, tensor);
    }
    out += "\n  }";
  }
  append_contents(out, "  ", graph);
  if (!graph.groups().empty()) {
    out += ",\n  \"subgraphs\": {";
    const char* separator = "\n    ";
    for (const auto& [id, group] : graph.groups()) {
      out += std::exchange(separator, ",\n    ");
      append_group(out, *group);
    }
    out += "\n  }";
  }
  append_extra(out, "  ", graph.extra);
  out += "\n}\n";
  return out;
}

Status check_graph_name(const std::filesystem::path& file) {
  if (file.stem().extension() == ".optimiser")
    return Error{codes::file_unwritable, file.string(),
                 "its weights would lie where " + file.stem().stem().string() +
                     " keeps the state of its optimiser: NAME.optimiser.safetensors.",
                 "Name it otherwise, such as " + file.stem().stem().string() + "-optimiser.halfwire."};
  if (file.extension() != ".safetensors") return ok();
  return Error{codes::file_unwritable, file.string(),
               "files of this name hold weights, and a graph's would take its place.", "Name it NAME.halfwire."};
}

Status save_graph(const Graph& graph, const std::filesystem::path& file) {
  HW_CHECK(check_graph_name(file));
  HW_CHECK(check_finite(graph, ""));
  for (const auto& [id, group] : graph.groups()) HW_CHECK(check_finite(group->graph, "group " + id + ": "));
  return write_file_atomically(file, write_graph(graph));
}

}  // namespace hw
