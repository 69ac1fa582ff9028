#include "engine/graph/weights/map_by_place.h"

#include <algorithm>

namespace hw {
namespace {

/// `to` is made of what `from` makes.
bool leads_to(const Graph& graph, const std::string& from, const std::string& to) {
  std::set<std::string> seen{to};
  std::vector<std::string> left{to};
  while (!left.empty()) {
    const std::string id = std::move(left.back());
    left.pop_back();
    for (const Link& link : graph.links_into(id)) {
      if (link.from == from) return true;
      if (seen.insert(link.from).second) left.push_back(link.from);
    }
  }
  return false;
}

/// The tensors' names are one but for numbers.
bool only_numbered(const WeightTable& table, const std::vector<std::string>& tensors) {
  const Words& first = table.left().at(tensors.front()).words;
  return std::ranges::all_of(tensors, [&](const std::string& name) {
    const Words& words = table.left().at(name).words;
    return words == first || differ_in_numbers(words, first);
  });
}

/// Rows in the order of the graph: each node leads to the next, and where their names differ in numbers alone these
/// rise, too.
bool follow_each_other(const WeightTable& table, const std::vector<size_t>& rows) {
  for (size_t k = 1; k < rows.size(); ++k) {
    const WeightRow &a = table.rows()[rows[k - 1]], &b = table.rows()[rows[k]];
    const std::string one = a.node(), other = b.node();
    if (one != other && !leads_to(table.graph(), one, other)) return false;
    if (b.is_named && differ_in_numbers(a.words, b.words) && comes_before(b.words, a.words)) return false;
  }
  return true;
}

/// A tensor of these sizes whose name differs in numbers alone is another parameter's already.
bool has_numbered_sibling(const WeightTable& table, const std::string& name) {
  const FileTensor& tensor = table.left().at(name);
  return std::ranges::any_of(table.rows(), [&](const WeightRow& row) {
    return !row.tensor.empty() && row.dims == tensor.dims && differ_in_numbers(words_of(row.tensor), tensor.words);
  });
}

/// Whether their order in the graph is that of the tensors by name: words have none, o_proj comes before q_proj in a
/// file, and after it in the network.
bool are_in_order(const WeightTable& table, const std::vector<size_t>& rows, const std::vector<std::string>& tensors) {
  std::set<std::pair<size_t, size_t>> places;
  for (const size_t row : rows) places.insert({table.rows()[row].depth, table.rows()[row].place});
  if (places.size() < rows.size()) return false;  // some are side by side: nothing says which comes first
  const auto is_norm = [&](size_t row) { return table.rows()[row].is_norm; };
  const bool of_one = std::ranges::all_of(rows, is_norm) || std::ranges::none_of(rows, is_norm);
  return of_one && only_numbered(table, tensors) && follow_each_other(table, rows);
}

}  // namespace

void map_by_layer(WeightTable& table) {
  std::map<std::string, std::map<size_t, std::map<std::string, std::string>>> modules;  // module, layer, part: tensor
  for (const auto& [name, tensor] : table.left())
    if (const auto of = recurrent_name(name)) modules[of->module][of->layer][of->part] = name;
  std::vector<std::string> nodes;  // in their order
  std::map<std::pair<std::string, std::string>, size_t> row_of;
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const WeightRow& row = table.rows()[i];
    if (!row.is_recurrent || !row.is_open()) continue;
    const std::string id = row.node();
    if (nodes.empty() || nodes.back() != id) nodes.push_back(id);
    row_of[{id, row.weight()}] = i;
  }
  if (modules.size() != 1 || nodes.empty() || modules.begin()->second.size() != nodes.size()) return;
  std::vector<std::pair<size_t, std::string>> pairs;
  for (size_t k = 0; const auto& [layer, parts] : modules.begin()->second) {
    const std::string& id = nodes[k];
    if (layer != k || (k > 0 && !leads_to(table.graph(), nodes[k - 1], id))) return;
    for (const auto& [part, tensor] : parts) {
      const auto row = row_of.find({id, part});
      if (row == row_of.end() || table.rows()[row->second].dims != table.left().at(tensor).dims) return;
      pairs.emplace_back(row->second, tensor);
    }
    ++k;
  }
  if (pairs.size() < row_of.size()) return;
  for (const auto& [row, tensor] : pairs) table.take(row, tensor, MappedBy::similar_name);
}

void map_by_kind(WeightTable& table, size_t most, MappedBy by) {
  std::map<WeightKind, std::vector<size_t>> rows;
  for (size_t i = 0; i < table.rows().size(); ++i)
    if (table.rows()[i].is_open()) rows[table.rows()[i].kind()].push_back(i);
  std::map<WeightKind, std::vector<std::string>> tensors;
  for (const auto& [name, tensor] : table.left())
    if (!tensor.words.empty()) tensors[tensor.kind()].push_back(name);
  for (const auto& [kind, of_kind] : rows) {
    const auto found = tensors.find(kind);
    if (found == tensors.end() || found->second.size() != of_kind.size() || of_kind.size() > most) continue;
    if (!are_in_order(table, of_kind, found->second)) continue;
    if (most == 1 && has_numbered_sibling(table, found->second.front())) continue;
    std::ranges::stable_sort(found->second, comes_before,
                             [&](const std::string& name) { return table.left().at(name).words; });
    for (size_t k = 0; k < of_kind.size(); ++k) table.take(of_kind[k], found->second[k], by);
  }
}

void map_by_tie(WeightTable& table) {
  const std::vector<WeightRow>& all = table.rows();
  std::map<Dims, std::vector<size_t>> rows;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].dims.size() == 2 && !all[i].is_turned) rows[all[i].dims].push_back(i);
  for (const auto& [name, tensor] : table.left()) rows.erase(tensor.dims);
  for (const auto& [dims, of_dims] : rows) {
    if (of_dims.size() != 2) continue;
    const WeightRow &first = all[of_dims[0]], &second = all[of_dims[1]];
    if (first.is_open() == second.is_open() || first.is_table == second.is_table) continue;
    table.take(first.is_open() ? of_dims[0] : of_dims[1], first.is_open() ? second.tensor : first.tensor,
               MappedBy::shape);
  }
}

void keep_modules_together(WeightTable& table, MappedBy by) {
  std::map<std::string, std::set<std::string>> nodes_of, modules_of;  // by module of the file; by node
  const auto module_of = [](const std::string& tensor) { return tensor.substr(0, tensor.rfind('.')); };
  for (const WeightRow& row : table.rows()) {
    if (row.tensor.empty()) continue;
    nodes_of[module_of(row.tensor)].insert(row.node());
    modules_of[row.node()].insert(module_of(row.tensor));
  }
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const WeightRow& row = table.rows()[i];
    if (row.by != by || row.tensor.empty()) continue;
    if (row.tensor.ends_with(row.expected) || row.expected.ends_with(row.tensor)) continue;  // the graph names them so
    const bool is_of_one_node = by != MappedBy::order || nodes_of[module_of(row.tensor)].size() == 1;
    if (!is_of_one_node || modules_of[row.node()].size() != 1) table.release(i);
  }
}

}  // namespace hw
