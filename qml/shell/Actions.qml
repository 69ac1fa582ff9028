// What the menus, the tool bar and the keys do, once each.
import QtQuick
import QtQuick.Templates as T
import Halfwire.App

Item {
    id: root
    required property var files   // FileFlow
    signal cyclePanels(int step)

    property alias newFile: newFile
    property alias open: open
    property alias save: save
    property alias saveAs: saveAs
    property alias closeDocument: closeDocument
    property alias nextDocument: nextDocument
    property alias exportBaked: exportBaked
    property alias quit: quit
    property alias undo: undo
    property alias redo: redo
    property alias run: run
    property alias pause: pause
    property alias step: step
    property alias stop: stop
    property alias restart: restart
    property alias saveCheckpoint: saveCheckpoint
    property alias resumeFrom: resumeFrom
    property alias nextProblem: nextProblem

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
        id: run
        text: App.run.paused ? qsTr("Resume") : App.run.started ? qsTr("Train on") : qsTr("Run")
        shortcut: "Ctrl+Return"
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.start()
    }
    T.Action {
        id: pause
        text: qsTr("Pause")
        enabled: App.run.running
        onTriggered: App.run.pause()
    }
    T.Action {
        id: step
        text: qsTr("One Step")
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.stepOnce()
    }
    T.Action {
        id: stop
        text: qsTr("Stop")
        shortcut: "Ctrl+Alt+Return"
        enabled: App.run.running || App.run.paused
        onTriggered: App.run.stop()
    }
    T.Action {
        id: restart
        text: qsTr("Forget Weights")
        enabled: App.run.started && !App.run.running
        onTriggered: App.run.restart()
    }
    T.Action {
        id: saveCheckpoint
        text: qsTr("Save Checkpoint…")
        enabled: App.run.started
        onTriggered: root.files.saveCheckpoint()
    }
    T.Action {
        id: resumeFrom
        text: qsTr("Resume from Checkpoint…")
        enabled: !App.run.running && !App.document.empty
        onTriggered: root.files.resumeFrom()
    }
    T.Action {
        id: nextProblem
        text: qsTr("Next Problem")
        shortcut: "F8"
        enabled: App.problems.count > 0
        onTriggered: App.problems.revealNext()
    }
    Shortcut {
        sequences: ["Ctrl+Shift+Tab", "Ctrl+Shift+Backtab"]
        enabled: nextDocument.enabled
        onActivated: App.documents.cycle(-1)
    }
    Shortcut {
        sequence: "Ctrl+Y"
        enabled: App.document.canRedo
        onActivated: App.document.redo()
    }
    Shortcut {
        sequence: "Ctrl+Enter"  // the keypad's
        enabled: run.enabled
        onActivated: run.trigger()
    }
    Shortcut {
        sequence: "Shift+F8"
        onActivated: App.problems.revealNext(-1)
    }
    Shortcut {
        sequence: "F6"
        onActivated: root.cyclePanels(1)
    }
    Shortcut {
        sequence: "Shift+F6"
        onActivated: root.cyclePanels(-1)
    }
}
