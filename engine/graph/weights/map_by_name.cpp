#include "engine/graph/weights/map_by_name.h"

#include <algorithm>

namespace hw {
namespace {

/// Parameters that have no tensor yet and are not kept as transposes.
std::map<std::string, Dims> sizes_of_rows(const WeightTable& table) {
  std::map<std::string, Dims> sizes;
  for (const WeightRow& row : table.rows())
    if (row.is_open() && !row.is_turned) sizes[row.parameter] = row.dims;
  return sizes;
}

std::map<std::string, Dims> sizes_of_tensors(const WeightTable& table) {
  std::map<std::string, Dims> sizes;
  for (const auto& [name, tensor] : table.left()) sizes[name] = tensor.dims;
  return sizes;
}

/// `tensors`: by parameter.
void take_published(WeightTable& table, const std::map<std::string, std::string>& tensors) {
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const WeightRow& row = table.rows()[i];
    const auto found = tensors.find(row.parameter);
    if (row.is_open() && found != tensors.end() && table.left().contains(found->second))
      table.take(i, found->second, MappedBy::published);
  }
}

/// The row, and the tensor that it would take.
using Pairs = std::vector<std::pair<size_t, std::string>>;

void take_similar(WeightTable& table, const Pairs& pairs) {
  for (const auto& [row, tensor] : pairs) table.take(row, tensor, MappedBy::similar_name);
}

/// By who has which prefix: true: the file, false: the graph.
std::map<std::pair<bool, std::string>, Pairs> pairs_by_prefix(const WeightTable& table,
                                                              const std::map<std::string, size_t>& rows) {
  std::map<std::pair<bool, std::string>, Pairs> pairs;
  const auto each_ending = [](const std::string& name, const auto& visit) {
    for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1))
      visit(name.substr(0, dot + 1), name.substr(dot + 1));
  };
  for (const auto& [name, tensor] : table.left())
    each_ending(name, [&](const std::string& prefix, const std::string& ending) {
      const auto row = rows.find(ending);
      if (row != rows.end() && tensor.dims == table.rows()[row->second].dims_in_file())
        pairs[{true, prefix}].emplace_back(row->second, name);
    });
  for (const auto& [expected, row] : rows)
    each_ending(expected, [&](const std::string& prefix, const std::string& ending) {
      const auto tensor = table.left().find(ending);
      if (tensor != table.left().end() && tensor->second.dims == table.rows()[row].dims_in_file())
        pairs[{false, prefix}].emplace_back(row, ending);
    });
  return pairs;
}

/// A parameter, or a tensor.
struct Named {
  WeightKind kind;
  const Words* words;
  size_t row;
  const std::string* tensor;
};

/// For each of `these` the only one of `those` of its kind whose words end with its words, or the other way about; null
/// where there is none, or several.
std::vector<const Named*> only_likeness(const std::vector<Named>& these, const std::vector<Named>& those) {
  struct Found {
    size_t count = 0;
    const Named* last = nullptr;
  };
  std::map<std::pair<WeightKind, std::string>, Found> whole, endings;  // all words; each end of them, the whole too
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

/// Parameters and tensors that are the only likeness of each other.
Pairs similar_pairs(const WeightTable& table) {
  std::vector<Named> rows, tensors;
  for (size_t i = 0; i < table.rows().size(); ++i)
    if (const WeightRow& row = table.rows()[i]; row.is_open() && row.is_named)
      rows.push_back({row.kind(), &row.words, i, nullptr});
  for (const auto& [name, tensor] : table.left())
    if (!tensor.words.empty()) tensors.push_back({tensor.kind(), &tensor.words, 0, &name});
  const std::vector<const Named*> tensor_of = only_likeness(rows, tensors), row_of = only_likeness(tensors, rows);
  std::map<std::string, size_t> places;
  for (size_t t = 0; t < tensors.size(); ++t) places[*tensors[t].tensor] = t;
  Pairs pairs;
  for (size_t r = 0; r < rows.size(); ++r)
    if (const Named* tensor = tensor_of[r]; tensor && row_of[places.at(*tensor->tensor)] == &rows[r])
      pairs.emplace_back(rows[r].row, *tensor->tensor);
  return pairs;
}

}  // namespace

