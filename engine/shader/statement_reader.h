// Statements and expressions of a body.
#pragma once

#include "engine/shader/syntax.h"
#include "engine/shader/token_reader.h"

namespace hw::shader {

Result<TypeName> read_type(TokenReader& in);
Result<Expr> read_expression(TokenReader& in);
/// From { to }.
Result<std::vector<Statement>> read_block(TokenReader& in);

}  // namespace hw::shader
