"""Training with a validation split in the real program: its loss is a second curve, the status bar names the split, the best weights are
kept, and the Evaluation tab shows the confusion matrix, a row for each class and the worst samples. Keeps its screenshots in the output
folder."""

import json
import os
import re
import tempfile

from desktop import Editor, called_with, end_with, expect
from digits import write_digits

GRAPH = {
    "halfwire": 1,
    "nodes": [
        {"id": "data", "type": "dataset_source", "at": [0, 0], "params": {"path": "data", "validation": 0.25}},
        {"id": "batch", "type": "batch", "at": [280, 0], "params": {"batch_size": 32}},
        {"id": "flat", "type": "reshape", "at": [560, 0], "params": {"shape": [-1, 784]}},
        {"id": "scores", "type": "linear", "at": [840, 0], "params": {"out_features": 10}},
        {"id": "loss", "type": "cross_entropy", "at": [1120, 0]},
        {"id": "accuracy", "type": "accuracy", "at": [1120, 160]},
        {"id": "confusion", "type": "confusion_matrix", "at": [1120, 320]},
        {"id": "worst", "type": "worst_samples", "at": [1120, 480], "params": {"count": 6}},
        {"id": "train", "type": "train", "at": [1400, 0], "params": {"steps": 60, "evaluate_every": 10, "learning_rate": 0.01}},
    ],
    "links": [["data.data", "batch.data"], ["batch.x", "flat.x"], ["flat.y", "scores.x"], ["scores.y", "loss.logits"], ["batch.labels", "loss.labels"], ["scores.y", "accuracy.logits"], ["batch.labels", "accuracy.labels"], ["scores.y", "confusion.logits"], ["batch.labels", "confusion.labels"], ["batch.x", "worst.sample"], ["scores.y", "worst.logits"], ["batch.labels", "worst.labels"], ["loss.loss", "train.loss"]],
}  # fmt: skip


def main():
    options = called_with()
    folder = tempfile.mkdtemp(prefix="halfwire-ui-")
    write_digits(os.path.join(folder, "data"))
    path = os.path.join(folder, "graph.halfwire")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(GRAPH, file)

    with Editor(options.binary, options.out, path, name="evaluation") as app:
        app.wait_item("node:train")
        app.click("losses:tabs:Evaluation")
        app.wait_item("evaluation:hint")
        expect(app.text("evaluation:hint") == "First measured at step 10.", app.text("evaluation:hint"))
        app.shot("before")
        app.click("losses:tabs:Loss")
        app.click("run:start")
        app.wait_for("trained", lambda i: "step 60 / 60" in i["runNumbers"]["text"])
        app.wait_item("loss:legend")
        app.wait_for("the test split", lambda i: "test, step" in i.get("status:metrics", {}).get("text", ""))
        expect(re.match(r"Accuracy [0-9.]+ %  Loss [0-9.]+  test, step [0-9]+$", app.text("status:metrics")), app.text("status:metrics"))
        app.shot("curves")

        app.click("losses:tabs:Evaluation")
        app.wait_item("evaluation:matrix")
        x, y = app.centre("losses:tabs:Evaluation")

        def scroll_to(name):
            for _ in range(60):
                if name in app.items():
                    return
                app.wheel(5, 1, (x, y + 100))
            expect(False, f"{name} is not below")

        scroll_to("evaluation:cell")
        app.move(*app.centre("evaluation:matrix"))
        app.wait_for("a cell is read", lambda i: " of " in i.get("evaluation:cell", {}).get("text", ""))
        expect(re.match(r"[0-9] (taken for [0-9]|recognised): [0-9]+ of [0-9]+$", app.text("evaluation:cell")), app.text("evaluation:cell"))
        diagonal = next(name for name in app.items() if re.fullmatch(r"evaluation:count:([0-9]):\1", name))
        app.move(*app.centre(diagonal))
        app.wait_for("the cell's own number is read", lambda i: f"recognised: {i[diagonal]['text']} of " in i.get("evaluation:cell", {}).get("text", ""))
        app.shot("matrix")
        scroll_to("evaluation:classes")
        app.shot("classes")
        scroll_to("evaluation:worst:5")
        app.shot("worst")


if __name__ == "__main__":
    end_with(main)
