// What the menus, the tool bar and the keys do, once each.
import QtQuick
import QtQuick.Templates as T
import Halfwire.App

Item {
    id: root
    required property var files   // FileFlow
    signal cyclePanels(int step)
    signal findRequested()
    signal shortcutsRequested()
    signal dtypesRequested()
    signal aboutRequested()
    signal reportRequested()
    /// Everything here that has keys, for the shortcuts sheet: {title, entries: [{text, keys}]}.
    function groups() {
        const rows = list => list.reduce((all, a) => {
            const keys = String(a.shortcut ?? a.nativeText), last = all[all.length - 1];
            if (last?.text === a.text)
                last.keys += ", " + keys;
            else
                all.push({ text: a.text, keys: keys });
            return all;
        }, []);
        return [
            { title: qsTr("File"), entries: rows([newFile, open, save, saveAs, closeDocument, nextDocument, previousDocument, quit]) },
            { title: qsTr("Edit"), entries: rows([undo, redo, redoToo, find]) },
            { title: qsTr("Run"), entries: rows(runs.withKeys) },
            { title: qsTr("Window"), entries: rows([heatMap, nextPanel, previousPanel, shortcuts]) }
        ];
    }

    property alias newFile: newFile
    property alias open: open
    property alias save: save
    property alias saveAs: saveAs
    property alias closeDocument: closeDocument
    property alias nextDocument: nextDocument
    property alias exportBaked: exportBaked
    property alias quit: quit
    property alias runs: runs
    property alias undo: undo
    property alias redo: redo
    property alias find: find
    property alias heatMap: heatMap
    property alias shortcuts: shortcuts
    property alias dtypes: dtypes
    property alias about: about
    property alias report: report

    RunActions {
        id: runs
        files: root.files
    }
    T.Action {
        id: newFile
        text: qsTr("New")
        shortcut: "Ctrl+N"
        onTriggered: root.files.newDocument()
    }
    T.Action {
        id: open
        text: qsTr("Open…")
        shortcut: "Ctrl+O"
        onTriggered: root.files.open()
    }
    T.Action {
        id: save
        text: qsTr("Save")
        shortcut: "Ctrl+S"
        onTriggered: root.files.save()
    }
    T.Action {
        id: saveAs
        text: qsTr("Save As…")
        shortcut: "Ctrl+Shift+S"
        onTriggered: root.files.saveAs()
    }
    T.Action {
        id: closeDocument
        text: qsTr("Close")
        shortcut: "Ctrl+W"
        onTriggered: root.files.closeDocument(App.documents.current)
    }
    T.Action {
        id: nextDocument
        text: qsTr("Next Document")
        shortcut: "Ctrl+Tab"
        enabled: App.documents.count > 1
        onTriggered: App.documents.cycle(1)
    }
    T.Action {
        id: exportBaked
        text: qsTr("Export Baked Mesh…")
        shortcut: "Ctrl+Shift+E"
        enabled: App.bake.possible
        onTriggered: root.files.exportBaked()
    }
    T.Action {
        id: quit
        text: qsTr("Quit")
        shortcut: "Ctrl+Q"
        onTriggered: root.files.window.close()
    }
    T.Action {
        id: undo
        text: App.document.undoText ? qsTr("Undo %1").arg(App.document.undoText) : qsTr("Undo")
        shortcut: "Ctrl+Z"
        enabled: App.document.canUndo
        onTriggered: App.document.undo()
    }
    T.Action {
        id: redo
        text: App.document.redoText ? qsTr("Redo %1").arg(App.document.redoText) : qsTr("Redo")
        shortcut: "Ctrl+Shift+Z"
        enabled: App.document.canRedo
        onTriggered: App.document.redo()
    }
    T.Action {
        id: find
        text: qsTr("Find in Graph…")
        shortcut: "Ctrl+F"
        onTriggered: root.findRequested()
    }
    HeatMapAction { id: heatMap }
    T.Action {
        id: shortcuts
        text: qsTr("Keyboard Shortcuts")
        shortcut: "F1"
        onTriggered: root.shortcutsRequested()
    }
    T.Action {
        id: dtypes
        text: qsTr("Number Formats")
        onTriggered: root.dtypesRequested()
    }
    T.Action {
        id: report
        text: qsTr("Report a Problem…")
        onTriggered: root.reportRequested()
    }
    T.Action {
        id: about
        text: qsTr("About Halfwire")
        onTriggered: root.aboutRequested()
    }
    Key {
        sequence: "?"
        onActivated: root.shortcutsRequested()
    }
    Key {
        id: previousDocument
        text: qsTr("Previous Document")
        sequence: "Ctrl+Shift+Tab"
        enabled: nextDocument.enabled
        onActivated: App.documents.cycle(-1)
    }
    Key {
        sequence: "Ctrl+Shift+Backtab"  // what X11 makes of it
        enabled: nextDocument.enabled
        onActivated: App.documents.cycle(-1)
    }
    Key {
        id: redoToo
        text: qsTr("Redo")
        sequence: "Ctrl+Y"
        enabled: App.document.canRedo
        onActivated: App.document.redo()
    }
    Key {
        id: nextPanel
        text: qsTr("Next Panel")
        sequence: "F6"
        onActivated: root.cyclePanels(1)
    }
    Key {
        id: previousPanel
        text: qsTr("Previous Panel")
        sequence: "Shift+F6"
        onActivated: root.cyclePanels(-1)
    }
}
