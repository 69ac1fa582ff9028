// Whether a node's weights are trained, and whose they are.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property InspectorModel inspector
    readonly property real nameWidth: Math.min(140, width * 0.38)
    readonly property string own: qsTr("its own")
    visible: root.inspector.hasWeights && !root.inspector.several
    spacing: Theme.space2
    bottomPadding: Theme.space2

    Item {
        width: parent.width
        height: Theme.control
        TextLabel {
            x: Theme.space3
            width: root.nameWidth
            height: parent.height
            text: qsTr("Frozen")
            color: root.inspector.frozen ? Theme.text : Theme.textMuted
            elide: Text.ElideRight
            tip: root.inspector.tie !== ""
                 ? qsTr("The switch of %1 counts: the weights are its.").arg(root.inspector.tie)
                 : root.inspector.hasStatistics ? qsTr("Frozen weights get no gradient and are not trained. Running statistics stay as they are, too: in training it normalises by them, as in evaluation.")
                 : qsTr("Frozen weights get no gradient and are not trained.")
        }
        Toggle {
            objectName: "weights:frozen"
            x: root.nameWidth + Theme.space3 + Theme.space2
            Accessible.name: qsTr("Frozen")
            enabled: root.inspector.tie === ""
            opacity: enabled ? 1 : 0.5
            checked: root.inspector.frozen
            onToggled: {
                root.inspector.setFrozen(checked);
                checked = Qt.binding(() => root.inspector.frozen);
            }
        }
    }
    Item {
        visible: root.inspector.tieChoices.length > 0
        width: parent.width
        height: Theme.control
        TextLabel {
            x: Theme.space3
            width: root.nameWidth
            height: parent.height
            text: qsTr("Weights")
            color: root.inspector.tie !== "" ? Theme.text : Theme.textMuted
            elide: Text.ElideRight
            tip: qsTr("Two nodes of one type and size can share one set of weights; their gradients add up.")
        }
        ChoiceBox {
            objectName: "weights:tie"
            readonly property var ids: [""].concat(root.inspector.tieChoices)
            x: root.nameWidth + Theme.space3 + Theme.space2
            width: parent.width - x - Theme.space6 - Theme.space3
            Accessible.name: qsTr("Weights")
            model: ids.map(id => id === "" ? root.own : qsTr("of %1").arg(id))
            currentIndex: ids.indexOf(root.inspector.tie)
            onActivated: index => {
                root.inspector.setTie(ids[index]);
                currentIndex = Qt.binding(() => ids.indexOf(root.inspector.tie));
            }
        }
    }
}
