"""The numbers that the window shows, by the names of its items, and what the guide calls them."""

from figures import Figures

NUMBER = r"[-−+]?[0-9][0-9.,]*(?: ?[kMG])?(?:e[-−]?[0-9]+)?"
GAUGE = r"gauge:.*|canvas:tip"
SENTENCE = r".*[a-z]{2,} .*[a-z]{2,}.*"

# Names, files, codes and words with a digit in them, and what people type.
WORDS = "|".join(
    f"{name}.*"
    for name in (
        "window", "documentT", "tab:", "file", "recent", "example", "about", "licen", "node:", "nodeLabel", "frame", "palette", "search:",
        "menu", "shortcut", "tool", "param", "tensor:", "toast", "socket:", "docs:", "view",
    )
)  # fmt: skip
CLAIMS = [
    # While a graph trains.
    (r"runNumbers", r".*step [0-9]+ / [0-9]+ +training loss .*", "step", "training loss"),
    (r"runNumbers|runProgress", r".*", "step"),
    (r"lossScale:words", r".*", "loss scale, steps left out"),
    (r"run:start tip", r".*takes about .*", "memory, before it runs"),
    (r"menu:keepOptimiser", r".*", "size of the optimiser's state"),
    (r"status:rate", NUMBER + " samples/s", "samples/s"),
    (r"status:lr", "learning rate " + NUMBER, "learning rate"),
    (r"status:memory", r"needs " + NUMBER + " ([KMG]i)?B", "memory, before it runs"),
    (r"status:memory", NUMBER + " ([KMG]i)?B", "memory, while it runs"),
    (r"status:(elapsed|left)", r".*", "time, time left"),
    (r"status:metrics( tip)?", r".*", "test metrics, such as accuracy"),
    (r"losses/", NUMBER + r"|step [0-9]+", "loss curve", "step"),
    (r"losses/", r"2\^[0-9]+", "loss scale, steps left out"),
    (r"transfer:.*", r".*", "bytes between devices", "time between devices"),
    (r"canvas:tip", r"(gradient: )?.* a step, .* → .*", "bytes between devices", "time between devices"),
    (r"losses/ tip|gradients.* tip|updates.* tip", r".*", "gradient norm, per element", "update ÷ weight"),
    (r"(picture|image):status", r".*PSNR .*", "PSNR of a field", "width × height"),
    (r"reading:.*", NUMBER + r" ([nµm]?s)", "time on a card, `ms_per_step`"),
    # Instruments.
    (r"heat:note", r".* steps looked at.*", "steps looked at, time of looking"),
    (r"heat:(scale|meaning).*|reading:.*", r".*", "what a card, a heat map's legend and a table are coloured by"),
    (GAUGE, r".*(underflows|overflows) .*", "underflow, overflow"),
    (GAUGE, r".*(is subnormal|zeros|saturated).*", "zeros, subnormal, saturated", "magnitudes, headroom"),
    (GAUGE, r"gradient norm .*", "gradient norm, per element"),
    (GAUGE, r"norm .*, update/weight .*", "norm of a weight", "update ÷ weight"),
    (GAUGE, r"norm .*", "norm of a weight"),
    (GAUGE, r"histogram of .*", "histogram"),
    (GAUGE, r".*(Inf|NaN).*", "Inf, NaN"),
    (GAUGE, r"stored × .*", "“stored × 1024”"),
    (GAUGE, r"\S+, [a-z0-9]+|[a-z0-9]+( \[.*\])?", "problems, dtypes, shapes on wires"),
    (r"canvas:tip|param.*", r"[0-9]+\s*bit, max.*", "range and precision of a dtype"),
    (r"trouble:.* tip", r".*", "underflow, overflow", "zeros, subnormal, saturated", "Inf, NaN", "gradient norm, per element", "update ÷ weight"),
    (r"gradients:(node|verdict).*", r".*", "gradient norm, per element", "“vanishes”, “explodes”, “barely move”"),
    (r"gradients:under", r".*", "gradient norm, per element", "update ÷ weight", "step"),
    (r"/", r"Gradient (vanishes|explodes|is exactly 0) .*", "gradient norm, per element", "“vanishes”, “explodes”, “barely move”"),
    # A node's tensors.
    (r"dice:.*|draws.*|/", r"Draws from .*", "seed, stream, step"),
    (r"jacobian:.*", r".*", "Jacobian"),
    (r"inspector/", r".*: stored .*", "stored, computed, accumulated"),
    (r"inspector/", r"[a-z0-9]+ · .*", "problems, dtypes, shapes on wires", "step"),
    (r"inspector/", r"log.*|" + NUMBER, "histogram of magnitudes"),
    (r"inspector/", r"[0-9]+ [a-z]"),
    (r"stat:(min|max|mean|deviation)", NUMBER, "min, max, mean, std"),
    (r"stat:.*", NUMBER + r".*", "zero, subnormal, saturated, NaN, Inf, count"),
    (r"tensorTable.*", NUMBER, "table, picture"),
    # Checks.
    (r"badValue:.*", r".*", "first Inf or NaN"),
    (r"xray:.*", r".*", "error introduced, inherited, bits left"),
    (r"canvas:tip", r" *introduced .*, inherited .* bits left", "error introduced, inherited, bits left"),
    (r"/", r"\[.*\] is .*; in f64 on the same inputs .*", "error introduced, inherited, bits left"),
    (r"parity:caption", r".*", "values with the same bits, within tolerance", "step"),
    (r"parity:.*", r".*", "error ÷ allowed"),
    (r"gradients:(caption|row:.*)", r".*", "adjoint, difference", "checks, kinks, wrong", "largest, error/tol"),
    (r"precision:row:[0-9]+/?", r"(–|Training memory|Memory) .*", "bytes of two precisions"),
    (r"precision:row:[0-9]+/?", r"Time .*|.* [nµm]?s", "time of two precisions"),
    (r"precision:row:[0-9]+/?", r".*", "loss, held-out loss of two precisions", "bytes of two precisions", "time of two precisions"),
    (r"precision:(verdict|details/)", r".*", "loss, held-out loss of two precisions", "bytes of two precisions"),
    (r"precision:.*", r".*"),
    # Problems.
    (r"canvas:tip|inspector/", SENTENCE, "problems, dtypes, shapes on wires"),
    (r"problem.*|wrong:.*|remedy:.*", r".*", "problems, dtypes, shapes on wires"),
    (r"status:problems|problems:tabs:.*", r".*", "number of problems, of node types"),
    (r"dtype:.*", r".*", "range and precision of a dtype", "stored, computed, accumulated"),
    (r"status:policy", r".*"),
    # Canvas and views.
    (r"canvas:zoom/", r"[0-9]+ %", "zoom"),
    (r"/", r"[0-9]+ (nodes|fit, ).*", "number of problems, of node types"),
    (r"plot:.*|plotPanel/|gradients.*/|updates.*/", r".*", "ends of an axis, values under the pointer"),
    (r"image:.*|picture:.*", r".*", "table, picture", "width × height"),
    (r"bake:(result|size)", r".*", "texels on the surface, seconds", "width × height"),
    (r"losses/", SENTENCE, "loss curve", "gradient norm, per element", "update ÷ weight", "step"),
    (r"tip", r".*"),  # on the screen: it was read at its item
    (r"/", r"Back to .*|Halfwire .*|Layout: .*|What both factors .*"),
    (WORDS, r".*"),
]


def window_figures():
    return Figures(CLAIMS)
