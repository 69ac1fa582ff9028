// What groups cost an editor: flattening and validation of a large graph, and of an edit of it.
#pragma once

namespace hw::bench {

/// A graph of about `nodes` nodes, nested three deep: validation of the whole, then after an edit of a value of an
/// instance, of a wire, and of a definition; each beside what is wanted. Medians of so many rounds.
void print_groups(int nodes, int rounds);

}  // namespace hw::bench
