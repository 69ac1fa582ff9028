// Placeable: what palette and search offer to put on the canvas: a node type, a group of the document, or a block of
// the library.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "engine/graph/check/candidate.h"
#include "engine/io/graph/block_library.h"

namespace hw::app {

/// A value; cheap to copy.
struct Placeable {
  enum class Origin : uint8_t { type, document, library, own };
  /// Its id is its key, "mlp", "group:tower", "block:residual_basic"; its declaration is what is listed and searched.
  std::shared_ptr<const NodeType> look;
  Origin origin = Origin::type;
  std::shared_ptr<const Graph> block = {};  // its file; null: it is none of the library

  const std::string& key() const { return look->id; }
  const NodeDecl& decl() const { return look->decl; }
  bool is_group() const { return origin != Origin::type; }
  /// Where wires fit in it.
  Candidate candidate(const Graph& document) const;
};

/// All of them, in the order of the palette. A group of the document that is a block of the library is that block.
std::vector<Placeable> placeables(const Graph& document, const BlockLibrary& library);
/// The entries of `all` that match every word of `query`, best first; without words all, in their order.
std::vector<Placeable> ranked(const QString& query, const std::vector<Placeable>& all);
/// Nothing: there is none of this key.
std::optional<Placeable> find_placeable(const Graph& document, const BlockLibrary& library, std::string_view key);

/// A placeable in a document.
struct Adopted {
  std::string type;   // of its nodes: "mlp", "group:tower"
  std::string stem;   // of their ids
  Edits edits;        // that give the document the definitions which it does not have yet
  Graph definitions;  // those of the document then; without nodes
};
Adopted adopt(const Placeable& placeable, const Graph& document);

}  // namespace hw::app
