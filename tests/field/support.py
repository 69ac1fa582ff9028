"""What cases share: the command line, graph files, arrays."""

import json
import pathlib
import struct
import subprocess

import numpy as np


class Cli:
    """halfwire-cli, run in one folder. Paths in arguments are relative to it."""

    def __init__(self, program, folder):
        self.program, self.folder = str(pathlib.Path(program).resolve()), folder

    def __call__(self, *args, expect=0, timeout=300):
        """Runs it and returns what it printed, both streams as one text. `expect`: its exit code; None: any."""
        done = subprocess.run([self.program, *map(str, args)], cwd=self.folder, text=True, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if expect is not None and done.returncode != expect:
            raise AssertionError(f"{' '.join(map(str, args))}: exit {done.returncode}, not {expect}\n{done.stdout}")
        return done.stdout


def says(text, *parts):
    """Fails unless `text` holds each of `parts`."""
    for part in parts:
        if part not in text:
            raise AssertionError(f"{part!r} is not said:\n{text}")


def says_not(text, *parts):
    for part in parts:
        if part in text:
            raise AssertionError(f"{part!r} is said:\n{text}")


def close(got, want, rtol=1.3e-6, atol=1e-5):
    """Fails unless two arrays agree; the tolerances are those of f32 unless the case has another dtype."""
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=rtol, atol=atol)


def write_graph(path, nodes, links=(), **more):
    """A graph file. `nodes`: dicts as in the file; `links`: ("node.output", "node.input")."""
    body = {"halfwire": 1, "nodes": list(nodes), "links": [list(link) for link in links], **more}
    pathlib.Path(path).write_text(json.dumps(body, indent=1))


def read_safetensors(path):
    """Names to arrays; bf16 comes as f32."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    plain = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "u1", "I8": "i1", "BOOL": "?"}
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        raw = data[8 + size + begin:8 + size + end]
        if entry["dtype"] == "BF16":
            array = (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4")
        else:
            array = np.frombuffer(raw, plain[entry["dtype"]])
        arrays[name] = array.reshape(entry["shape"])
    return arrays
