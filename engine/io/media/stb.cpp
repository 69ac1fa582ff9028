// The one place where stb's image code is compiled.
#include "engine/io/media/stb_memory.h"

#define STBI_MALLOC(bytes) hw::stb_allocate(bytes)
#define STBI_REALLOC(memory, bytes) hw::stb_reallocate(memory, bytes)
#define STBI_FREE(memory) hw::stb_free(memory)
#define STBIW_MALLOC(bytes) hw::stb_writer_reallocate(nullptr, bytes)
#define STBIW_REALLOC(memory, bytes) hw::stb_writer_reallocate(memory, bytes)
#define STBIW_FREE(memory) hw::stb_writer_free(memory)
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_TGA
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 16384
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
