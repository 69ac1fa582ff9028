#!/usr/bin/env python3
"""Models of transformers through ONNX: each is made small, with random weights, exported by PyTorch, imported and run beside ONNX Runtime.

    tests/interop/transformers_models.py [--cli build/release/halfwire-cli] [MODEL ...]

A model is right where its output has the shape of ONNX Runtime's and is within 1e-4 of its largest value, and no operator is missing.
What the exporters do not export, or ONNX Runtime does not run, is left out and counted; where fewer than half of all are right, the check
fails. Needs torch, transformers, onnx, onnxscript and onnxruntime."""

import collections
import io
import json
import logging
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import each_model
import numpy as np
import onnxruntime
import torch
from dynamic_exports import silence

CLOSE = 1e-4
LEAST_RIGHT = 0.5  # share of the exports that were tried, those left out among them
TOKENS, PICTURES = "tokens", "pictures"
# The names that configurations have for the same: those that one does not know it keeps and does not read.
SMALL = dict(vocab_size=60, hidden_size=32, d_model=32, n_embd=32, dim=32, word_embed_proj_dim=32, embedding_size=32, num_hidden_layers=2,
             num_layers=2, n_layer=2, n_layers=2, encoder_layers=2, decoder_layers=2, num_attention_heads=4, num_heads=4, n_head=4, n_heads=4,
             encoder_attention_heads=4, decoder_attention_heads=4, intermediate_size=64, ffn_dim=64, d_ff=64, hidden_dim=64, n_inner=64,
             encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=40, n_positions=40, max_seq_len=40, image_size=32, patch_size=8,
             pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, use_cache=False, attn_implementation="eager")
GROUPED = dict(num_key_value_heads=2, head_dim=8, rope_theta=10000.0)
MODELS = {
    **{name: (TOKENS, {}) for name in "bert roberta electra distilbert mpnet deberta deberta-v2 xlm roformer rembert ernie megatron-bert "
       "nystromformer convbert squeezebert gpt_neox opt bloom phi mpt falcon persimmon biogpt".split()},
    **{name: (TOKENS, GROUPED) for name in "llama mistral gemma gemma2 qwen2 qwen3 phi3 starcoder2 olmo olmo2 cohere granite".split()},
    **{name: (TOKENS, dict(rotary_dim=8)) for name in ("gptj", "codegen")},
    "stablelm": (TOKENS, dict(GROUPED, partial_rotary_factor=0.5)),
    "albert": (TOKENS, {}),
    "gpt2": (TOKENS, {}),
    "gpt_neo": (TOKENS, dict(attention_types=[[["global", "local"], 1]])),
    "fnet": (TOKENS, dict(tpu_short_seq_length=9)),
    "t5": (TOKENS, dict(d_kv=8)),
    **{name: (TOKENS, {}) for name in "bart mbart pegasus marian blenderbot m2m_100".split()},
    **{name: (PICTURES, {}) for name in "vit deit beit dinov2 yolos".split()},
    "swin": (PICTURES, dict(patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 2], num_attention_heads=[2, 2], window_size=4)),
    "swinv2": (PICTURES, dict(patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 2], num_attention_heads=[2, 2], window_size=4)),
    "convnext": (PICTURES, dict(patch_size=4, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])),
    "convnextv2": (PICTURES, dict(patch_size=4, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])),
    "resnet": (PICTURES, dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1])),
    "regnet": (PICTURES, dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], groups_width=4)),
    "segformer": (PICTURES, dict(hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1], num_attention_heads=[1, 2, 2, 4])),
    "poolformer": (PICTURES, dict(patch_size=7, hidden_sizes=[8, 16, 16, 32], depths=[1, 1, 1, 1])),
    "mobilenet_v2": (PICTURES, dict(depth_multiplier=0.25)),
    "dpt": (PICTURES, dict(is_hybrid=False, backbone_out_indices=[0, 1, 1, 1])),
    "focalnet": (PICTURES, dict(patch_size=4, embed_dim=8, hidden_sizes=[8, 16], depths=[1, 1], focal_levels=[1, 1], focal_windows=[3, 3])),
    "clip_vision_model": (PICTURES, {}),
    "siglip_vision_model": (PICTURES, {}),
    "clip_text_model": (TOKENS, {}),
    "wav2vec2": ("sound", dict(conv_dim=[8, 8], conv_stride=[5, 4], conv_kernel=[10, 8], num_feat_extract_layers=2, num_conv_pos_embeddings=8,
                               num_conv_pos_embedding_groups=2, apply_spec_augment=False)),
    "hubert": ("sound", dict(conv_dim=[8, 8], conv_stride=[5, 4], conv_kernel=[10, 8], num_feat_extract_layers=2, num_conv_pos_embeddings=8,
                             num_conv_pos_embedding_groups=2, apply_spec_augment=False)),
}
counts = collections.Counter()


