// New, open, save and close, with the question about unsaved changes between.
import QtQuick
import Halfwire
import Halfwire.App

Item {
    id: root
    required property var window
    property var next: null  // what to do once the changes are settled

    function newDocument() { App.documents.add(); }
    function open() { openDialog.openIn(App.folderOf(App.document.path), ""); }
    function compareWith() { compareDialog.openIn(App.folderOf(App.document.path), ""); }
    function openFile(file: url) { App.documents.open(file); }
    /// Closes a tab, after the question when there are changes.
    function closeDocument(row: int) {
        if (App.documents.modifiedFrom(row) !== row)
            return App.documents.close(row);
        App.documents.current = row;
        ask(() => App.documents.close(row));
    }
    /// Runs `action` once the changes of every document are saved or given up.
    function settleAll(action, row = 0) {
        const at = App.documents.modifiedFrom(row);
        if (at < 0)
            return action();
        App.documents.current = at;
        ask(() => settleAll(action, at + 1));
    }
    function save() {
        if (App.document.path === "")
            saveAs();
        else if (App.document.changedOutside())
            outside.open();
        else
            finish(settled(App.document.save()));
    }
    /// Where something follows that cannot be taken back, weights that could not be written stop it.
    function settled(saved: bool): bool { return saved && (!next || App.document.weights.written()); }
    function saveAs() {
        saveDialog.openIn(App.folderOf(App.document.path), App.document.title + ".halfwire");
    }
    function saveCheckpoint() {
        checkpointDialog.openIn(App.folderOf(App.document.path), App.document.title + ".checkpoint.safetensors");
    }
    function resumeFrom() { resumeDialog.openIn(App.folderOf(App.document.path), ""); }
    function loadWeights() { weightsDialog.openIn(App.folderOf(App.document.path), ""); }
    function forgetWeights() { forget.open(); }
    function exportBaked() { bakeDialog.open(); }
    /// Runs `action` after the user has saved or discarded the changes of the current document.
    function ask(action) {
        next = action;
        question.open();
    }
    function finish(saved: bool) {
        const action = next;
        next = null;
        if (saved && action)
            action();
    }

    QuestionDialog {
        id: question
        onSaveChosen: root.save()
        onDiscardChosen: root.finish(true)
        onCancelChosen: root.finish(false)
    }
    QuestionDialog {
        id: outside
        key: "outside"
        heading: qsTr("“%1” was changed by another program.").arg(App.document.title)
        detail: qsTr("Its file is another than the one that was opened or saved here. Saving replaces it.")
        saveLabel: qsTr("Save as…")
        discardLabel: qsTr("Replace")
        onSaveChosen: root.saveAs()
        onDiscardChosen: root.finish(root.settled(App.document.save()))
        onCancelChosen: root.finish(false)
    }
    QuestionDialog {
        id: reading
        property var files: []
        key: "reading"
        heading: qsTr("“%1” asks to read files outside its folder.").arg(App.document.title)
        detail: files.join("\n") + "\n\n" + qsTr("Allow it only if you trust the graph. A model may then read its textures below its own folder, too. It holds until the graph is closed.")
        saveLabel: ""
        discardLabel: qsTr("Allow")
        onDiscardChosen: App.problems.allowReading(reading.files)
    }
    Connections {
        target: App.problems
        function onReadingAsked(files) {
            reading.files = reading.visible ? reading.files.concat(files) : files;
            reading.open();
        }
    }
    QuestionDialog {
        id: forget
        key: "forget"
        heading: qsTr("Forget the trained weights of “%1”?").arg(App.document.title)
        detail: qsTr("Undo does not bring them back. What was last saved stays in its file.")
        saveLabel: App.run.started ? qsTr("Save a Checkpoint…") : ""
        discardLabel: qsTr("Forget")
        onSaveChosen: root.saveCheckpoint()
        onDiscardChosen: App.run.restart()
    }
    BakeDialog {
        id: bakeDialog
    }
    FileChooser {
        id: openDialog
        title: qsTr("Open a graph or an ONNX model")
        filters: ["*.halfwire", "*.onnx"]
        onAccepted: file => App.documents.open(file)
    }
    FileChooser {
        id: weightsDialog
        title: qsTr("Load weights")
        filters: ["*.safetensors", "*.safetensors.index.json", "*.gguf"]
        onAccepted: file => App.weightMap.read(file)
    }
    FileChooser {
        id: compareDialog
        title: qsTr("Compare with a graph")
        acceptLabel: qsTr("Compare")
        filters: ["*.halfwire"]
        onAccepted: file => App.graph.comparison.withFile(file)
    }
    FileChooser {
        id: checkpointDialog
        title: qsTr("Save a checkpoint")
        acceptLabel: qsTr("Save")
        saving: true
        filters: ["*.safetensors"]
        onAccepted: file => App.run.saveCheckpoint(file)
    }
    FileChooser {
        id: resumeDialog
        title: qsTr("Resume from a checkpoint")
        filters: ["*.safetensors"]
        onAccepted: file => App.run.resumeFrom(file)
    }
    FileChooser {
        id: saveDialog
        title: qsTr("Save the graph")
        acceptLabel: qsTr("Save")
        saving: true
        filters: ["*.halfwire"]
        onAccepted: file => root.finish(root.settled(App.document.saveAs(file)))
        onRejected: root.finish(false)
    }
}
