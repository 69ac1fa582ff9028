// The inspector: the active node's parameters, tensors, gradients and documentation.
import QtQuick
import Halfwire
import Halfwire.App
import Halfwire.Canvas

Panel {
    id: root
    objectName: "inspector"
    title: qsTr("Inspector")
    iconName: Icons.parameters
    property alias tab: tabs.current
    readonly property string nothingRan: App.run.started || App.run.running
        ? qsTr("Nothing of this node was computed in this run.")
        : qsTr("Run the graph%1 to see what flows here.").arg(KeyBindings.hints["run.run"])

    Binding {
        target: App
        property: "watched"
        value: !root.visible || App.inspector.node === "" ? "" : ["", "values", "gradients", ""][tabs.current]
    }

    Flickable {
        visible: App.inspector.node === "" && App.groupInterface.shown
        anchors.fill: parent
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        contentHeight: around.height
        GroupInterface {
            id: around
            width: parent.width
        }
    }
    EmptyHint {
        visible: App.inspector.node === "" && !App.groupInterface.shown
        text: qsTr("Select a node on the canvas to see its parameters, tensors and documentation.")
    }
    Item {
        visible: App.inspector.node !== ""
        anchors.fill: parent

        Item {
            id: head
            width: parent.width
            height: Theme.bar
            Rectangle {
                x: Theme.space3
                anchors.verticalCenter: parent.verticalCenter
                width: Theme.space1
                height: Theme.space4
                radius: 2
                color: Theme.category(App.inspector.category)
            }
            ValueBox {
                id: label
                objectName: "nodeLabel"
                Accessible.name: qsTr("Name of the node")
                x: Theme.space3 + Theme.space2
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width - x - kind.width - 2 * Theme.space3
                value: App.inspector.title
                readOnly: App.inspector.several
                font.pixelSize: Theme.sizeTitle
                font.weight: Font.DemiBold
                background: Rectangle {
                    color: label.activeFocus ? Theme.input : "transparent"
                    radius: Theme.radius
                    border.width: label.activeFocus ? Theme.focusRing : label.hovered ? 1 : 0
                    border.color: label.activeFocus ? Theme.focus : Theme.line
                }
                onCommitted: text => {
                    App.inspector.setLabel(text);
                    reset();
                }
            }
            Text {
                id: kind
                anchors.right: parent.right
                anchors.rightMargin: Theme.space3
                anchors.verticalCenter: parent.verticalCenter
                text: App.inspector.several && tabs.current > 0 ? App.inspector.activeTitle
                    : App.inspector.several ? App.inspector.typeTitle
                    : App.inspector.title !== App.inspector.typeTitle ? App.inspector.typeTitle : App.inspector.category
                color: Theme.textFaint
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
        }
        TabStrip {
            id: tabs
            objectName: "inspectorTabs"
            anchors.top: head.bottom
            x: Theme.space1
            tabs: [qsTr("Parameters"), qsTr("Tensor"), qsTr("Gradient"), qsTr("Docs")]
        }
        Rectangle {
            anchors.top: tabs.bottom
            width: parent.width
            height: 1
            color: Theme.line
        }
        Item {
            anchors.top: tabs.bottom
            anchors.topMargin: 1
            anchors.bottom: parent.bottom
            width: parent.width
            ParameterList {
                visible: tabs.current === 0 && App.inspector.known
                anchors.fill: parent
            }
            EmptyHint {
                visible: tabs.current === 0 && !App.inspector.known
                iconName: Icons.warning
                text: App.inspector.unknownText
            }
            EvaluationMode {
                id: mode
                visible: tabs.current === 1 && !App.run.running
                width: parent.width
            }
            TensorView {
                visible: tabs.current === 1
                anchors.fill: parent
                anchors.topMargin: mode.visible ? mode.height : 0
                model: App.tensors
                nothing: App.tensors.hint || root.nothingRan
            }
            TensorView {
                visible: tabs.current === 2
                anchors.fill: parent
                model: App.gradients
                nothing: root.nothingRan
            }
            NodeDocs {
                visible: tabs.current === 3
                anchors.fill: parent
            }
        }
    }
}