class First(torch.nn.Module):
    """The first tensor that the model gives of one input."""

    def __init__(self, model, takes):
        super().__init__()
        self.model, self.takes = model, takes

    def forward(self, x):
        given = {name: x for name in self.takes}
        return self.model(**given, return_dict=True)[0]


def made(name):
    from transformers import AutoConfig, AutoModel

    kind, more = MODELS[name]
    torch.manual_seed(0)
    model = AutoModel.from_config(AutoConfig.for_model(name, **{**SMALL, **more})).eval()
    for norm in model.modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(norm.running_var, 0.5, 1.5)
    if kind == TOKENS:
        takes = ["input_ids"] + ["decoder_input_ids"] * bool(model.config.is_encoder_decoder)
        return First(model, takes).eval(), torch.randint(3, 60, (2, 9))
    if kind == PICTURES:
        return First(model, ["pixel_values"]).eval(), torch.randn(2, 3, 32, 32)
    return First(model, ["input_values"]).eval(), torch.randn(2, 400)


def exported(model, x, file):
    """By the exporters that can."""
    for new in (False, True):
        with silence(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            try:
                how = dict(external_data=False) if new else {}
                torch.onnx.export(model, (x,), file, input_names=["x"], output_names=["y"], dynamo=new, **how)
            except Exception as error:
                yield new, str(error).strip().splitlines()[0][:100] if str(error) else type(error).__name__
                continue
        yield new, None


def call(cli, *words):
    done = subprocess.run([cli, *map(str, words)], capture_output=True, text=True, timeout=600)
    return done.returncode, (done.stdout + done.stderr).strip()


def one(cli, name, folder):
    try:
        model, x = made(name)
        with torch.no_grad():
            model(x)
    except Exception as error:
        counts["not made so small"] += 1
        print(f"left  {name:20} cannot be made so small: {str(error).splitlines()[0][:100]}", flush=True)
        return True
    right = True
    file, graph, y = folder / "m.onnx", folder / "m.halfwire", folder / "y.npy"
    np.save(folder / "x.npy", x.numpy())
    for new, trouble in exported(model, x, str(file)):
        kind = "new" if new else "old"
        if trouble is None:
            try:
                wanted = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"]).run(None, {"x": x.numpy()})[0]
            except Exception as error:
                trouble = str(error)[:100]
        if trouble is not None:
            counts[f"{kind}: left out"] += 1
            print(f"left  {name:20} {kind} exporter: {trouble}", flush=True)
            continue
        for old in folder.glob("m.[hs]*"):
            old.unlink()
        code, said = call(cli, "import", file, "-o", graph)
        missing = [line for line in said.splitlines() if line.startswith("missing")]
        if code == 0 and not missing:
            made_graph = json.loads(graph.read_text())
            ids = {n["type"]: n["id"] for n in reversed(made_graph["nodes"])}  # the first of each type
            wire = next(a for a, b in made_graph["links"] if b == f"{ids['output']}.x")
            source = ids["input"]
            code, said = call(cli, "run", graph, "--input", f"{source}.y={folder / 'x.npy'}", "--output", f"{wire}={y}")
        if code or missing:
            counts[f"{kind}: refused"] += 1
            right = False
            print(f"WRONG {name:20} {kind} exporter: {(missing or [said[-300:]])[0]}", flush=True)
            continue
        got = np.load(y)
        off = float(np.abs(got - wanted).max() / np.abs(wanted).max()) if got.shape == wanted.shape else np.inf
        good = off <= CLOSE
        right = right and good
        counts[f"{kind}: {'right' if good else 'wrong'}"] += 1
        print(f"{'right' if good else 'WRONG'} {name:20} {kind} exporter: off by {off:.1e} of the largest", flush=True)
    return right


def enough_right():
    right = sum(count for what, count in counts.items() if what.endswith(": right"))
    return right >= max(1, LEAST_RIGHT * counts.total())


if __name__ == "__main__":
    try:
        each_model.main(__doc__, ((one, MODELS),))
    except SystemExit as ended:
        if not ended.code and not enough_right():
            sys.exit("WRONG too few are right, too many are left out")
        raise
    finally:
        print("transformers: " + "; ".join(f"{what} {count}" for what, count in sorted(counts.items())))
