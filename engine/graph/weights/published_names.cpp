#include "engine/graph/weights/published_names.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "engine/graph/weights/published_tables.h"

namespace hw {
namespace {

using Names = std::map<std::string, std::string>;
using Sizes = std::map<std::string, Dims>;

/// What has parameters of a flattened graph, by the parts of its ids.
struct Part {
  std::map<std::string, Part> children;
  std::vector<std::string> weights;  // of a node
};

Part tree_of(const Sizes& parameters) {
  Part root;
  for (const auto& [parameter, dims] : parameters) {
    const size_t dot = parameter.rfind('.');
    Part* part = &root;
    for (size_t begin = 0; begin <= dot;) {
      const size_t end = std::min(dot, parameter.find('/', begin));
      part = &part->children[parameter.substr(begin, end - begin)];
      begin = end + 1;
    }
    part->weights.push_back(parameter.substr(dot + 1));
  }
  return root;
}

std::string joined(const std::string& a, char separator, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + separator + b;
}

Names entries(std::string_view table) {
  Names all;
  for (size_t begin = 0; begin < table.size();) {
    const size_t end = std::min(table.size(), table.find(' ', begin)), equals = table.find('=', begin);
    all.emplace(table.substr(begin, equals - begin), table.substr(equals + 1, end - equals - 1));
    begin = end + 1;
  }
  return all;
}

/// Tables of blocks by family.
const std::map<std::string, std::vector<Names>>& families() {
  static const std::map<std::string, std::vector<Names>> kFamilies = [] {
    std::map<std::string, std::vector<Names>> all;
    for (const PublishedBlock& block : published_block_tables())
      all[std::string(block.family)].push_back(entries(block.nodes));
    return all;
  }();
  return kFamilies;
}

bool is_block(const Part& part, const Names& block) {
  return std::ranges::equal(part.children, block,
                            [](const auto& child, const auto& entry) { return child.first == entry.first; });
}

/// How many of `names` are in the file, and of these how many in the layout of their parameter.
struct Count {
  size_t present = 0, alike = 0;
};
Count count(const Names& names, const Sizes& parameters, const Sizes& tensors) {
  Count c;
  for (const auto& [parameter, tensor] : names) {
    const auto found = tensors.find(tensor);
    if (found == tensors.end()) continue;
    ++c.present;
    c.alike += same_layout(found->second, parameters.at(parameter)) ? 1 : 0;
  }
  return c;
}

/// The table of the family, or of any; null: none has these children.
const Names* block_of(const Part& part, const std::string& family) {
  for (const std::string& of : {family, std::string()}) {
    const std::vector<Names>& tables = families().at(of);
    const auto found = std::ranges::find_if(tables, [&](const Names& block) { return is_block(part, block); });
    if (found != tables.end()) return &*found;
  }
  return nullptr;
}

/// Adds the names of what `part` has, `path` being its id and `module` what it is in the file. False: no table has it.
bool name_in(const std::string& family, const Part& part, const std::string& path, const std::string& module,
             Names& names) {
  for (const std::string& weight : part.weights)
    names[path + "." + weight] = weight == "value" ? module : joined(module, '.', weight);
  if (part.children.empty()) return true;
  const Names* block = block_of(part, family);
  return block && std::ranges::all_of(*block, [&](const auto& entry) {
           const auto& [child, below] = entry;
           return name_in(family, part.children.at(child), joined(path, '/', child), joined(module, '.', below), names);
         });
}

/// By each family that has tables for it.
std::set<Names> ways(const Part& part, const std::string& path, const std::string& module) {
  std::set<Names> all;
  for (const auto& [family, tables] : families())
    if (Names names; name_in(family, part, path, module, names)) all.insert(std::move(names));
  return all;
}

/// "Layer1_0" and "layer1.0" are "layer1.0".
std::string spelt(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '.';
  }
  return text;
}

/// What stands before `name` in the names of the file: "" and "module.".
std::set<std::string> prefixes(const std::string& name, const Sizes& tensors) {
  std::set<std::string> all;
  for (const auto& [tensor, dims] : tensors)
    if (tensor == name || tensor.ends_with("." + name)) all.insert(tensor.substr(0, tensor.size() - name.size()));
  return all;
}

/// Nodes of a network's table that the graph lacks.
size_t absent_nodes(const Names& modules, const Part& root) {
  return static_cast<size_t>(
      std::ranges::count_if(modules, [&](const auto& entry) { return !root.children.contains(entry.first); }));
}

/// How many parameters the nodes of the table have.
size_t parameters_named(const Names& modules, const Sizes& parameters) {
  return static_cast<size_t>(std::ranges::count_if(parameters, [&](const auto& entry) {
    return modules.contains(entry.first.substr(0, entry.first.find_first_of("/.")));
  }));
}

/// What stands in the file before any name that the table gives a node's own parameters.
std::set<std::string> prefixes_of_all(const Names& modules, const Part& root, const Sizes& tensors) {
  std::set<std::string> all;
  for (const auto& [id, module] : modules)
    if (const auto part = root.children.find(id); part != root.children.end())
      for (const std::string& weight : part->second.weights) all.merge(prefixes(joined(module, '.', weight), tensors));
  return all;
}

/// The names of all that the table's nodes have; of a node's ways the one of which most is in the file.
Names names_behind(const std::string& prefix, const Names& modules, const Part& root, const Sizes& parameters,
                   const Sizes& tensors) {
  Names names;
  for (const auto& [id, module] : modules) {
    const auto part = root.children.find(id);
    if (part == root.children.end()) continue;
    Names best;
    size_t most = 0;
    for (const Names& way : ways(part->second, id, prefix + module))
      if (const Count c = count(way, parameters, tensors); best.empty() || c.present > most) {
        most = c.present;
        best = way;
      }
    names.merge(best);
  }
  return names;
}

/// The network of the highest rank; of tables that give the same names, the one with the fewest nodes that the graph
/// lacks.
class BestNetwork {
 public:
  void offer(const PublishedNetwork& table, Names names, size_t rank, size_t absent) {
    if (rank < rank_) return;
    if (rank == rank_ && names != best_.tensors) is_sole_ = false;
    if (rank == rank_ && (names != best_.tensors || absent >= absent_)) return;
    if (rank > rank_) is_sole_ = true;
    rank_ = rank;
    absent_ = absent;
    best_ = {std::string(table.network) + " (" + std::string(table.source) + ")", std::string(table.differs),
             std::move(names)};
  }

