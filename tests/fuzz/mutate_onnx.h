// Damage to models of ONNX: to their messages, to their bytes, and to the files beside them.
#pragma once

#include <filesystem>
#include <string>

#include "tests/fuzz/fuzz_files.h"
#include "tests/fuzz/onnx_seeds.h"

namespace hw::fuzz {

/// One change to a message somewhere in it: a number, a name or an operator is another one, an element is gone,
/// doubled or elsewhere, two messages of one kind change places. The message stays one that can be written.
void change_message(Choices& choices, google::protobuf::Message& whole);

/// One change to bytes: bits, pieces gone, doubled or cut (damage()), or the length that some field announces.
void change_bytes(Choices& choices, std::string& bytes);

/// Writes the seed's model as `folder`/m.onnx with the files beside it.
void write_unchanged(const OnnxSeed& seed, const std::filesystem::path& folder);

/// Writes the seed's model as `folder`/m.onnx with the files beside it, changed as `choices` say; now and then as it
/// is. Files beside may become others: shorter, absent, links, folders, pipes.
void write_changed(Choices& choices, const OnnxSeed& seed, const std::filesystem::path& folder);

}  // namespace hw::fuzz
