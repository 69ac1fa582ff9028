"""Forty small models with random weights that take inputs of several sizes: MODELS has, by name, what makes the module, its inputs
and three sizes of their symbolic axes, that of the example first.

An input is written as its axes, "batch 3 height width": numbers are fixed, words symbolic. A word before them says what it holds,
where it is no float: tokens below VOCABULARY, lengths from 1 to that of the axis `seq`, or a mask (1: there, 0: padding at the end).
Needs torch, torchvision and transformers."""

from typing import NamedTuple

import small_models
import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY = 50


class Picture(nn.Module):
    """A stem of two convolutions, for models that need features: [N, 16, ceil(H/2), ceil(W/2)]."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 1, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())


class Text(nn.Module):
    """Tables and layers that the models of tokens share."""

    def __init__(self, d=16):
        super().__init__()
        self.d, self.embed, self.head = d, nn.Embedding(VOCABULARY, d), nn.Linear(d, 7)
        self.qkv, self.norm = nn.Linear(d, 3 * d), nn.LayerNorm(d)

    def heads(self, x, n=4):
        """q, k and v: [N, n, T, d / n]."""
        return [t.reshape(x.shape[0], x.shape[1], n, -1).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1)]

    def joined(self, y):
        return y.transpose(1, 2).reshape(y.shape[0], y.shape[2], self.d)


class MobileNet(Picture):
    """Depthwise convolutions and squeeze-and-excitation."""

    def __init__(self):
        super().__init__()
        self.wide, self.deep, self.narrow = nn.Conv2d(16, 32, 1), nn.Conv2d(32, 32, 5, 2, 2, groups=32), nn.Conv2d(32, 16, 1)
        self.squeeze, self.excite, self.head = nn.Conv2d(32, 8, 1), nn.Conv2d(8, 32, 1), nn.Linear(16, 5)

    def forward(self, x):
        x = F.hardswish(self.deep(F.hardswish(self.wide(self.stem(x)))))
        x = x * F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(x, 1)))))
        return self.head(self.narrow(x).mean([2, 3]))


class UNetOfAnySize(Picture):
    """What goes up is interpolated to the size of the skip connection."""

    def __init__(self):
        super().__init__()
        self.down, self.up, self.out = nn.Conv2d(16, 24, 3, 2, 1), nn.Conv2d(24 + 16, 16, 3, 1, 1), nn.Conv2d(16 + 3, 2, 3, 1, 1)

    def forward(self, x):
        a = self.stem(x)
        b = F.interpolate(F.relu(self.down(a)), size=a.shape[2:], mode="bilinear", align_corners=False)
        a = F.relu(self.up(torch.cat([a, b], 1)))
        return self.out(torch.cat([x, F.interpolate(a, size=x.shape[2:], mode="bilinear", align_corners=True)], 1))


class Pyramid(Picture):
    def __init__(self):
        super().__init__()
        self.two, self.three = nn.Conv2d(16, 24, 3, 2, 1), nn.Conv2d(24, 32, 3, 2, 1)
        self.lateral, self.out = nn.ModuleList(nn.Conv2d(n, 12, 1) for n in (16, 24, 32)), nn.Conv2d(12, 6, 3, 1, 1)

    def forward(self, x):
        a = self.stem(x)
        b = F.relu(self.two(a))
        c = F.relu(self.three(b))
        a, b, c = (f(t) for f, t in zip(self.lateral, (a, b, c)))
        b = b + F.interpolate(c, size=b.shape[2:], mode="nearest")
        a = a + F.interpolate(b, size=a.shape[2:], mode="nearest")
        return self.out(a), self.out(b), self.out(c)


class VitOfAnySize(Text):
    """Positions are interpolated to the grid of patches."""

    def __init__(self):
        super().__init__()
        self.patch, self.token, self.place = nn.Conv2d(3, 16, 4, 4), nn.Parameter(torch.randn(1, 1, 16)), nn.Parameter(torch.randn(1, 16, 6, 6))

    def forward(self, x):
        x = self.patch(x)
        x = x + F.interpolate(self.place, size=x.shape[2:], mode="bicubic", align_corners=False)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x.flatten(2).transpose(1, 2)], 1)
        q, k, v = self.heads(x)
        return self.head(x + self.joined(F.scaled_dot_product_attention(q, k, v)))[:, 0]


class Windows(nn.Module):
    """Attention in windows of 4 × 4 after a padding to whole windows and a shift, as in Swin."""

    def __init__(self, size=4):
        super().__init__()
        self.size, self.patch, self.qkv, self.out = size, nn.Conv2d(3, 16, 2, 2), nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x):
        x, s = self.patch(x).permute(0, 2, 3, 1), self.size
        n, h, w, c = x.shape
        x = F.pad(x, (0, 0, 0, (s - w % s) % s, 0, (s - h % s) % s))
        rows, columns = x.shape[1], x.shape[2]
        x = torch.roll(x, (-2, -2), (1, 2)).view(n, rows // s, s, columns // s, s, c)
        q, k, v = self.qkv(x.permute(0, 1, 3, 2, 4, 5).reshape(-1, s * s, c)).chunk(3, -1)
        x = self.out(torch.softmax(q @ k.transpose(1, 2) / 4, -1) @ v).view(n, rows // s, columns // s, s, s, c)
        return torch.roll(x.permute(0, 1, 3, 2, 4, 5).reshape(n, rows, columns, c), (2, 2), (1, 2))[:, :h, :w]


class Enlarge(Picture):
    def __init__(self):
        super().__init__()
        self.one, self.shuffle = nn.Conv2d(16, 12, 3, 1, 1), nn.PixelShuffle(2)

    def forward(self, x):
        return F.interpolate(self.shuffle(self.one(self.stem(x))), scale_factor=2.0, mode="bilinear", align_corners=False)


class Pooled(Picture):
    """Means and maxima of the whole picture and of a grid of it."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(16 * 3, 5)

    def forward(self, x):
        x = self.stem(x)
        return self.head(torch.cat([F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 1), x.amin((2, 3), keepdim=True)], 1).flatten(1))


