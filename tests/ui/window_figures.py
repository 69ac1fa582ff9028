"""The numbers that the window shows, by the names of its items, and what the guide calls them."""

from figures import Figures

NUMBER = r"[-−+]?[0-9][0-9.,]*(?: ?[kMG])?(?:e[-−]?[0-9]+)?"
BYTES = NUMBER + r" (?:[KMG]i)?B"
CHANGE = r"[-−+][0-9.]+ %( ± [0-9.]+ %)?"
GAUGE = r"gauge:.*|canvas:tip"
TENSOR = r"(\S+: |.*\(backward\)( [0-9]+)?: )?"  # before what is said of one tensor of several
TYPES = "problems, dtypes, shapes on wires"
COUNTS, ROUNDED, NOT_FINITE = "zeros, subnormal, saturated", "underflow, overflow", "Inf, NaN"
GRADIENT, UPDATE, VERDICT = "gradient norm, per element", "update ÷ weight", "“vanishes”, “explodes”, “change by”, “barely move”"
FACTS = "memory on a card"
IS_ZERO = "“is exactly 0”, “holds Inf or NaN”"
ERRORS = "error introduced, inherited, bits left"
TIMES, BYTES_OF_TWO, LOSSES = "time of two precisions", "bytes of two precisions", "loss, held-out loss of two precisions"

