// Export of the graph's Outputs as a model of ONNX: its opset, what is in the way, a file, and what was written. Enter
// chooses the file, Esc closes.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Sheet {
    id: root
    readonly property var model: App.onnxExport
    /// What the list of nodes, or of notes, may take of the window.
    readonly property real room: parent ? Math.max(120, parent.height - 380) : 300

    /// Why there is nothing to export, or why the file was not written; "" where neither is.
    readonly property string trouble: model.problem !== "" ? model.problem : model.failure
    readonly property string inTheWay: list.count === 1 ? qsTr("1 node cannot be exported to opset %1:").arg(opset.displayText)
        : qsTr("%1 nodes cannot be exported to opset %2:").arg(list.count).arg(opset.displayText)

    title: qsTr("Export to ONNX")
    width: Math.min(680, parent ? parent.width - 2 * Theme.space6 : 680)
    onOpened: {
        model.look();
        opset.forceActiveFocus();
    }

    component Line: Text {
        width: parent.width
        color: Theme.textMuted
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }

    FileChooser {
        id: target
        title: qsTr("Export to ONNX")
        acceptLabel: qsTr("Export")
        saving: true
        filters: ["*.onnx"]
        onAccepted: file => root.model.start(file)
        onClosed: choose.forceActiveFocus()
    }
    Column {
        objectName: "exportSheet"
        width: parent.width
        spacing: Theme.space3
        Line {
            text: qsTr("What the Outputs are made of, in evaluation mode and in the dtypes of the graph, with the current weights in the same file. Symbolic axes of Inputs stay symbolic.")
        }
        Row {
            spacing: Theme.space6
            Row {
                spacing: Theme.space2
                TextLabel {
                    height: Theme.control
                    text: qsTr("Opset")
                }
                ChoiceBox {
                    id: opset
                    objectName: "export:opset"
                    width: 96
                    enabled: !root.model.writing
                    model: root.model.opsets
                    currentIndex: root.model.choice
                    Accessible.name: qsTr("Opset, the version of ONNX's operators")
                    footnote: qsTr("The version of ONNX's operators. Newer ones have more of them; older ones are read by more programs.")
                    onActivated: index => {
                        root.model.choice = index;
                        currentIndex = Qt.binding(() => root.model.choice);
                    }
                }
            }
            Row {
                spacing: Theme.space2
                opacity: functions.enabled ? 1 : 0.5
                Toggle {
                    id: functions
                    objectName: "export:functions"
                    anchors.verticalCenter: parent.verticalCenter
                    enabled: root.model.hasGroups && !root.model.writing
                    checked: root.model.functions
                    Accessible.name: qsTr("Groups as functions")
                    onToggled: {
                        root.model.functions = checked;
                        checked = Qt.binding(() => root.model.functions);
                    }
                }
                TextLabel {
                    height: Theme.control
                    text: qsTr("Groups as functions")
                    tip: root.model.hasGroups ? qsTr("Each group is a local function of the model, its instances are calls.") : qsTr("The graph has no groups.")
                    TapHandler { onTapped: if (functions.enabled) functions.toggle(), functions.toggled() }
                }
            }
        }
        Rectangle {
            width: parent.width
            height: 1
            color: Theme.line
        }
        Row {
            width: parent.width
            spacing: Theme.space2
            Icon {
                id: sign
                anchors.top: parent.top
                visible: !root.model.busy
                name: root.trouble !== "" ? Icons.error : list.count > 0 ? Icons.warning : Icons.ok
                color: root.trouble !== "" ? Theme.error : list.count > 0 ? Theme.warning : Theme.ok
            }
            Line {
                objectName: "export:state"
                width: parent.width - (sign.visible ? sign.width + parent.spacing : 0)
                color: sign.visible ? Theme.text : Theme.textMuted
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                text: root.model.writing ? qsTr("Writing…")
                    : root.model.busy ? qsTr("Looking for what cannot be exported…")
                    : root.trouble !== "" ? root.trouble
                    : list.count > 0 ? root.inTheWay
                    : root.model.file !== "" ? qsTr("Written: %1\n%2").arg(root.model.file).arg(root.model.summary)
                    : qsTr("Every node can be exported.")
            }
        }
        ListView {
            id: list
            objectName: "export:list"
            visible: count > 0
            width: parent.width
            height: Math.min(contentHeight, root.room)
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            model: root.model
            Accessible.role: Accessible.List
            Accessible.name: qsTr("What cannot be exported")
            T.ScrollBar.vertical: ThinScrollBar {}
            delegate: ExportRow {
                width: list.width
                onChosen: row => {
                    root.close();
                    root.model.reveal(row);
                }
                onActiveFocusChanged: if (activeFocus) list.positionViewAtIndex(index, ListView.Contain)
            }
        }
        Flickable {
            visible: root.model.notes.length > 0
            width: parent.width
            height: Math.min(contentHeight, root.room)
            contentHeight: notes.height
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: ThinScrollBar {}
            Column {
                id: notes
                width: parent.width
                spacing: Theme.space2
                Repeater {
                    model: root.model.notes
                    Line {
                        required property int index
                        required property string modelData
                        objectName: "export:note:" + index
                        width: notes.width - Theme.space3
                        text: modelData
                        wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                    }
                }
            }
        }
        Row {
            anchors.right: parent.right
            spacing: Theme.space2
            PushButton {
                objectName: "export:close"
                text: qsTr("Close")
                onClicked: root.close()
            }
            PushButton {
                id: choose
                objectName: "export:choose"
                primary: enabled
                enabled: root.model.ready
                text: qsTr("Choose a File…")
                onClicked: target.openIn(App.folderOf(App.document.path), App.document.title + ".onnx")
            }
        }
    }
}