class Residual(Picture):
    def __init__(self, norm):
        super().__init__()
        self.pad, self.norm, self.conv, self.out = nn.ReflectionPad2d(1), norm, nn.Conv2d(16, 16, 3), nn.Conv2d(16, 3, 1)

    def forward(self, x):
        x = self.stem(x)
        return self.out(x + self.conv(self.pad(F.silu(self.norm(x)))))


class CeilPools(Picture):
    def __init__(self):
        super().__init__()
        self.largest, self.mean = nn.MaxPool2d(3, 2, ceil_mode=True), nn.AvgPool2d(2, 2, ceil_mode=True)

    def forward(self, x):
        return self.mean(self.largest(self.stem(x)))


class Warped(Picture):
    """Features are sampled where a convolution says, about their own places."""

    def __init__(self):
        super().__init__()
        self.offset = nn.Conv2d(16, 2, 3, 1, 1)

    def forward(self, x):
        x = self.stem(x)
        h, w = x.shape[2:]
        row = (torch.arange(h, device=x.device) * 2 + 1) / h - 1
        column = (torch.arange(w, device=x.device) * 2 + 1) / w - 1
        grid = torch.stack([column[None, :].expand(h, w), row[:, None].expand(h, w)], -1)
        return F.grid_sample(x, grid + 0.2 * torch.tanh(self.offset(x)).permute(0, 2, 3, 1), align_corners=False)


