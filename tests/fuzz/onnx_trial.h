// One file of ONNX through everything that an untrusted model goes through, in this process: parsed, handed over
// as bytes, imported, grouped, written as a graph.
#pragma once

#include <filesystem>

namespace hw::fuzz {

/// How far a file came, and what broke on the way. Plain data: it goes through a pipe.
struct OnnxTrial {
  bool read = false;      // a model
  bool imported = false;  // a graph, operators missing or not
  bool whole = false;     // none is missing
  char broken[512] = "";  // a promise that was not kept, in words; empty: none
};

/// `in_child`: read_onnx reads it as well, and must say the same. `verbose`: says what happens.
OnnxTrial try_onnx(const std::filesystem::path& file, bool in_child, bool verbose);

}  // namespace hw::fuzz
