// The parameters of the active node, and its problems above them.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App
import Halfwire.Canvas

Flickable {
    id: root
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
        kind: "parameter"
        onTaken: App.inspector.setPromoted(nodeType, true)
        onVisibleChanged: DragState.parameter = visible ? title : ""
    }
    Connections {
        target: App.inspector
        function onNodeChanged() { root.contentY = 0; }
    }
    Column {
        id: rows
        width: root.width
        topPadding: Theme.space2

        FlagChips {
            width: root.width
        }
        Repeater {
            model: App.inspector.problems
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
        }
        Repeater {
            id: parameters
            model: App.inspector
            ParameterRow {
                width: root.width
                carrier: dragged
            }
        }
        DrawsRow {
            width: root.width
        }
        DeviceRow {
            width: root.width
        }
        WeightRows {
            width: root.width
        }
        GroupInterface {
            width: root.width
            visible: App.groupInterface.shown && App.inspector.isGroup && !App.inspector.several
        }
        JacobianView {
            width: root.width
            visible: model.offered && !App.inspector.several
        }
        Text {
            visible: parameters.count === 0
            x: Theme.space3
            width: root.width - 2 * Theme.space3
            wrapMode: Text.Wrap
            text: App.inspector.several ? qsTr("These nodes have no parameter in common.")
                : App.inspector.isGroup ? qsTr("This group has no parameters. Open it%1, and make parameters of its nodes its own with the arrow beside them.").arg(KeyBindings.hints["canvas.add"])
                                        : qsTr("This node has no parameters.")
            color: Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
    }
}