  /// None where two of one rank give different names.
  PublishedNames sole() && { return is_sole_ ? std::move(best_) : PublishedNames{}; }

 private:
  PublishedNames best_;
  size_t rank_ = 0, absent_ = 0;
  bool is_sole_ = true;
};

/// Instances of blocks at and below `part`, by path: the modules of the file that they could be, with the names.
void find_blocks(const Part& part, const std::string& path, const Sizes& parameters, const Sizes& tensors,
                 std::map<std::string, std::map<std::string, Names>>& found) {
  if (part.children.empty()) return;
  for (const Names& way : ways(part, path, "")) {
    for (const std::string& prefix : prefixes(way.begin()->second, tensors)) {
      Names names = way;
      for (auto& [parameter, tensor] : names) tensor = prefix + tensor;
      if (count(names, parameters, tensors).alike == names.size()) found[path].emplace(prefix, std::move(names));
    }
  }
  if (found.contains(path)) return;
  for (const auto& [id, child] : part.children) find_blocks(child, joined(path, '/', id), parameters, tensors, found);
}

}  // namespace

bool same_layout(const Dims& file, const Dims& parameter) {
  Dims longer = file, shorter = parameter;
  for (Dims* dims : {&longer, &shorter}) std::erase(*dims, 1);
  if (longer.size() < shorter.size()) std::swap(longer, shorter);
  if (longer == shorter) return true;
  if (shorter.size() < 2) return false;
  const size_t joined = shorter.size() - 1;  // the axis that the last of the longer are
  int64_t size = 1;
  for (size_t i = joined; i < longer.size(); ++i) size *= longer[i];
  return size == shorter.back() && std::equal(shorter.begin(), shorter.end() - 1, longer.begin());
}

PublishedNames published_network(const Sizes& parameters, const Sizes& tensors) {
  const Part root = tree_of(parameters);
  BestNetwork best;
  for (const PublishedNetwork& table : published_network_tables()) {
    const Names modules = entries(table.nodes);
    const size_t absent = absent_nodes(modules, root);
    if (2 * absent > modules.size()) continue;
    const size_t least = std::max<size_t>(parameters_named(modules, parameters), 2);
    for (const std::string& prefix : prefixes_of_all(modules, root, tensors)) {
      Names names = names_behind(prefix, modules, root, parameters, tensors);
      // Where several copies are in the file, that without a prefix is the model: others are averages of it ("ema.").
      const size_t rank = 2 * count(names, parameters, tensors).alike + (prefix.empty() ? 1 : 0);
      std::erase_if(names, [&](const auto& pair) { return !tensors.contains(pair.second); });
      if (rank >= least) best.offer(table, std::move(names), rank, absent);
    }
  }
  return std::move(best).sole();
}

Names published_blocks(const Sizes& parameters, const Sizes& tensors) {
  std::map<std::string, std::map<std::string, Names>> found;
  find_blocks(tree_of(parameters), "", parameters, tensors, found);
  std::map<std::string, std::pair<std::string, const Names*>> chosen;  // by path: the module
  std::map<std::string, size_t> uses;
  for (const auto& [path, modules] : found) {
    const auto is_called_so = [&](const auto& module) {
      const std::string name = "." + spelt(module.first), own = "." + spelt(path) + ".";
      return !path.empty() && name.ends_with(own);
    };
    const auto called = std::ranges::count_if(modules, is_called_so);
    if (called > 1 || (called == 0 && modules.size() > 1)) continue;
    const auto module = called ? std::ranges::find_if(modules, is_called_so) : modules.begin();
    chosen[path] = {module->first, &module->second};
    ++uses[module->first];
  }
  Names all;
  for (const auto& [path, module] : chosen)
    if (uses.at(module.first) == 1) all.insert(module.second->begin(), module.second->end());
  return all;
}

}  // namespace hw
