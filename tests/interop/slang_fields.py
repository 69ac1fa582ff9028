#!/usr/bin/env python3
"""Fields as .slang, as Slang's compiler takes them: to SPIR-V, HLSL, CUDA and Metal.

    tests/interop/slang_fields.py [--cli build/release/halfwire-cli] [--keep FOLDER]

Each field of FIELDS is exported by `halfwire-cli export --field` and compiled with a compute shader that calls it. Exit code 1
where one is not. Needs slangpy, whose compiler is called."""

import argparse
import ctypes
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile

# Graph, wire, other wires that are variables, arguments of the call.
FIELDS = [
    ("neural_texture", "sigmoid.y", [], "float3(at)"),
    ("photograph", "sigmoid.y", [], "float2(at)"),
    ("sphere", "distance.y", ["points.y"], "float3(at)"),
    ("rotation", "turn.y", ["points.y"], "float3(at)"),
    ("image_to_3d", "surface_field.colour", [], "float3(at)"),
]
TARGETS = {"SPIR-V": 6, "HLSL": 5, "CUDA": 17, "Metal": 24}  # SlangCompileTarget
SLANG, COMPUTE = 1, 6  # SlangSourceLanguage, SlangStage

MAIN = """
RWStructuredBuffer<float> results;
[shader("compute")] [numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  float at = float(id.x);
  results[id.x] = dot(field(%s), 1.0);
}
"""


def load_slang():
    folder = os.path.dirname(importlib.util.find_spec("slangpy").origin)
    lib = ctypes.CDLL(glob.glob(os.path.join(folder, "libslang-compiler.so*"))[0])
    for name in ("spCreateSession", "spCreateCompileRequest", "spGetEntryPointCode"):
        getattr(lib, name).restype = ctypes.c_void_p
    lib.spGetDiagnosticOutput.restype = ctypes.c_char_p
    return lib


class Compiler:
    def __init__(self):
        self.lib = load_slang()
        self.session = ctypes.c_void_p(self.lib.spCreateSession(None))

    def compile(self, source, target):
        """Bytes of what came out, and what the compiler said."""
        lib, request = self.lib, ctypes.c_void_p(self.lib.spCreateCompileRequest(self.session))
        lib.spSetCodeGenTarget(request, target)
        unit = lib.spAddTranslationUnit(request, SLANG, b"field")
        lib.spAddTranslationUnitSourceString(request, unit, b"field.slang", source.encode())
        entry = lib.spAddEntryPoint(request, unit, b"main", COMPUTE)
        failed = lib.spCompile(request)
        said = (lib.spGetDiagnosticOutput(request) or b"").decode()
        size = ctypes.c_size_t()
        if not failed:
            lib.spGetEntryPointCode(request, entry, ctypes.byref(size))
        lib.spDestroyCompileRequest(request)
        return size.value, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="build/release/halfwire-cli")
    parser.add_argument("--keep")
    options = parser.parse_args()
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    compiler, failed = Compiler(), 0
    with tempfile.TemporaryDirectory() as folder:
        for graph, wire, points, arguments in FIELDS:
            out = os.path.join(options.keep or folder, f"{graph}.slang")
            for old in (out, os.path.splitext(out)[0] + ".bin"):
                if os.path.exists(old):
                    os.remove(old)
            given = [word for point in points for word in ("--point", point)]
            example = f"{root}/resources/examples/{graph}.halfwire"
            command = [options.cli, "export", example, "--field", wire, *given, "-o", out]
            made = subprocess.run(command, capture_output=True, text=True)
            if made.returncode:
                print(f"{graph}.slang: {made.stderr.strip()}")
                failed += 1
                continue
            source = open(out).read() + MAIN % arguments
            sizes = []
            for name, target in TARGETS.items():
                size, said = compiler.compile(source, target)
                sizes.append(f"{name} {size}")
                if not size:
                    failed += 1
                    print(f"{graph}.slang to {name}: {said}")
            print(f"{graph}.slang: bytes of {', '.join(sizes)}", flush=True)
    print(f"{len(FIELDS) * len(TARGETS) - failed} compiled, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