class PaddedToMultiple(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(3, 16, 8, 8), nn.ConvTranspose2d(16, 3, 8, 8)

    def forward(self, x):
        h, w = x.shape[2], x.shape[3]
        return self.up(torch.relu(self.down(F.pad(x, (0, (8 - w % 8) % 8, 0, (8 - h % 8) % 8)))))[:, :, :h, :w]


class Shuffle(Picture):
    """Halves of the channels, then their order mixed, as in ShuffleNet."""

    def __init__(self):
        super().__init__()
        self.branch = nn.Sequential(nn.Conv2d(8, 8, 3, 1, 1, groups=8), nn.BatchNorm2d(8), nn.Conv2d(8, 8, 1), nn.ReLU())

    def forward(self, x):
        a, b = self.stem(x).chunk(2, 1)
        x = torch.cat([a, self.branch(b)], 1)
        n, c, h, w = x.shape
        return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


class NonLocal(Picture):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Conv2d(16, n, 1) for n in (8, 8, 16))

    def forward(self, x):
        x = self.stem(x)
        q, k, v = (f(x).flatten(2) for f in (self.q, self.k, self.v))
        return x + (v @ torch.softmax(q.transpose(1, 2) @ k, -1).transpose(1, 2)).view(x.shape)


class Detector(Picture):
    """Boxes of two levels about the centres of their cells, in one list, and the eight best of them."""

    def __init__(self):
        super().__init__()
        self.two, self.head = nn.Conv2d(16, 16, 3, 2, 1), nn.Conv2d(16, 2 * 6, 1)

    def boxes(self, x, stride):
        n, _, h, w = x.shape
        y = self.head(x).view(n, 2, 6, h, w).permute(0, 1, 3, 4, 2)
        rows, columns = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        place = torch.stack([columns, rows], -1).to(y.dtype)
        middle = (y[..., :2].sigmoid() + place) * stride
        return torch.cat([middle, y[..., 2:4].exp() * stride, y[..., 4:].sigmoid()], -1).reshape(n, -1, 6)

    def forward(self, x):
        a = self.stem(x)
        boxes = torch.cat([self.boxes(a, 2.0), self.boxes(F.relu(self.two(a)), 4.0)], 1)
        best = boxes[..., 4].topk(8, 1).indices
        return boxes, boxes.gather(1, best[..., None].expand(-1, -1, 6))


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv3d(3, 8, 3, 1, 1), nn.BatchNorm3d(8), nn.ReLU(), nn.MaxPool3d((1, 2, 2)), nn.Conv3d(8, 12, 3, 2, 1))
        self.head = nn.Linear(12, 5)

    def forward(self, x):
        return self.head(self.net(x).mean((3, 4)).transpose(1, 2))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru, self.head = nn.GRU(6, 12, num_layers=2, batch_first=True), nn.Linear(24, 5)

    def forward(self, x):
        y, last = self.gru(x)
        return self.head(torch.cat([y[:, -1], last[0]], -1)), y


