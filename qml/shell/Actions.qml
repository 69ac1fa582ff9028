// What the menus, the tool bar and the keys do, once each.
import QtQuick
import Halfwire
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
    signal rewriteRequested()
    signal exportRequested()

    property alias newFile: newFile
    property alias open: open
    property alias save: save
    property alias saveAs: saveAs
    property alias closeDocument: closeDocument
    property alias nextDocument: nextDocument
    property alias exportBaked: exportBaked
    property alias exportOnnx: exportOnnx
    property alias compareWith: compareWith
    property alias compareSaved: compareSaved
    property alias quit: quit
    property alias runs: runs
    property alias undo: undo
    property alias redo: redo
    property alias find: find
    property alias rewrite: rewrite
    property alias heatMap: heatMap
    property alias shortcuts: shortcuts
    property alias dtypes: dtypes
    property alias about: about
    property alias report: report

    RunActions {
        id: runs
        files: root.files
    }
    KeyAction {
        id: newFile
        name: "file.new"
        onTriggered: root.files.newDocument()
    }
    KeyAction {
        id: open
        name: "file.open"
        onTriggered: root.files.open()
    }
    KeyAction {
        id: save
        name: "file.save"
        onTriggered: root.files.save()
    }
    KeyAction {
        id: saveAs
        name: "file.saveAs"
        onTriggered: root.files.saveAs()
    }
    KeyAction {
        id: closeDocument
        name: "file.close"
        onTriggered: root.files.closeDocument(App.documents.current)
    }
    KeyAction {
        id: nextDocument
        name: "file.next"
        enabled: App.documents.count > 1
        onTriggered: App.documents.cycle(1)
    }
    KeyAction {
        id: exportOnnx
        name: "file.exportOnnx"
        enabled: !App.document.empty
        onTriggered: root.exportRequested()
    }
    KeyAction {
        id: exportBaked
        name: "file.exportBaked"
        enabled: App.bake.possible
        onTriggered: root.files.exportBaked()
    }
    KeyAction {
        id: compareWith
        name: "file.compareWith"
        onTriggered: root.files.compareWith()
    }
    KeyAction {
        id: compareSaved
        name: "file.compareSaved"
        enabled: App.document.path !== ""
        onTriggered: App.graph.comparison.withSaved()
    }
    KeyAction {
        id: quit
        name: "file.quit"
        onTriggered: root.files.window.close()
    }
    KeyAction {
        id: undo
        name: "edit.undo"
        text: App.document.undoText ? qsTr("Undo %1").arg(App.document.undoText) : qsTr("Undo")
        enabled: App.document.canUndo
        onTriggered: App.document.undo()
    }
    KeyAction {
        id: redo
        name: "edit.redo"
        text: App.document.redoText ? qsTr("Redo %1").arg(App.document.redoText) : qsTr("Redo")
        enabled: App.document.canRedo
        onTriggered: App.document.redo()
    }
    KeyAction {
        id: rewrite
        name: "edit.rewrite"
        enabled: !App.document.empty
        onTriggered: root.rewriteRequested()
    }
    KeyAction {
        id: find
        name: "edit.find"
        onTriggered: root.findRequested()
    }
    KeyAction {
        name: "compare.next"
        enabled: App.graph.comparison.on
        onTriggered: App.graph.comparison.step(1)
    }
    KeyAction {
        name: "compare.previous"
        enabled: App.graph.comparison.on
        onTriggered: App.graph.comparison.step(-1)
    }
    HeatMapAction { id: heatMap }
    KeyAction {
        id: shortcuts
        name: "help.shortcuts"
        onTriggered: root.shortcutsRequested()
    }
    KeyAction {
        id: dtypes
        name: "help.dtypes"
        onTriggered: root.dtypesRequested()
    }
    KeyAction {
        id: report
        name: "help.report"
        onTriggered: root.reportRequested()
    }
    KeyAction {
        id: about
        name: "help.about"
        onTriggered: root.aboutRequested()
    }
    KeyAction {
        name: "file.previous"
        enabled: nextDocument.enabled
        onTriggered: App.documents.cycle(-1)
    }
    KeyAction {
        name: "window.nextPanel"
        onTriggered: root.cyclePanels(1)
    }
    KeyAction {
        name: "window.previousPanel"
        onTriggered: root.cyclePanels(-1)
    }
}
