#include "engine/graph/map_weights.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "engine/graph/check_weights.h"
#include "engine/graph/foreign_names.h"
#include "engine/graph/name_words.h"
#include "engine/graph/published_names.h"
#include "engine/graph/topological_sort.h"
#include "engine/graph/weight_scale.h"

namespace hw {
namespace {

std::set<std::string> all_nodes(const Graph& graph) {
  std::set<std::string> all;
  for (const auto& [id, node] : graph.nodes()) all.insert(id);
  return all;
}

/// The sizes, and whether it is a weight, a bias or a running statistic.
using Kind = std::pair<Dims, std::string>;

/// A parameter, or a tensor.
struct Named {
  Kind kind;
  const Words* words;
  size_t row;
  const std::string* tensor;
};

/// Of each of `these` the only one of `those` of its kind whose words end with its words, or the other way about; null
/// where there is none, or several.
std::vector<const Named*> only_likeness(const std::vector<Named>& these, const std::vector<Named>& those) {
  struct Found {
    size_t count = 0;
    const Named* last = nullptr;
  };
  std::map<std::pair<Kind, std::string>, Found> whole, endings;  // all words; each end of them, the whole too
  const auto add = [](Found& found, const Named& named) {
    ++found.count;
    found.last = &named;
  };
  for (const Named& named : those) {
    add(whole[{named.kind, text_of(*named.words)}], named);
    for (size_t i = 0; i < named.words->size(); ++i) add(endings[{named.kind, text_of(*named.words, i)}], named);
  }
  std::vector<const Named*> only;
  for (const Named& named : these) {
    Found all;
    const auto count = [&](const auto& index, size_t begin) {
      const auto found = index.find({named.kind, text_of(*named.words, begin)});
      if (found == index.end()) return;
      all.count += found->second.count;
      all.last = found->second.last;
    };
    count(endings, 0);
    for (size_t i = 1; i < named.words->size(); ++i) count(whole, i);
    only.push_back(all.count == 1 ? all.last : nullptr);
  }
  return only;
}

/// The words of a node in a group that is called as its type is, "layer_0/self/query/linear_2", are those of the group:
/// the exporter's name of an operator says nothing of the module. Empty: it is called otherwise.
Words words_of_module(const Node& node, const std::string& weight) {
  const size_t slash = node.id.rfind('/');
  if (slash == node.id.npos) return {};
  const std::string_view own = std::string_view(node.id).substr(slash + 1);
  const bool is_numbered = own.size() > node.type.size() && own[node.type.size()] == '_';
  if (!own.starts_with(node.type) || (own.size() > node.type.size() && !is_numbered)) return {};
  return words_of(node.id.substr(0, slash) + "." + weight);
}

class Mapping {
 public:
  Mapping(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& tensors) : flat_(flat) {
    const NodeNames names(flat);
    std::map<std::string, std::string> name_of;  // of nodes in files
    for (const auto& [name, id] : names.ids()) name_of[id] = name;
    std::map<std::string, size_t> depths;
    for (const std::string& id : topological_sort(flat, all_nodes(flat))) {
      const Node& node = *flat.find(id);
      size_t& depth = depths[id];
      for (const Link& link : flat.links_into(id)) depth = std::max(depth, depths[link.from] + 1);
      const NodeType* type = Registry::instance().find(node.type);
      if (!type || type->decl.weights().empty() || !node.tie.empty()) continue;
      const auto parameters = parameters_of(node, validator.input_types(flat, node));
      if (!parameters) continue;
      for (size_t place = 0; const auto& [weight, value] : *parameters) {
        depth_.emplace_back(depth, place++);
        const WeightFormat* format = weight_format(node, weight);
        is_norm_.push_back(node.type.ends_with("_norm"));
        is_recurrent_.push_back(node.type == "lstm" || node.type == "gru");
        is_table_.push_back(node.type == "embedding" || node.type == "parameter");
        rows_.push_back({id + "." + weight, format ? format->dtype : value.dtype, value.dims, "", {}});
        module_words_.push_back(words_of_module(node, weight));
        const auto stored = flat.weight_names.find(id + "." + weight);
        expected_.push_back(stored == flat.weight_names.end() ? name_of.at(id) + "." + weight : stored->second);
        rows_.back().is_turned = strip_turned(expected_.back());
        is_named_.push_back(!node.name.empty() || !id.substr(id.rfind('/') + 1).starts_with("node_"));
        const bool by_stored = node.type == "parameter" && stored != flat.weight_names.end();
        row_words_.push_back(
            words_of(by_stored ? expected_.back() : (node.name.empty() ? id : node.name) + "." + weight));
      }
    }
    for (const auto& [name, tensor] : tensors)
      if (name.find('#') == name.npos && !counts_batches(name) && tensor_scaled_by(name, tensors).empty() &&
          !is_scale_of_values(name, tensors))
        left_.emplace(name, Candidate{tensor.dims(), words_in_file(name, tensors)}), all_.insert(name);
  }

