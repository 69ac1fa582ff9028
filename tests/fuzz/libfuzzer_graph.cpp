// libFuzzer on *.halfwire files: the input itself when it begins with '{', else choices for the generator.
#include "tests/fuzz/fuzz_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  hw::fuzz::Choices choices(bytes);
  hw::fuzz::check_graph(bytes.starts_with('{') ? std::string(bytes) : hw::fuzz::make_graph(choices));
  return 0;
}
