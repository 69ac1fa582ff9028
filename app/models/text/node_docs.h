// Documentation of node types and dtypes as text for the user, made from their declarations.
#pragma once

#include <QString>
#include <QStringList>

#include "engine/node/node_type.h"

namespace hw::app {

/// Markdown in pieces of a few lines, to be shown one below the other: summary, documentation, sockets, parameters,
/// weights, source.
QStringList node_docs(const NodeDecl& decl);
/// "f16 f32", "any dtype", "as parameter Storage".
QString dtype_rule_text(const NodeDecl& decl, const DTypeRule& rule);
/// "16 bit, max 65504, smallest normal 6.1e−5, smallest 6e−8, ε 9.8e−4"; empty for an unknown name.
QString dtype_facts(std::string_view dtype);

}  // namespace hw::app