# Names, files, versions and texts with a digit in them, and what people type.
WORDS = "|".join(
    f"{name}.*"
    for name in (
        "window", "documentT", "tab:", "file", "recent", "about", "licen", "node:", "nodeLabel", "frame", "palette", "search:", "menu", "block:", "breadcrumb:",
        "shortcut", "find:", "groupInterface", "interface:", "difference:", "ghost:", "tool", "param:", "parameters/", "tensor:", "docs:", "viewSettings/", "toast:remedy",
        "readingDialog/",
    )
)  # fmt: skip
CLAIMS = [
    (r"weightMap:(summary|list/)", r".*", "tensors of a file"),
    (r"export(:|Sheet/).*", r".*", "operators, opset"),
    (r"sizes(Sheet/|:.*)", r".*", "sizes of a model"),
    # While a graph trains.
    (r"runNumbers", r".*step [0-9]+ / [0-9]+ +training loss .*", "step", "training loss"),
    (r"runNumbers|runProgress", r".*", "step"),
    (r"toast:reason", r"Saved, with the weights of step [0-9]+", "step"),
    (r"status:notes", r"The weights are those (after step [0-9]+|before the first step).*", "step"),
    (r"toast:reason", r"Halfwire ended without saving.*", "step"),
    (r"runNumbers|/", r"Ready, (saved at|trained to) step [0-9]+.*", "step"),
    (r"evaluation:hint", r"First measured at step [0-9]+\.", "step"),
    (r"lossScale:words", r".*", "loss scale, steps left out"),
    (r"run:start tip", r".*takes about .*", "memory, before it runs"),
    (r"menu:keepOptimiser", r".*", "size of the optimiser's state"),
    (r"status:rate", NUMBER + " samples/s", "samples/s"),
    (r"status:lr", "learning rate " + NUMBER, "learning rate"),
    (r"status:memory", r"needs " + BYTES + "(, too much)?", "memory, before it runs"),
    (r"status:memory tip|plot:older", r".*[Ii]t needs about .* is free.*", "memory, before it runs"),
    (r"status:memory", BYTES, "memory, while it runs"),
    (r"status:elapsed|status:left", r".*", "time, time left"),
    (r"status:metrics( tip)?", r".*", "test metrics, such as accuracy", "loss on a split", "best step"),
    (r"losses/", r"validation [0-9.e-]+", "loss on a split"),
    (r"losses/", r"Over all .*", "test metrics, such as accuracy", "loss on a split", "best step"),
    (r"evaluation:(classes|matrix)/|evaluation:(cell|count:.*)", r".*", "precision, recall, F1, samples of a class; samples in a cell"),
    (r"evaluation:worst:.*", r".*", "loss of a sample, its place"),
    (r"losses/", NUMBER, "loss curve"),
    (r"losses/", r"step [0-9]+", "step"),
    (r"losses/", r"step [0-9]+   " + NUMBER, "step", "training loss"),
    (r"losses/", r"2\^[0-9]+", "loss scale, steps left out"),
    (r"transfer:.*", rf"(gradient: )?{BYTES} a step, \S+ → \S+", "bytes between devices"),
    (r"(node:)?device(:.*)?", r"(Graph's \()?(vulkan|cuda):.*", "memory of a GPU"),
    (r"status:notes( tip)?", r"The weights were trained on device [a-z]+(:[0-9]+)?; [a-z]+(:[0-9]+)? rounds otherwise\."),
    (r"canvas:tip", rf"(gradient: )?{BYTES} a step, .* → .*", "bytes between devices", "time between devices"),
    (r"losses/ tip", r"Norm of the gradient .*", GRADIENT),
    (r"losses/ tip", r"Norm of what a step changes .*", UPDATE),
    (r"(picture|image):status", r".*PSNR .*", "PSNR of a field", "width × height"),
    (r"reading:.*", NUMBER + r" [nµm]?s", "time on a card, `ms_per_step`"),
    (r"facts:.*|canvas:tip", r"([a-z0-9]+ · ){2}[a-z0-9]+.*|Stored as .*", "stored, computed, accumulated", FACTS),
    (r"facts:.*|canvas:tip", r".* (a step, mean|forward, measured).*", "time on a card, `ms_per_step`", "time of an evaluation"),
    (r"facts:.*|canvas:tip", r"Memory: .*", FACTS),
    (r"preview:.*", r".*", "preview on a card", TYPES, "width × height"),
    (r"batch.*", r"batch [0-9]+( of [0-9]+)?", "batch that is evaluated"),
    (r"input:(given|problem)", r".*", TYPES),
    (r"inspector/|parameters/", r"Draw here: .*", "width × height"),
    # Instruments.
    (r"heat:note", r".* steps looked at.*", "steps looked at, time of looking"),
    (r"heat:(scale|meaning).*|reading:.*", r".*", "what a card, a heat map's legend and a table are coloured by"),
    *(
        (place, TENSOR + line, *numbers)
        for place in (GAUGE, r"trouble:.* tip")
        for line, *numbers in (
            (r".* (underflows|overflows) .*", ROUNDED),
            (r".*is subnormal, below .*", COUNTS, "range and precision of a dtype"),
            (r".* saturated.*", COUNTS),
            (r".* zeros", COUNTS),
            (r".* zeros, magnitudes .*", COUNTS, "magnitudes, headroom"),
            (r"gradient norm .*", GRADIENT),
            (r"norm .*, update/weight .*", "norm of a weight", UPDATE),
            (r"norm .*", "norm of a weight"),
            (r"histogram of .*", "histogram"),
            (r".* (Inf|NaN) .*", NOT_FINITE),
            (r"stored × .*", "“stored × 1024”"),
        )
    ),
    (GAUGE, r"[a-z0-9]+ \[.*\]", TYPES),
    (r"canvas:tip|parameters/", r"[0-9]+\s*bit, max.*", "range and precision of a dtype"),
    (r"gradients:node:.*", r".*", GRADIENT),
    (r"losses/", r"[0-9]+ of [0-9]+ nodes", "nodes drawn"),
    (r"passes:.*", r"and [0-9]+ more\."),
    (r"gradients:verdict|/", r"Gradient (is exactly 0|holds Inf or NaN) .*", IS_ZERO),
    (r"gradients:verdict|/", r"Gradient (vanishes|explodes) .*|Weights of .* (barely move|change by).*", VERDICT),
    (r"gradients:verdict|/", r"Updates of .* are lost.*", "“updates are lost”"),
    (r"gradients:verdict/", r"\+ [0-9]+", VERDICT),
    (r"gradients:under", r"Not looked at between steps .*: looking took .*", "steps looked at, time of looking", "step"),
    (r"gradients:under", r".* at step .*", GRADIENT, UPDATE, "step"),
    # A node's tensors.
    (r"dice:.*|draws.*|/", r"Draws from .*", "seed, stream, step"),
    (r"jacobian:.*", r".*", "Jacobian"),
    (r"inspector/", r".*: stored .*", "stored, computed, accumulated"),
    (r"inspector/", r"[a-z0-9]+ · .*", TYPES, "step"),
    (r"inspector/", r"log.*|" + NUMBER, "histogram of magnitudes"),
    (r"inspector/", r"[0-9]+ [a-z]"),
    (r"stat:(min|max|mean|deviation)", NUMBER, "min, max, mean, std"),
    (r"stat:.*", NUMBER + r".*", "zero, subnormal, saturated, NaN, Inf, count"),
    (r"tensorTable.*|slice:.*", r"(/ )?" + NUMBER, "table, picture"),
    # Checks.
    (r"badValue:.*", r".*", "first Inf or NaN"),
    (r"toast:reason", r".* made (Inf|NaN) at .*", "first Inf or NaN"),
    (r"xray:.*", r".*", ERRORS),
    (r"canvas:tip", r" *introduced .*, inherited .* bits left", ERRORS),
    (r"/", r"\[.*\] is .*; in f64 on the same inputs .*", ERRORS),
    (r"parity:caption", r".* tensors compared, .*", "tensors compared"),
    (r"parity:.*", r".*(by name|by sizes|as mapped).*", "error ÷ allowed, beside a dump"),
    (r"parity:caption", r".*", "values with the same bits, within tolerance", "step"),
    (r"parity:.*", r".*", "error ÷ allowed"),
    (r"gradients:caption", r".*", "checks, kinks, wrong"),
    (r"gradients:row:.*", r".*", "adjoint, difference", "checks, kinks, wrong", "largest, error/tol"),
    (r"precision:row:[0-9]+", rf"(Training memory|Memory without training|– \S.*)  {BYTES}  {BYTES}  ({CHANGE})?", BYTES_OF_TWO),
    (r"precision:row:[0-9]+", r"Time (a step|an evaluation)  .*", TIMES),
    (r"precision:row:[0-9]+", r"(Held-out loss|Training loss|Output error.*)  .*", LOSSES),
    (r"precision:row:[0-9]+/", BYTES, BYTES_OF_TWO),
    (r"precision:row:[0-9]+/", NUMBER + r" [nµm]?s", TIMES),
    (r"precision:row:[0-9]+/", NUMBER, LOSSES),
    (r"precision:row:[0-9]+/", CHANGE, LOSSES, BYTES_OF_TWO, TIMES),
    (r"precision:verdict", r"[0-9]+ steps each, in turns; held out: seed [0-9]+\..*", "seed, stream, step", "step"),
    (r"precision:verdict", r"The changed graph failed: .*|[^.]*\. Nothing within the budget .*", TYPES, "seed, stream, step", "step"),
    (r"precision:verdict", r"[^.]*\. The rise is the mean of [0-9]+ seeds\.", "seed, stream, step"),
    (r"precision:details/", rf"({CHANGE}|{NUMBER}|failed|Inf|NaN)   ({CHANGE}|not measured)   (short run|full length): .*", LOSSES, TIMES),
    (r"precision:detail:.*", r".* rounds [0-9]+ significant bits to [0-9]+\.", "range and precision of a dtype"),
    (r"precision:doing", r"Step [0-9]+ of [0-9]+", "step"),
    (r"precision:(budget|steps|repeats)", r"[-0-9.]+"),  # typed
    (r"rewrite:verdict:.*", r".*", "distance from the f64 result, allowed"),
    (r"rewriteSheet/", r".*1 × 1 [cC]onvolution.*"),
    # Problems.
    (r"precision:(budget|counts):error", r".* must be a .*number .*", TYPES),
    (r"status:problems|problems:tabs:.*", r".*", "number of problems, of node types"),
    (r"problem:.*", r".* texels on the surface.*", "detail: texels on the surface"),
    (r"problem:.*", r".*(takes about|this machine has).*", "memory, before it runs"),
    (r"problem.*|wrong:.*|remedy:.*|toast:reason", r".*", TYPES),
    (r"dtype:.*", r".*", "range and precision of a dtype", "stored, computed, accumulated"),
    # Canvas and views.
    (r"socket:.*/", r"8|16|32|64", TYPES),
    (r"socket:.*/", r"(Input|Output) [0-9]+"),  # of an operator that is not read
    (r"canvas:tip", r"Positions in \[0, 1\]; see Normalise\."),
    (r"breadcrumbs:shared", r"[0-9]+ other instances? follows?", "other instances, selected nodes"),
    (r"inspector/", r"[0-9]+ nodes", "other instances, selected nodes"),
    (r"viewport:frameTime/?", NUMBER + " ms", "frame time"),
    (r"canvas:zoom/?", r"[0-9]+ %", "zoom"),
    (r"compare:(summary|place)/?", r".*", "differences of two graphs"),
    (r"canvas:tip", r"[a-z_ ]+: .* → .*"),  # what a parameter was and is
    (r"find:count", r"[0-9]+ (found|of [0-9]+)", "nodes found"),
    (r"wireLabel:.*", r".*", TYPES),
    (r"example:.*/", r"[0-9]+ nodes", "nodes, links, errors"),
    (r"example:.*", r"\D+ [23]D"),
    (r"/", r"[0-9]+ (nodes?|fit, ).*", "number of problems, of node types"),
    (r"plot:.*", rf".* {NUMBER}", "ends of an axis, values under the pointer"),
    (r"plotPanel/|gradients:node:.*/|(gradients|updates)[^:]*/", rf"{NUMBER}|2\^-?[0-9]+", "ends of an axis, values under the pointer"),
    (r"(gradients|updates).*/", r"step [0-9]+", "step"),
    (r"image:.*|picture:.*", r".*", "table, picture", "width × height"),
    (r"bake:result", r".*", "texels on the surface, seconds", "width × height"),
    (r"bake:size", r"[0-9]+ × [0-9]+", "width × height"),
    (r"tip", r".*"),  # on the screen: it was read at its item
    (r"viewport:status", r"Saved .*"),
    (r"/", r"Back to .*|Halfwire .*|Layout: .*|What both factors .*"),
    (WORDS, r".*"),
    (r"canvas:tip", r".*", "preview on a card", TYPES, "width × height"),
]


def window_figures():
    return Figures(CLAIMS)
