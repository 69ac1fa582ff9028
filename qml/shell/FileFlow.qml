// New, open, save and close, with the question about unsaved changes between.
import QtQuick
import QtQuick.Dialogs
import Halfwire
import Halfwire.App

Item {
    id: root
    required property var window
    property var next: null  // what to do once the changes are settled

    function newDocument() { settle(() => App.document.newDocument()); }
    function open() {
        settle(() => {
            openDialog.currentFolder = App.folderOf(App.document.path);
            openDialog.open();
        });
    }
    function openFile(file: url) { settle(() => App.document.load(file)); }
    function save() {
        if (App.document.path === "")
            saveAs();
        else
            finish(App.document.save());
    }
    function saveAs() {
        saveDialog.currentFolder = App.folderOf(App.document.path);
        saveDialog.selectedFile = saveDialog.currentFolder + "/" + App.document.title + ".halfwire";
        saveDialog.open();
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
    FileDialog {
        id: openDialog
        title: qsTr("Open a graph")
        nameFilters: [qsTr("Halfwire graphs (*.halfwire)"), qsTr("All files (*)")]
        onAccepted: App.document.load(selectedFile)
    }
    FileDialog {
        id: saveDialog
        title: qsTr("Save the graph")
        fileMode: FileDialog.SaveFile
        acceptLabel: qsTr("Save")
        defaultSuffix: "halfwire"
        nameFilters: [qsTr("Halfwire graphs (*.halfwire)")]
        onAccepted: root.finish(App.document.saveAs(selectedFile))
        onRejected: root.finish(false)
    }
}
