// New, open, save and close, with the question about unsaved changes between.
import QtQuick
import Halfwire
import Halfwire.App

Item {
    id: root
    required property var window
    property var next: null  // what to do once the changes are settled

    function newDocument() { settle(() => App.document.newDocument()); }
    function open() {
        settle(() => openDialog.openIn(App.folderOf(App.document.path), ""));
    }
    function openFile(file: url) { settle(() => App.document.load(file)); }
    function save() {
        if (App.document.path === "")
            saveAs();
        else
            finish(App.document.save());
    }
    function saveAs() {
        saveDialog.openIn(App.folderOf(App.document.path), App.document.title + ".halfwire");
    }
    /// Runs `action` now, or after the person has saved or given up the changes.
    function settle(action) {
        if (!App.document.modified)
            return action();
        next = action;
        question.open();
    }
    function finish(saved: bool) {
        const action = next;
        next = null;
        if (saved && action)
            action();
    }

    UnsavedDialog {
        id: question
        onSaveChosen: root.save()
        onDiscardChosen: root.finish(true)
        onCancelChosen: root.finish(false)
    }
    FileChooser {
        id: openDialog
        title: qsTr("Open a graph")
        filters: ["*.halfwire"]
        onAccepted: file => App.document.load(file)
    }
    FileChooser {
        id: saveDialog
        title: qsTr("Save the graph")
        acceptLabel: qsTr("Save")
        saving: true
        filters: ["*.halfwire"]
        onAccepted: file => root.finish(App.document.saveAs(file))
        onRejected: root.finish(false)
    }
}
