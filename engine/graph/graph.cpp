#include "engine/graph/graph.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace hw {

namespace {

bool by_target(const Link& a, const Link& b) {
  return std::tie(a.to, a.to_socket, a.from, a.from_socket) < std::tie(b.to, b.to_socket, b.from, b.from_socket);
}

void insert_sorted(std::vector<Link>& links, const Link& link) {
  links.insert(std::lower_bound(links.begin(), links.end(), link, by_target), link);
}

using LinksByNode = IdMap<std::vector<Link>>;

void erase_link(LinksByNode& map, const std::string& node, const Link& link) {
  std::vector<Link>* links = map.find(node);
  assert(links);
  links->erase(std::find(links->begin(), links->end(), link));
  if (links->empty()) map.erase(node);
}

const std::vector<Link>& select(const LinksByNode& map, std::string_view node) {
  static const std::vector<Link> none;
  const std::vector<Link>* links = map.find(node);
  return links ? *links : none;
}

}  // namespace

const Node* Graph::find(std::string_view id) const {
  return nodes_.find(id);
}

const Group* Graph::find_group(std::string_view id) const {
  const auto entry = groups_.find(id);
  return entry == groups_.end() ? nullptr : entry->second.get();
}

std::vector<std::string> Graph::wired_ids(std::string_view prefix) const {
  std::vector<std::string> ids;
  const auto& into = in_.map();
  for (auto entry = into.lower_bound(prefix); entry != into.end() && entry->first.starts_with(prefix); ++entry)
    ids.push_back(entry->first);
  return ids;
}

std::vector<Link> Graph::links() const {
  std::vector<Link> all;
  all.reserve(link_count());
  for (const auto& [node, links] : in_.map()) all.insert(all.end(), links.begin(), links.end());
  return all;
}

size_t Graph::link_count() const {
  size_t count = 0;
  for (const auto& [node, links] : in_.map()) count += links.size();
  return count;
}

const std::vector<Link>& Graph::links_into(std::string_view node) const {
  return select(in_, node);
}

std::vector<Link> Graph::links_into(std::string_view node, std::string_view socket) const {
  std::vector<Link> links;
  std::ranges::copy_if(select(in_, node), std::back_inserter(links),
                       [&](const Link& l) { return l.to_socket == socket; });
  return links;
}

const std::vector<Link>& Graph::links_from(std::string_view node) const {
  return select(out_, node);
}

std::vector<Link> Graph::links_from(std::string_view node, std::string_view socket) const {
  std::vector<Link> links;
  std::ranges::copy_if(select(out_, node), std::back_inserter(links),
                       [&](const Link& l) { return l.from_socket == socket; });
  return links;
}

bool Graph::has_link(const Link& link) const {
  const std::vector<Link>& into = select(in_, link.to);
  return std::find(into.begin(), into.end(), link) != into.end();
}

std::string Graph::fresh_frame_id(std::string_view stem) const {
  std::string id(stem);
  for (int n = 2; frames_.contains(id); ++n) id = std::string(stem) + "_" + std::to_string(n);
  return id;
}

std::string Graph::fresh_id(std::string_view type) const {
  std::string id(type);
  for (int n = 2; nodes_.find(id); ++n) id = std::string(type) + "_" + std::to_string(n);
  return id;
}

void Graph::add_node(Node node) {
  assert(!nodes_.find(node.id));
  const std::string id = node.id;
  nodes_.emplace(id, std::move(node));
}

void Graph::remove_node(std::string_view id) {
  assert(nodes_.find(id));
  nodes_.erase(id);
}

Node& Graph::node(std::string_view id) {
  Node* node = nodes_.find(id);
  assert(node);
  return *node;
}

void Graph::add_link(const Link& link) {
  assert(!has_link(link));
  insert_sorted(in_.emplace(link.to), link);
  insert_sorted(out_.emplace(link.from), link);
}

void Graph::remove_link(const Link& link) {
  erase_link(in_, link.to, link);
  erase_link(out_, link.from, link);
}

