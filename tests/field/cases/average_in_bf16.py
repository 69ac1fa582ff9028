"""An average of weights kept in bf16 never moves (sd_dreambooth_extension PR #1415; Automodel PR #2248)."""

import numpy as np

from support import close, read_safetensors, write_graph

STEPS, RATE, WARMUP, DECAY, TARGET = 12000, 0.05, 100000, 0.9999, 0.25


def bf16(x):
    """To the nearest bf16, ties to even."""
    bits = np.float32(x).view(np.uint32)
    return np.uint32((int(bits) + 0x7FFF + ((int(bits) >> 16) & 1)) & 0xFFFF0000).view(np.float32)


def by_hand():
    """The weight in bf16, its average in f64."""
    p, average = np.float32(1), 1.0
    for t in range(STEPS):
        gradient = bf16(np.float32(2) * bf16(p - np.float32(TARGET)))
        p = bf16(p - np.float32(RATE * (t + 1) / WARMUP) * gradient)
        decay = min(DECAY, (1 + t) / (10 + t))
        average = decay * average + (1 - decay) * float(p)
    return float(p), average


def check(cli, folder):
    write_graph(folder / "g.halfwire",
                [{"id": "p", "type": "parameter",
                  "params": {"shape": [1], "init": "constant", "scale": 1.0, "dtype": "bf16"}},
                 {"id": "c", "type": "constant", "params": {"value": TARGET, "shape": [1], "dtype": "bf16"}},
                 {"id": "loss", "type": "mse"},
                 {"id": "train", "type": "train",
                  "params": {"steps": STEPS, "optimiser": "sgd", "learning_rate": RATE, "warmup_steps": WARMUP,
                             "master_weights": "none", "ema_decay": DECAY}}],
                [("p.y", "loss.prediction"), ("c.y", "loss.target"), ("loss.loss", "train.loss")])
    raw, average = by_hand()
    cli("train", "g.halfwire", "--out", "averaged")
    cli("train", "g.halfwire", "--out", "raw", "--set", "train.use_averaged=false")
    shown = read_safetensors(folder / "averaged" / "weights.safetensors")["p.value"]
    own = read_safetensors(folder / "raw" / "weights.safetensors")["p.value"]
    close(own, [raw], rtol=0, atol=0)
    close(shown, [bf16(average)], rtol=0, atol=2.0 ** -9)  # a bf16 number there is 2^-9 from the next
    return f"average {shown[0]:.4f} ({average:.4f} by hand), raw {own[0]:.4f}"