  void by_given(const std::map<std::string, std::string>& given) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      const auto found = given.find(rows_[i].parameter);
      if (found == given.end() || !open(i)) continue;
      std::string tensor = found->second;
      const bool is_turned = strip_turned(tensor);
      if (!all_.contains(tensor)) continue;
      rows_[i].is_turned = is_turned || (rows_[i].is_turned && tensor == expected_[i]);
      take(i, tensor, MappedBy::given);
    }
  }

  /// `tensor_of`: what reading the file takes for each parameter.
  void by_name(const std::map<std::string, std::string>& tensor_of) {
    for (size_t i = 0; i < rows_.size(); ++i)
      if (const auto found = tensor_of.find(rows_[i].parameter); open(i) && found != tensor_of.end())
        if (left_.contains(found->second) && (!rows_[i].is_turned || found->second == expected_[i]))
          take(i, found->second, MappedBy::name);
  }

  /// By the table of a published network, unless the file has all names that the graph expects.
  void by_network() {
    if (std::ranges::all_of(expected_, [&](const std::string& name) { return left_.contains(name); })) return;
    PublishedNames published = published_network(sizes_of_rows(), sizes_of_tensors());
    network_ = std::move(published.network);
    differs_ = std::move(published.differs);
    take_all(published.tensors);
  }

  /// Blocks of the library by the names inside them.
  void by_block() { take_all(published_blocks(sizes_of_rows(), sizes_of_tensors())); }