void map_by_given(WeightTable& table, const std::map<std::string, std::string>& given) {
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const WeightRow& row = table.rows()[i];
    const auto found = given.find(row.parameter);
    if (found == given.end() || !row.is_open()) continue;
    std::string tensor = found->second;
    const bool is_turned = strip_transposed(tensor);
    if (!table.has(tensor)) continue;
    table.set_turned(i, is_turned || (row.is_turned && tensor == row.expected));
    table.take(i, tensor, MappedBy::given);
  }
}

void map_by_name(WeightTable& table, const std::map<std::string, std::string>& tensor_of) {
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const WeightRow& row = table.rows()[i];
    const auto found = tensor_of.find(row.parameter);
    if (!row.is_open() || found == tensor_of.end() || !table.left().contains(found->second)) continue;
    if (!row.is_turned || found->second == row.expected) table.take(i, found->second, MappedBy::name);
  }
}

PublishedNames map_by_network(WeightTable& table) {
  if (table.has_all_expected()) return {};
  PublishedNames published = published_network(sizes_of_rows(table), sizes_of_tensors(table));
  take_published(table, published.tensors);
  return published;
}

void map_by_block(WeightTable& table) {
  take_published(table, published_blocks(sizes_of_rows(table), sizes_of_tensors(table)));
}

void map_by_prefix(WeightTable& table, bool whole) {
  if (whole && table.has_all_expected()) return;
  std::map<std::string, size_t> rows;  // by what is expected
  for (size_t i = 0; i < table.rows().size(); ++i)
    if (table.rows()[i].is_open()) rows.emplace(table.rows()[i].expected, i);
  const auto pairs = pairs_by_prefix(table, rows);
  const auto pair_count = [](const auto& entry) { return entry.second.size(); };
  const auto most = std::ranges::max_element(pairs, {}, pair_count);
  if (most == pairs.end() || pair_count(*most) < (whole ? rows.size() : std::min<size_t>(2, rows.size()))) return;
  if (std::ranges::count(pairs, pair_count(*most), pair_count) > 1) return;
  take_similar(table, most->second);
}

void map_by_similar_name(WeightTable& table) {
  // What follows from a pair leaves fewer for the others.
  for (Pairs pairs = similar_pairs(table); !pairs.empty(); pairs = similar_pairs(table)) take_similar(table, pairs);
}

void release_torn_families(WeightTable& table) {
  std::vector<size_t> torn;
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const WeightRow& row = table.rows()[i];
    if (row.by != MappedBy::similar_name) continue;
    const Words words = words_of(row.tensor);
    const auto is_left = [&](const auto& tensor) {
      return tensor.second.dims == row.dims_in_file() && differ_in_numbers(tensor.second.words, words);
    };
    const auto is_open = [&](const WeightRow& other) {
      return other.is_open() && other.dims == row.dims && differ_in_numbers(other.words, row.words);
    };
    if (std::ranges::any_of(table.rows(), is_open) && std::ranges::any_of(table.left(), is_left)) torn.push_back(i);
  }
  for (const size_t i : torn) table.release(i);
}

void map_by_module(WeightTable& table) {
  std::map<size_t, std::vector<std::string>> tensors;  // by row
  std::map<std::string, size_t> uses;
  for (size_t i = 0; i < table.rows().size(); ++i) {
    const WeightRow& row = table.rows()[i];
    if (!row.is_open() || row.module_words.empty()) continue;
    for (const auto& [name, tensor] : table.left())
      if (tensor.dims == row.dims_in_file() && is_part_of(row.module_words, tensor.words)) {
        tensors[i].push_back(name);
        ++uses[name];
      }
  }
  for (const auto& [row, names] : tensors)
    if (names.size() == 1 && uses.at(names.front()) == 1) table.take(row, names.front(), MappedBy::similar_name);
}

}  // namespace hw