void Graph::set_frame(Frame frame) {
  std::string id = frame.id;
  frames_.insert_or_assign(std::move(id), std::move(frame));
}

void Graph::remove_frame(std::string_view id) {
  const auto entry = frames_.find(id);
  assert(entry != frames_.end());
  frames_.erase(entry);
}

void Graph::set_group(Group group) {
  std::string id = group.id;
  groups_.insert_or_assign(std::move(id), std::make_shared<const Group>(std::move(group)));
}

void Graph::remove_group(std::string_view id) {
  const auto entry = groups_.find(id);
  assert(entry != groups_.end());
  groups_.erase(entry);
}

bool Graph::operator==(const Graph& other) const {
  const auto same = [](const auto& a, const auto& b) { return a.second == b.second || *a.second == *b.second; };
  return nodes_ == other.nodes_ && frames_ == other.frames_ && in_ == other.in_ && precision == other.precision &&
         weight_names == other.weight_names && extra == other.extra && std::ranges::equal(groups_, other.groups_, same);
}

std::optional<std::string_view> group_of(const Node& node) {
  constexpr std::string_view prefix = "group:";
  if (!node.type.starts_with(prefix)) return std::nullopt;
  return std::string_view(node.type).substr(prefix.size());
}

std::vector<std::string> tied_to(const Graph& graph, std::string_view owner) {
  std::vector<std::string> tied;
  for (const auto& [id, node] : graph.nodes()) {
    if (!node.tie.empty() && node.tie == owner) tied.push_back(id);
  }
  return tied;
}

bool has_weight(const Node& node, const WeightDecl& weight) {
  if (weight.only_if.empty()) return true;
  const ParamValue value = param_value(node, weight.only_if);
  const bool* on = std::get_if<bool>(&value);
  return !on || *on;
}

const WeightFormat* weight_format(const Node& node, std::string_view weight) {
  if (const auto own = node.weights.find(weight); own != node.weights.end()) return &own->second;
  const NodeType* type = Registry::instance().find(node.type);
  const WeightDecl* decl = type ? type->decl.find_weight(weight) : nullptr;
  const auto family = decl ? node.weights.find(decl->id) : node.weights.end();
  return family == node.weights.end() ? nullptr : &family->second;
}

Graph without_pins(Graph graph) {
  std::vector<std::string> pinned;
  for (const auto& [id, node] : graph.nodes()) {
    if (!node.device.empty()) pinned.push_back(id);
  }
  for (const std::string& id : pinned) graph.node(id).device.clear();
  return graph;
}

bool shows_preview(const Node& node) {
  if (node.preview) return *node.preview;
  const NodeType* type = Registry::instance().find(node.type);
  if (!type) return false;
  const NodeDecl& decl = type->decl;
  const Role role = decl.role();
  if (role == Role::picture || role == Role::plot || role == Role::view) return true;
  if (decl.outputs().empty() || decl.category() != "Source") return false;
  const auto is_data = [](const SocketDecl& input) { return input.kind != Kind::tensor; };
  const Kind given = decl.outputs().front().kind;
  return given == Kind::image || (given == Kind::tensor && std::ranges::any_of(decl.inputs(), is_data));
}

std::string display_name(const Node& node) {
  if (!node.label.empty()) return node.label;
  const NodeType* type = Registry::instance().find(node.type);
  const auto group = group_of(node);
  return type ? type->decl.title() : group ? std::string(*group) : node.type;
}

std::string display_name(const Graph& document, const Node& node) {
  const auto id = group_of(node);
  const Group* group = id ? document.find_group(*id) : nullptr;
  return group && node.label.empty() && !group->title.empty() ? group->title : display_name(node);
}

ParamValue param_value(const Node& node, std::string_view param) {
  if (const auto entry = node.params.find(param); entry != node.params.end()) return entry->second;
  const NodeType* type = Registry::instance().find(node.type);
  assert(type && type->decl.find_param(param));
  return type->decl.find_param(param)->value;
}

}  // namespace hw
