# cmake -DHEADERS="a.h;b.h" -DFOLDER=engine/kernels -DOUTPUT=kernel_source.cpp -P embed_kernels.cmake
# Writes kernel_source.h's functions, with the text of HEADERS.
set(rows "")
foreach(header ${HEADERS})
  file(READ ${FOLDER}/${header} text)
  string(APPEND rows "    {\"${header}\", R\"header(${text})header\"},\n")
endforeach()
file(WRITE ${OUTPUT}.new "// Made by engine/shader/embed_kernels.cmake.
#include \"engine/shader/kernel_source.h\"

namespace hw::shader {
namespace {

constexpr KernelSource kSources[] = {
${rows}};

}  // namespace

std::span<const KernelSource> kernel_sources() {
  return kSources;
}

std::string_view kernel_source(std::string_view header) {
  for (const KernelSource& source : kSources)
    if (source.header == header) return source.text;
  return {};
}

}  // namespace hw::shader
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUTPUT}.new)