class Audio(nn.Module):
    """Strided convolutions over samples, then frames with a padded mean, as speech models have them."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 8, 10, 5), nn.GroupNorm(8, 8), nn.GELU(), nn.Conv1d(8, 12, 3, 2), nn.GELU(), nn.Conv1d(12, 12, 2, 2))
        self.place, self.head = nn.Conv1d(12, 12, 4, padding=2, groups=4), nn.Linear(12, 9)

    def forward(self, x):
        x = self.net(x[:, None])
        x = x + F.gelu(self.place(x)[:, :, :-1])
        return F.log_softmax(self.head(x.transpose(1, 2)), -1)


class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin, self.gates = nn.Conv1d(2, 8, 1), nn.ModuleList(nn.Conv1d(8, 16, 2, dilation=2**i) for i in range(3))

    def forward(self, x):
        x = self.begin(x)
        for i, gate in enumerate(self.gates):
            a, b = gate(F.pad(x, (2**i, 0))).split(8, 1)
            x = x + torch.tanh(a) * torch.sigmoid(b)
        return x


class Attention(nn.Module):
    """Attention of four heads, as nn.MultiheadAttention computes it, of which PyTorch's old exporter writes the example's length."""

    def __init__(self):
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(16, 16), nn.Linear(16, 32), nn.Linear(16, 16)

    def forward(self, x, of, mask=None):
        q, k, v = (t.reshape(t.shape[0], t.shape[1], 4, 4).transpose(1, 2) for t in (self.q(x), *self.kv(of).chunk(2, -1)))
        return self.out(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2))


class Block(nn.Module):
    """A layer of a transformer, normalised before each part; with `other` it attends to that, too."""

    def __init__(self):
        super().__init__()
        self.attention, self.crossed, self.norms = Attention(), Attention(), nn.ModuleList(nn.LayerNorm(16) for _ in range(3))
        self.wide, self.narrow = nn.Linear(16, 32), nn.Linear(32, 16)

    def forward(self, x, mask, other=None):
        first, second, third = self.norms
        y = first(x)
        x = x + self.attention(y, y, mask)
        if other is not None:
            x = x + self.crossed(second(x), other)
        return x + self.narrow(torch.relu(self.wide(third(x))))


class Encoder(Text):
    """Two layers, with padding masked."""

    def __init__(self):
        super().__init__()
        self.body = nn.ModuleList((Block(), Block()))

    def forward(self, tokens, mask):
        x = self.embed(tokens)
        for block in self.body:
            x = block(x, (mask != 0)[:, None, None])
        return self.head(x)


class Decoder(Text):
    """A text that is written about another, each of its own length."""

    def __init__(self):
        super().__init__()
        self.body = Block()

    def forward(self, tokens, memory):
        i = torch.arange(tokens.shape[1])
        later = torch.where(i[None, :] > i[:, None], float("-inf"), 0.0)
        return self.head(self.body(self.embed(tokens), later, memory))


class Lengths(Text):
    """The mean, the last and the largest of the tokens that are there."""

    def forward(self, tokens, lengths):
        x = self.embed(tokens)
        there = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
        mean = (x * there[..., None]).sum(1) / lengths[:, None]
        last = x.gather(1, (lengths - 1)[:, None, None].expand(-1, -1, self.d))[:, 0]
        return self.head(mean + last + x.masked_fill(~there[..., None], -1e4).amax(1))


class Rotated(Text):
    """Rotary positions, keys of two heads for queries of four."""

    def forward(self, tokens):
        x = self.embed(tokens)
        angle = torch.arange(x.shape[1], dtype=torch.float32)[:, None] * torch.tensor([1.0, 0.1])
        turn = torch.cat([angle, angle], -1)
        cos, sin = turn.cos(), turn.sin()
        q, k, v = self.heads(x)
        q, k = (t * cos + torch.cat([-t[..., 2:], t[..., :2]], -1) * sin for t in (q, k))
        k, v = (t[:, :2].repeat_interleave(2, 1) for t in (k, v))
        return self.head(x + self.joined(F.scaled_dot_product_attention(q, k, v, is_causal=True)))


class Counted(Text):
    """Positions count the tokens that are no padding."""

    def __init__(self):
        super().__init__()
        self.place = nn.Embedding(40, 16)

    def forward(self, tokens, mask):
        x = self.embed(tokens) + self.place(torch.cumsum(mask, 1) * mask)
        q, k, v = self.heads(x)
        away = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        return self.head(x + self.joined(torch.softmax(q @ k.transpose(2, 3) / 2 + away, -1) @ v))


class Einsum(Text):
    def forward(self, tokens):
        x = self.embed(tokens)
        q, k, v = (t.view(x.shape[0], x.shape[1], 4, 4) for t in self.qkv(x).chunk(3, -1))
        weight = torch.softmax(torch.einsum("bqhd,bkhd->bhqk", q, k) / 2, -1)
        return self.head(torch.einsum("bhqk,bkhd->bqhd", weight, v).flatten(2))


class Causal(Text):
    """A table of positions cut to the text, and a mask by torch.tril."""

    def __init__(self):
        super().__init__()
        self.place = nn.Parameter(torch.randn(1, 40, 16))

    def forward(self, tokens):
        t = tokens.shape[1]
        x = self.embed(tokens) + self.place[:, :t]
        q, k, v = self.heads(x)
        seen = torch.tril(torch.ones(t, t, dtype=torch.bool))
        return self.joined(torch.softmax((q @ k.transpose(2, 3) / 2).masked_fill(~seen, float("-inf")), -1) @ v) @ self.embed.weight.T


class Relative(Text):
    """A bias of attention by how far apart two tokens are."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(9, 4)

    def forward(self, tokens):
        x, i = self.embed(tokens), torch.arange(tokens.shape[1])
        bias = self.bias((i[None, :] - i[:, None]).clamp(-4, 4) + 4).permute(2, 0, 1)[None]
        q, k, v = self.heads(x)
        return self.joined(torch.softmax(q @ k.transpose(2, 3) / 2 + bias, -1) @ v)


