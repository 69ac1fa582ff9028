#include "app/viewport/shaders.h"

namespace hw::viewport::shaders {
namespace {

#include "spirv/compose_frag.h"
#include "spirv/compose_vert.h"
#include "spirv/gbuffer_frag.h"
#include "spirv/gbuffer_vert.h"
#include "spirv/wire_frag.h"
#include "spirv/wire_vert.h"

}  // namespace

std::span<const uint32_t> gbuffer_vert() {
  return gbuffer_vert_words;
}
std::span<const uint32_t> gbuffer_frag() {
  return gbuffer_frag_words;
}
std::span<const uint32_t> wire_vert() {
  return wire_vert_words;
}
std::span<const uint32_t> wire_frag() {
  return wire_frag_words;
}
std::span<const uint32_t> compose_vert() {
  return compose_vert_words;
}
std::span<const uint32_t> compose_frag() {
  return compose_frag_words;
}

}  // namespace hw::viewport::shaders
