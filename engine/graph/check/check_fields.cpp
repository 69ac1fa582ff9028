#include "engine/graph/check/check_fields.h"

#include <algorithm>
#include <array>

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/unread_fields.h"

namespace hw {
namespace {

using Names = std::vector<std::string>;

constexpr size_t kStem = 5;  // characters: "parameters" and "params"
constexpr std::array<std::string_view, 8> kRemarks{"comment", "comments", "description", "note",
                                                   "notes",   "metadata", "version",     "author"};

/// A slip, or another ending.
bool is_near(const std::string& name, const std::string& known) {
  const auto same = static_cast<size_t>(std::ranges::mismatch(name, known).in1 - name.begin());
  return is_misspelling(name, known) || (same >= kStem && 2 * same >= std::max(name.size(), known.size()));
}

/// `of`: "A node", "The group \"g\"".
void check(const std::string& of, const std::string& extra, const Names& known, std::vector<Diagnostic>& found) {
  for (const std::string& field : unread_fields(extra, known)) {
    if (field.starts_with('_') || field.starts_with('$') || std::ranges::find(kRemarks, field) != kRemarks.end())
      continue;
    const auto near = std::ranges::find_if(known, [&](const std::string& k) { return is_near(field, k); });
    Diagnostic d;
    d.code = codes::unknown_parameter;
    d.socket = field;
    d.reason = of + " has no field \"" + field + "\": what it says has no effect.";
    if (near != known.end()) {
      d.reason += " Nearest: " + *near + ".";
      d.remedies.push_back({"Rename the field to \"" + *near + "\" in a text editor", {}});
    } else {
      d.severity = Severity::warning;
      d.reason += " It is kept in the file.";
    }
    found.push_back(std::move(d));
  }
}

}  // namespace

std::vector<Diagnostic> check_fields(const Node& node) {
  std::vector<Diagnostic> found;
  const auto known = node_fields();
  check("A node", node.extra, {known.begin(), known.end()}, found);
  for (Diagnostic& d : found) d.node = node.id;
  return found;
}

std::vector<Diagnostic> check_document_fields(const Graph& document) {
  static const Names root{"halfwire",  "nodes",  "links",          "frames",
                          "subgraphs", "policy", "autocast_dtype", "weight_names"};
  static const Names group_fields{"title", "description", "category", "keywords", "nodes", "links", "frames", "params"};
  static const Names frame_fields{"id", "title", "at", "size", "colour", "text"};
  static const Names promoted_fields{"id", "label", "node", "param"};
  std::vector<Diagnostic> found;
  const auto check_frames = [&](const Graph& graph) {
    for (const auto& [id, frame] : graph.frames())
      check("The frame \"" + (frame.title.empty() ? id : frame.title) + "\"", frame.extra, frame_fields, found);
  };
  check("A graph file", document.extra, root, found);
  check_frames(document);
  for (const auto& [id, group] : document.groups()) {
    const std::string of = "The group " + title_of(*group);
    check(of, group->extra, group_fields, found);
    check_frames(group->graph);
    for (const PromotedParam& promoted : group->params)
      check("The promoted parameter \"" + promoted.id + "\" of the group " + title_of(*group), promoted.extra,
            promoted_fields, found);
  }
  return found;
}

}  // namespace hw