class Local(Text):
    """Blocks of four tokens attend to themselves, the last one padded."""

    def forward(self, tokens):
        x = self.embed(tokens)
        n, t, d = x.shape
        blocks = F.pad(x, (0, 0, 0, -t % 4)).reshape(-1, 1, 4, d)
        return self.head(torch.cat([x, F.scaled_dot_product_attention(blocks, blocks, blocks).reshape(n, -1, d)[:, :t]], -1)[..., :d])


class Histogram(Text):
    """How often each token is there, by scatter, and tags by argmax."""

    def forward(self, tokens):
        x = self.embed(tokens)
        counts = torch.zeros(tokens.shape[0], VOCABULARY).scatter_add(1, tokens, torch.ones(tokens.shape))
        return counts, self.head(x).argmax(-1), x.roll(1, 1)


class Best(Text):
    """The three tokens that score best, in their order."""

    def forward(self, tokens):
        x = self.embed(tokens)
        best = self.head(x)[..., 0].topk(3, 1).indices.sort(1).values
        return x.gather(1, best[..., None].expand(-1, -1, self.d))


class Framed(nn.Module):
    """Frames of a signal by unfold, windowed, half of them overlapping."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))
        self.mix = nn.Linear(16, 6)

    def forward(self, x):
        return self.mix(x.reshape(x.shape[0], -1, 16) * self.window).flatten(1), x[:, ::2]


class Dictionary(nn.Module):
    """A transformers model by keyword; one tensor of its output."""

    def __init__(self, model, field, names, **fixed):
        super().__init__()
        self.model, self.field, self.names, self.fixed = model, field, names, fixed

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)), **self.fixed)[self.field]


def generator():
    first = nn.Sequential(nn.ConvTranspose2d(6, 12, 4, 2, 1), nn.BatchNorm2d(12), nn.LeakyReLU(0.2))
    return nn.Sequential(first, nn.ConvTranspose2d(12, 3, 3, 2, 1, 1), nn.Tanh())


def small(name):
    return small_models.MODELS[name]()[0]


def masked(name):
    last = small(name)
    return Dictionary(last.model, last.field, ("input_ids", "attention_mask"), **last.fixed)


def whisper():
    from transformers import WhisperConfig, WhisperModel
    c = WhisperConfig(d_model=32, encoder_layers=1, encoder_attention_heads=4, encoder_ffn_dim=64, decoder_layers=1, decoder_attention_heads=4,
                      decoder_ffn_dim=64, num_mel_bins=16, max_source_positions=20, max_target_positions=24, vocab_size=VOCABULARY, dropout=0.0,
                      attn_implementation="eager", pad_token_id=0, bos_token_id=0, eos_token_id=1, decoder_start_token_id=0, use_cache=False)
    return Dictionary(WhisperModel(c), "last_hidden_state", ("input_features", "decoder_input_ids", "decoder_attention_mask"), use_cache=False)


def t5():
    from transformers import T5Config, T5Model
    c = T5Config(vocab_size=VOCABULARY, d_model=32, d_kv=8, d_ff=64, num_layers=1, num_heads=4, dropout_rate=0.0, use_cache=False,
                 attn_implementation="eager")
    return Dictionary(T5Model(c), "last_hidden_state", ("input_ids", "decoder_input_ids"), use_cache=False)


class Row(NamedTuple):
    make: object
    inputs: tuple
    sizes: tuple  # of the symbols, in the order in which they stand in the inputs: the example's and two others


PICTURE, TOKENS, MASKED = ("batch 3 height width",), ("tokens batch seq",), ("tokens batch seq", "mask batch seq")
EVEN, ANY, TEXT = ("2 32 40", "1 48 32", "3 64 24"), ("2 32 40", "1 37 50", "3 45 29"), ("2 9", "1 13", "3 6")

MODELS = {
    "resnet": Row(lambda: small("resnet"), PICTURE, ANY),
    "mobilenet": Row(MobileNet, PICTURE, ANY),
    "unet": Row(small_models.UNet, PICTURE, EVEN),
    "unet_any": Row(UNetOfAnySize, PICTURE, ANY),
    "fpn": Row(Pyramid, PICTURE, ANY),
    "vit": Row(VitOfAnySize, PICTURE, EVEN),
    "swin": Row(Windows, PICTURE, ("2 32 40", "1 36 52", "3 42 30")),
    "enlarge": Row(Enlarge, PICTURE, ANY),
    "generator": Row(generator, ("batch 6 height width",), ("2 4 5", "1 7 3", "3 8 9")),
    "pooled": Row(Pooled, PICTURE, ANY),
    "group_norm": Row(lambda: Residual(nn.GroupNorm(4, 16)), PICTURE, ANY),
    "instance_norm": Row(lambda: Residual(nn.InstanceNorm2d(16, affine=True)), PICTURE, ANY),
    "ceil_pools": Row(CeilPools, PICTURE, ANY),
    "warped": Row(Warped, PICTURE, ANY),
    "padded": Row(PaddedToMultiple, PICTURE, ANY),
    "shuffle": Row(Shuffle, PICTURE, ANY),
    "non_local": Row(NonLocal, PICTURE, ("2 16 20", "1 13 18", "3 21 9")),
    "detector": Row(Detector, PICTURE, ANY),
    "video": Row(Video, ("batch 3 time height width",), ("2 6 16 20", "1 5 18 14", "3 8 12 22")),
    "lstm": Row(small_models.Lstm, ("batch time 6",), TEXT),
    "gru": Row(Recurrent, ("batch time 6",), TEXT),
    "audio": Row(Audio, ("batch samples",), ("2 400", "1 523", "3 301")),
    "wavenet": Row(WaveNet, ("batch 2 samples",), ("2 40", "1 53", "3 31")),
    "framed": Row(Framed, ("batch samples",), ("2 64", "1 96", "3 160")),
    "encoder": Row(Encoder, MASKED, TEXT),
    "decoder": Row(Decoder, ("tokens batch seq", "batch source 16"), ("2 9 7", "1 13 5", "3 6 11")),
    "lengths": Row(Lengths, ("tokens batch seq", "lengths batch"), TEXT),
    "rotated": Row(Rotated, TOKENS, TEXT),
    "counted": Row(Counted, MASKED, TEXT),
    "einsum": Row(Einsum, TOKENS, TEXT),
    "causal": Row(Causal, TOKENS, TEXT),
    "relative": Row(Relative, TOKENS, TEXT),
    "local": Row(Local, TOKENS, TEXT),
    "histogram": Row(Histogram, TOKENS, TEXT),
    "best": Row(Best, TOKENS, TEXT),
    "llama": Row(lambda: masked("llama"), MASKED, TEXT),
    "bert": Row(lambda: masked("bert"), MASKED, TEXT),
    "gpt2": Row(lambda: masked("gpt2"), MASKED, TEXT),
    "whisper": Row(whisper, ("batch 16 40", *MASKED), TEXT),
    "t5": Row(t5, ("tokens batch source", "tokens batch seq"), ("2 9 7", "1 13 5", "3 6 11")),
}
