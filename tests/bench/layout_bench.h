// What arranging a graph and finding nodes in it cost an editor.
#pragma once

namespace hw::bench {

/// Graphs of several kinds with 1,000 and 10,000 nodes and twice as many wires: their layout, and a search of each kind
/// in a graph of 10,000; each beside what is wanted. Medians of so many rounds.
void print_layouts(int rounds);

}  // namespace hw::bench
