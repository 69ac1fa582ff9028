// The inspector: the active node's parameters, tensors, gradients and documentation.
import QtQuick
import Halfwire
import Halfwire.Canvas
import Halfwire.Models

Panel {
    id: root
    required property Document document
    required property GraphEdits edits
    required property InspectorModel inspector
    required property GroupInterfaceModel groupInterface
    required property TensorModel tensors
    required property TensorModel gradients
    required property RunModel run
    required property DeviceModel devices
    required property InputValues inputs
    required property JacobianModel jacobian
    objectName: "inspector"
    title: qsTr("Inspector")
    iconName: Icons.parameters
    property alias tab: tabs.current
    /// "", "values" or "gradients": which tensors of the active node it shows.
    readonly property string watched: !visible || inspector.node === "" ? ""
                                      : ["", "values", "gradients", ""][tabs.current]
    readonly property string nothingRan: root.run.started || root.run.running
        ? qsTr("Nothing of this node was computed in this run.")
        : qsTr("Run the graph%1 to see what flows here.").arg(KeyBindings.hints["run.run"])

    Flickable {
        visible: root.inspector.node === "" && root.groupInterface.shown
        anchors.fill: parent
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        contentHeight: around.height
        GroupInterface {
            id: around
            width: parent.width
            model: root.groupInterface
            document: root.document
        }
    }
    EmptyHint {
        visible: root.inspector.node === "" && !root.groupInterface.shown
        text: qsTr("Select a node on the canvas to see its parameters, tensors and documentation.")
    }
    Item {
        visible: root.inspector.node !== ""
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
                color: Theme.category(root.inspector.category)
            }
            ValueBox {
                id: label
                objectName: "nodeLabel"
                Accessible.name: qsTr("Name of the node")
                x: Theme.space3 + Theme.space2
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width - x - kind.width - 2 * Theme.space3
                value: root.inspector.title
                readOnly: root.inspector.several
                font.pixelSize: Theme.sizeTitle
                font.weight: Font.DemiBold
                background: Rectangle {
                    color: label.activeFocus ? Theme.input : "transparent"
                    radius: Theme.radius
                    border.width: label.activeFocus ? Theme.focusRing : label.hovered ? 1 : 0
                    border.color: label.activeFocus ? Theme.focus : Theme.line
                }
                onCommitted: text => {
                    root.inspector.setLabel(text);
                    reset();
                }
            }
            Text {
                id: kind
                anchors.right: parent.right
                anchors.rightMargin: Theme.space3
                anchors.verticalCenter: parent.verticalCenter
                text: root.inspector.several && tabs.current > 0 ? root.inspector.activeTitle
                    : root.inspector.several ? root.inspector.typeTitle
                    : root.inspector.title !== root.inspector.typeTitle ? root.inspector.typeTitle
                    : root.inspector.category
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
                visible: tabs.current === 0 && root.inspector.known
                anchors.fill: parent
                document: root.document
                edits: root.edits
                inspector: root.inspector
                groupInterface: root.groupInterface
                run: root.run
                devices: root.devices
                inputs: root.inputs
                jacobian: root.jacobian
            }
            EmptyHint {
                visible: tabs.current === 0 && !root.inspector.known
                iconName: Icons.warning
                text: root.inspector.unknownText
            }
            EvaluationMode {
                id: mode
                visible: tabs.current === 1 && !root.run.running
                width: parent.width
                tensors: root.tensors
                run: root.run
            }
            TensorView {
                visible: tabs.current === 1
                anchors.fill: parent
                anchors.topMargin: mode.visible ? mode.height : 0
                model: root.tensors
                nothing: root.tensors.hint || root.nothingRan
            }
            TensorView {
                visible: tabs.current === 2
                anchors.fill: parent
                model: root.gradients
                nothing: root.nothingRan
            }
            NodeDocs {
                visible: tabs.current === 3
                anchors.fill: parent
                inspector: root.inspector
            }
        }
    }
}
