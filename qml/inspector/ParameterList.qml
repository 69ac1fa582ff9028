// The parameters of the active node, and its problems above them.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

ListView {
    id: root
    objectName: "parameters"
    model: App.inspector
    clip: true
    boundsBehavior: Flickable.StopAtBounds
    topMargin: Theme.space2
    reuseItems: false
    Accessible.role: Accessible.List
    Accessible.name: qsTr("Parameters")
    T.ScrollBar.vertical: ThinScrollBar {}

    header: Column {
        width: root.width
        Repeater {
            model: App.inspector.problems
            Rectangle {
                required property var modelData
                x: Theme.space2
                width: root.width - 2 * Theme.space2
                height: reason.implicitHeight + 2 * Theme.space2
                radius: Theme.radius
                color: modelData.severity === "error" ? Theme.errorDim : Theme.warningDim
                Icon {
                    x: Theme.space2
                    y: Theme.space2
                    name: modelData.severity === "error" ? Icons.error : Icons.warning
                    color: modelData.severity === "error" ? Theme.error : Theme.warning
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
        Item {
            width: 1
            height: App.inspector.problems.length > 0 ? Theme.space2 : 0
        }
    }
    delegate: ParameterRow {}

    Text {
        visible: root.count === 0
        x: Theme.space3
        y: Theme.space2
        text: qsTr("This node has no parameters.")
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
}