  /// The names of the file are those that the graph expects, but for what stands before all of them: "module.", of one
  /// or of the other. The prefix that most names have in common.
  /// `whole`: only one that all names have, while not all of them are there without it.
  void by_prefix(bool whole) {
    if (whole && std::ranges::all_of(expected_, [&](const std::string& name) { return left_.contains(name); })) return;
    std::map<std::string, size_t> rows;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (open(i)) rows.emplace(expected_[i], i);
    std::map<std::pair<bool, std::string>, std::vector<std::pair<size_t, std::string>>> pairs;  // by who has which
    const auto each_ending = [](const std::string& name, const auto& visit) {
      for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1))
        visit(name.substr(0, dot + 1), name.substr(dot + 1));
    };
    for (const auto& [name, tensor] : left_)
      each_ending(name, [&](const std::string& prefix, const std::string& ending) {
        const auto row = rows.find(ending);
        if (row != rows.end() && tensor.dims == dims_in_file(row->second))
          pairs[{true, prefix}].emplace_back(row->second, name);
      });
    for (const auto& [expected, row] : rows)
      each_ending(expected, [&](const std::string& prefix, const std::string& ending) {
        const auto tensor = left_.find(ending);
        if (tensor != left_.end() && tensor->second.dims == dims_in_file(row))
          pairs[{false, prefix}].emplace_back(row, ending);
      });
    const auto fewer = [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); };
    const auto most = std::ranges::max_element(pairs, fewer);
    if (most == pairs.end() || most->second.size() < (whole ? rows.size() : std::min<size_t>(2, rows.size()))) return;
    if (std::ranges::count_if(pairs, [&](const auto& p) { return p.second.size() == most->second.size(); }) > 1) return;
    for (const auto& [row, tensor] : most->second) take(row, tensor, MappedBy::similar_name);
  }

  /// Layers of the only recurrent module that the file has, by their numbers, where as many nodes follow each other.
  void by_layer() {
    std::map<std::string, std::map<size_t, std::map<std::string, std::string>>> modules;  // module, layer, part: tensor
    for (const auto& [name, tensor] : left_)
      if (const auto of = recurrent_name(name)) modules[of->module][of->layer][of->part] = name;
    std::vector<std::string> nodes;  // in their order
    std::map<std::pair<std::string, std::string>, size_t> row_of;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!is_recurrent_[i] || !open(i)) continue;
      const size_t dot = rows_[i].parameter.rfind('.');
      const std::string id = rows_[i].parameter.substr(0, dot);
      if (nodes.empty() || nodes.back() != id) nodes.push_back(id);
      row_of[{id, rows_[i].parameter.substr(dot + 1)}] = i;
    }
    if (modules.size() != 1 || nodes.empty() || modules.begin()->second.size() != nodes.size()) return;
    std::vector<std::pair<size_t, std::string>> pairs;
    for (size_t k = 0; const auto& [layer, parts] : modules.begin()->second) {
      const std::string& id = nodes[k];
      if (layer != k || (k > 0 && !leads_to(nodes[k - 1], id))) return;
      for (const auto& [part, tensor] : parts) {
        const auto row = row_of.find({id, part});
        if (row == row_of.end() || rows_[row->second].dims != left_.at(tensor).dims) return;
        pairs.emplace_back(row->second, tensor);
      }
      ++k;
    }
    if (pairs.size() < row_of.size()) return;
    for (const auto& [row, tensor] : pairs) take(row, tensor, MappedBy::similar_name);
  }

  void by_similar_name() {
    // What follows from a pair leaves fewer for the others.
    for (bool found = true; found;) {
      found = false;
      std::vector<Named> rows, tensors;
      for (size_t i = 0; i < rows_.size(); ++i)
        if (open(i) && is_named_[i]) rows.push_back({kind_of(i), &row_words_[i], i, nullptr});
      for (const auto& [name, tensor] : left_)
        if (!tensor.words.empty()) tensors.push_back({{tensor.dims, tensor.words.back()}, &tensor.words, 0, &name});
      const std::vector<const Named*> tensor_of = only_likeness(rows, tensors), row_of = only_likeness(tensors, rows);
      std::map<std::string, size_t> places;
      for (size_t t = 0; t < tensors.size(); ++t) places[*tensors[t].tensor] = t;
      std::vector<std::pair<size_t, std::string>> pairs;
      for (size_t r = 0; r < rows.size(); ++r)
        if (const Named* tensor = tensor_of[r]; tensor && row_of[places.at(*tensor->tensor)] == &rows[r])
          pairs.emplace_back(rows[r].row, *tensor->tensor);
      for (const auto& [row, tensor] : pairs) take(row, tensor, MappedBy::similar_name);
      found = !pairs.empty();
    }
  }

  /// Takes back pairs of similar names where one parameter and one tensor are left whose names differ from those of the
  /// pair in numbers alone: their numbers are counted otherwise, "layers.2" is the second of layers.0, layers.2 ….
  void release_torn_families() {
    std::vector<size_t> torn;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].by != MappedBy::similar_name) continue;
      const Words words = words_of(rows_[i].tensor);
      const auto is_left = [&](const auto& tensor) {
        return tensor.second.dims == dims_in_file(i) && differ_in_numbers(tensor.second.words, words);
      };
      bool any_row = false;
      for (size_t k = 0; k < rows_.size() && !any_row; ++k)
        any_row = open(k) && rows_[k].dims == rows_[i].dims && differ_in_numbers(row_words_[k], row_words_[i]);
      if (any_row && std::ranges::any_of(left_, is_left)) torn.push_back(i);
    }
    for (const size_t i : torn) release(i);
  }

  /// Nodes of groups by the module that the group is: the only tensor of the parameter's sizes that has the module's
  /// words among its own, which no other parameter of these sizes could be.
  void by_module() {
    std::map<size_t, std::vector<std::string>> tensors;  // by row
    std::map<std::string, size_t> uses;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!open(i) || module_words_[i].empty()) continue;
      for (const auto& [name, tensor] : left_)
        if (tensor.dims == dims_in_file(i) && is_part_of(module_words_[i], tensor.words)) {
          tensors[i].push_back(name);
          ++uses[name];
        }
    }
    for (const auto& [row, names] : tensors)
      if (names.size() == 1 && uses.at(names.front()) == 1) take(row, names.front(), MappedBy::similar_name);
  }

  /// `most`: so many of one kind are told apart by their order.
  void by_kind(size_t most, MappedBy by) {
    std::map<Kind, std::vector<size_t>> rows;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (open(i)) rows[kind_of(i)].push_back(i);
    auto tensors = tensors_by_kind();
    for (const auto& [kind, of_kind] : rows) {
      const auto found = tensors.find(kind);
      if (found == tensors.end() || found->second.size() != of_kind.size() || of_kind.size() > most) continue;
      std::set<std::pair<size_t, size_t>> depths;  // and the place among the parameters of a node
      for (const size_t row : of_kind) depths.insert(depth_[row]);
      if (depths.size() < of_kind.size()) continue;  // some are side by side: nothing says which comes first
      // Words have no order: o_proj comes before q_proj in a file, and after it in the network.
      const auto is_norm = [&](size_t row) { return static_cast<bool>(is_norm_[row]); };
      const bool of_one = std::ranges::all_of(of_kind, is_norm) || std::ranges::none_of(of_kind, is_norm);
      if (!of_one || !only_numbered(found->second) || !follow_each_other(of_kind)) continue;
      if (most == 1 && has_numbered_sibling(found->second.front())) continue;
      std::ranges::stable_sort(found->second, comes_before,
                               [&](const std::string& name) { return left_.at(name).words; });
      for (size_t k = 0; k < of_kind.size(); ++k) take(of_kind[k], found->second[k], by);
    }
  }

  /// An embedding's table and the layer that makes scores of it share a weight that is stored once: a matrix without a
  /// tensor, of whose sizes none is left, has that of the only other parameter of them, where one of the two is a
  /// table.
  void by_tie() {
    std::map<Dims, std::vector<size_t>> rows;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (rows_[i].dims.size() == 2 && !rows_[i].is_turned) rows[rows_[i].dims].push_back(i);
    for (const auto& [name, tensor] : left_) rows.erase(tensor.dims);
    for (const auto& [dims, of_dims] : rows) {
      if (of_dims.size() != 2 || open(of_dims[0]) == open(of_dims[1])) continue;
      if (is_table_[of_dims[0]] == is_table_[of_dims[1]]) continue;
      const size_t first = open(of_dims[0]) ? 1 : 0;
      take(of_dims[1 - first], rows_[of_dims[first]].tensor, MappedBy::shape);
    }
  }

  /// Takes back what was found so where it tears modules apart: the tensors of a node belong to one module, and by
  /// order those of a module to one node.
  void keep_modules_together(MappedBy by) {
    std::map<std::string, std::set<std::string>> nodes_of, modules_of;  // by module of the file; by node
    const auto owner = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
    for (const MappedWeight& m : rows_) {
      if (m.tensor.empty()) continue;
      nodes_of[owner(m.tensor)].insert(owner(m.parameter));
      modules_of[owner(m.parameter)].insert(owner(m.tensor));
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      MappedWeight& m = rows_[i];
      if (m.by != by || m.tensor.empty()) continue;
      if (m.tensor.ends_with(expected_[i]) || expected_[i].ends_with(m.tensor)) continue;  // the graph names them so
      if ((by != MappedBy::order || nodes_of[owner(m.tensor)].size() == 1) &&
          modules_of[owner(m.parameter)].size() == 1)
        continue;
      release(i);
    }
  }

  WeightMapping result() && {
    WeightMapping mapping{std::move(rows_), {}, std::move(network_), std::move(differs_)};
    for (const auto& [name, tensor] : left_) mapping.unused.push_back(name);
    return mapping;
  }

 private:
  struct Candidate {
    Dims dims;
    Words words;
  };

  static Dims turned(const Dims& dims) { return {dims.rbegin(), dims.rend()}; }
  /// "x^T" becomes "x". False: it is no such name.
  static bool strip_turned(std::string& name) {
    if (!name.ends_with(kTransposed)) return false;
    name.resize(name.size() - kTransposed.size());
    return true;
  }
  static Words words_in_file(const std::string& name, const std::map<std::string, Tensor>& tensors) {
    const size_t first = name.find("_l0");
    std::string second = name;
    return without_layer(words_of(name), first != name.npos && !tensors.contains(second.replace(first, 3, "_l1")));
  }

  Dims dims_in_file(size_t row) const { return rows_[row].is_turned ? turned(rows_[row].dims) : rows_[row].dims; }
  Kind kind_of(size_t row) const { return {dims_in_file(row), row_words_[row].back()}; }
  std::map<Kind, std::vector<std::string>> tensors_by_kind() const {
    std::map<Kind, std::vector<std::string>> tensors;
    for (const auto& [name, tensor] : left_)
      if (!tensor.words.empty()) tensors[{tensor.dims, tensor.words.back()}].push_back(name);
    return tensors;
  }
  /// The tensors' names are one but for numbers.
  bool only_numbered(const std::vector<std::string>& tensors) const {
    const Words& first = left_.at(tensors.front()).words;
    return std::ranges::all_of(tensors, [&](const std::string& name) {
      return left_.at(name).words == first || differ_in_numbers(left_.at(name).words, first);
    });
  }
  /// `to` is made of what `from` makes.
  bool leads_to(const std::string& from, const std::string& to) const {
    std::set<std::string> seen{to};
    std::vector<std::string> left{to};
    while (!left.empty()) {
      const std::string id = std::move(left.back());
      left.pop_back();
      for (const Link& link : flat_.links_into(id)) {
        if (link.from == from) return true;
        if (seen.insert(link.from).second) left.push_back(link.from);
      }
    }
    return false;
  }
  std::string node_of(size_t row) const { return rows_[row].parameter.substr(0, rows_[row].parameter.rfind('.')); }
  /// Rows in the order of the graph: each node leads to the next, and where their names differ in numbers alone these
  /// rise, too.
  bool follow_each_other(const std::vector<size_t>& rows) const {
    for (size_t k = 1; k < rows.size(); ++k) {
      const std::string one = node_of(rows[k - 1]), other = node_of(rows[k]);
      if (one != other && !leads_to(one, other)) return false;
      const Words &a = row_words_[rows[k - 1]], &b = row_words_[rows[k]];
      if (is_named_[rows[k]] && differ_in_numbers(a, b) && comes_before(b, a)) return false;
    }
    return true;
  }
  /// A tensor of these sizes whose name differs in numbers alone is another parameter's already.
  bool has_numbered_sibling(const std::string& tensor) const {
    const Words& words = left_.at(tensor).words;
    return std::ranges::any_of(rows_, [&](const MappedWeight& m) {
      return !m.tensor.empty() && m.dims == left_.at(tensor).dims && differ_in_numbers(words_of(m.tensor), words);
    });
  }
  /// Parameters that have no tensor yet and are not kept as transposes.
  std::map<std::string, Dims> sizes_of_rows() const {
    std::map<std::string, Dims> sizes;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (open(i) && !rows_[i].is_turned) sizes[rows_[i].parameter] = rows_[i].dims;
    return sizes;
  }
  std::map<std::string, Dims> sizes_of_tensors() const {
    std::map<std::string, Dims> sizes;
    for (const auto& [name, tensor] : left_) sizes[name] = tensor.dims;
    return sizes;
  }
  /// By parameter.
  void take_all(const std::map<std::string, std::string>& tensors) {
    for (size_t i = 0; i < rows_.size(); ++i)
      if (const auto found = tensors.find(rows_[i].parameter); open(i) && found != tensors.end())
        if (left_.contains(found->second)) take(i, found->second, MappedBy::published);
  }
  void release(size_t row) {
    MappedWeight& m = rows_[row];
    left_.emplace(m.tensor, Candidate{dims_in_file(row), words_of(m.tensor)});
    m.tensor.clear();
    m.by = MappedBy::nothing;
  }
  bool open(size_t row) const { return rows_[row].by == MappedBy::nothing; }
  void take(size_t row, const std::string& tensor, MappedBy by) {
    rows_[row].tensor = tensor;
    rows_[row].by = by;
    left_.erase(tensor);
  }

  const Graph& flat_;
  std::vector<MappedWeight> rows_;
  std::vector<std::string> expected_;  // what the graph says that a row is called in files
  std::vector<Words> row_words_;
  std::vector<Words> module_words_;
  std::vector<bool> is_norm_, is_recurrent_;  // a row's node
  std::vector<bool> is_named_;                // a row's node: not by PyTorch's exporter, which counts "node_linear_1"
  std::vector<bool> is_table_;                // a row's node: of an embedding, or what nodes look rows up in
  std::vector<std::pair<size_t, size_t>> depth_;  // of the row's node, and its place among the node's parameters
  std::map<std::string, Candidate> left_;
  std::set<std::string> all_;      // tensors that are candidates
  std::string network_, differs_;  // whose names the file has
};

