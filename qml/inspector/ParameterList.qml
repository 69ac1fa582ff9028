// The parameters of the active node, and its problems above them.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Canvas
import Halfwire.Models

Flickable {
    id: root
    required property Document document
    required property GraphEdits edits
    required property InspectorModel inspector
    required property GroupInterfaceModel groupInterface
    required property RunModel run
    required property DeviceModel devices
    required property InputValues inputs
    required property JacobianModel jacobian
    objectName: "parameters"
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    contentHeight: rows.height
    interactive: !dragged.visible
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Parameters")
    T.ScrollBar.vertical: ThinScrollBar {}

    DraggedNode {
        id: dragged
        objectName: "draggedParameter"
        document: root.document
        kind: "parameter"
        onTaken: root.inspector.setPromoted(nodeType, true)
        onVisibleChanged: DragState.parameter = visible ? title : ""
    }
    Connections {
        target: root.inspector
        function onNodeChanged() { root.contentY = 0; }
    }
    Column {
        id: rows
        width: root.width
        topPadding: Theme.space2

        FlagChips {
            width: root.width
            inspector: root.inspector
            edits: root.edits
        }
        Repeater {
            model: root.inspector.problems
            Item {
                required property var modelData
                readonly property bool isError: modelData.severity === "error"
                width: root.width
                height: reason.implicitHeight + 3 * Theme.space2
                Rectangle {
                    x: Theme.space2
                    width: parent.width - 2 * Theme.space2
                    height: parent.height - Theme.space2
                    radius: Theme.radius
                    color: parent.isError ? Theme.errorDim : Theme.warningDim
                    Icon {
                        x: Theme.space2
                        y: Theme.space2
                        name: parent.parent.isError ? Icons.error : Icons.warning
                        color: parent.parent.isError ? Theme.error : Theme.warning
                    }
                    Text {
                        id: reason
                        x: Theme.icon + Theme.space4
                        y: Theme.space2
                        width: parent.width - x - Theme.space2
                        text: modelData.reason
                        color: Theme.text
                        wrapMode: Text.Wrap
                        font.family: Theme.family
                        font.pixelSize: Theme.sizeBody
                    }
                }
            }
        }
        InputValue {
            width: root.width
            model: root.inputs
            inspector: root.inspector
            document: root.document
        }
        Repeater {
            id: parameters
            model: root.inspector
            ParameterRow {
                width: root.width
                inspector: root.inspector
                document: root.document
                carrier: dragged
            }
        }
        DrawsRow {
            width: root.width
            inspector: root.inspector
        }
        DeviceRow {
            width: root.width
            inspector: root.inspector
            devices: root.devices
            run: root.run
        }
        WeightRows {
            width: root.width
            inspector: root.inspector
        }
        GroupInterface {
            width: root.width
            model: root.groupInterface
            document: root.document
            visible: root.groupInterface.shown && root.inspector.isGroup && !root.inspector.several
        }
        JacobianView {
            width: root.width
            model: root.jacobian
            visible: model.offered && !root.inspector.several
        }
        Text {
            visible: parameters.count === 0
            x: Theme.space3
            width: root.width - 2 * Theme.space3
            wrapMode: Text.Wrap
            text: root.inspector.several ? qsTr("These nodes have no parameter in common.")
                : root.inspector.isGroup ? qsTr("This group has no parameters. Open it%1, and make parameters of its nodes its own with the arrow beside them.").arg(KeyBindings.hints["canvas.add"])
                                        : qsTr("This node has no parameters.")
            color: Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
    }
}