/// The tensors that with_node_ids takes for the parameters of a graph, by parameter; without the graph's weight_names.
std::map<std::string, std::string> by_names_alone(const Graph& flat, const std::map<std::string, Tensor>& tensors) {
  std::map<std::string, std::string> parameters;
  const NodeNames names(flat);
  for (const auto& [name, tensor] : tensors) parameters.emplace(names.parameter_of(name), name);
  return parameters;
}

}  // namespace

std::string_view name(MappedBy by) {
  constexpr std::array<std::string_view, 7> kNames{"none",         "given", "name", "published",
                                                   "similar name", "shape", "order"};
  return kNames[static_cast<size_t>(by)];
}

std::string MappedWeight::stored_name() const {
  return tensor + std::string(is_turned ? kTransposed : std::string_view());
}

std::map<std::string, std::string> WeightMapping::names(const Graph& flat) const {
  std::map<std::string, std::string> kept;
  std::set<std::string> without;  // a tensor
  const NodeNames names(flat);
  std::map<std::string, size_t> uses;  // of tensors
  for (const MappedWeight& m : parameters) {
    if (m.tensor.empty()) without.insert(m.parameter);
    ++uses[m.tensor];
  }
  for (const MappedWeight& m : parameters) {
    const std::string own = m.tensor.empty() ? m.parameter : names.parameter_of(m.tensor);
    if (own == m.parameter && !m.is_turned && (m.tensor.empty() || uses.at(m.tensor) < 2)) continue;
    kept[m.parameter] = m.stored_name();
    if (own != m.parameter && without.contains(own))
      kept[own] = m.tensor + ".unmapped";  // so that a file never has two of one name
  }
  return kept;
}

WeightMapping map_weights(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& tensors,
                          const std::map<std::string, std::string>& given, MappedBy last) {
  Mapping mapping(flat, validator, tensors);
  if (last >= MappedBy::similar_name) mapping.by_prefix(true);
  mapping.by_given(given);
  if (last >= MappedBy::published) mapping.by_network();
  if (last >= MappedBy::name) mapping.by_name(by_names_alone(flat, tensors));
  if (last >= MappedBy::similar_name) {
    mapping.by_prefix(false);
    mapping.by_block();
    mapping.by_similar_name();
    mapping.release_torn_families();
    mapping.by_module();
    mapping.by_layer();
    mapping.keep_modules_together(MappedBy::similar_name);
  }
  if (last >= MappedBy::shape) {
    mapping.by_kind(1, MappedBy::shape);
    mapping.by_tie();
  }
  if (last >= MappedBy::order) {
    mapping.by_kind(SIZE_MAX, MappedBy::order);
    mapping.keep_modules_together(MappedBy::order);
  }
  return std::move(mapping).result();
}

}  // namespace hw
