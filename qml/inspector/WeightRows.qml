// Whether a node's weights are trained, and whose they are.
import QtQuick
import Halfwire
import Halfwire.App

Column {
    id: root
    readonly property real nameWidth: Math.min(140, width * 0.38)
    readonly property string own: qsTr("its own")
    visible: App.inspector.hasWeights && !App.inspector.several
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
            color: App.inspector.frozen ? Theme.text : Theme.textMuted
            elide: Text.ElideRight
            tip: App.inspector.tie !== "" ? qsTr("The switch of %1 counts: the weights are its.").arg(App.inspector.tie)
                                          : App.inspector.hasStatistics ? qsTr("Frozen weights get no gradient and are not trained. Running statistics stay as they are, too: in training it normalises by them, as in evaluation.")
                                                                        : qsTr("Frozen weights get no gradient and are not trained.")
        }
        Toggle {
            objectName: "weights:frozen"
            x: root.nameWidth + Theme.space3 + Theme.space2
            Accessible.name: qsTr("Frozen")
            enabled: App.inspector.tie === ""
            opacity: enabled ? 1 : 0.5
            checked: App.inspector.frozen
            onToggled: {
                App.inspector.setFrozen(checked);
                checked = Qt.binding(() => App.inspector.frozen);
            }
        }
    }
    Item {
        visible: App.inspector.tieChoices.length > 0
        width: parent.width
        height: Theme.control
        TextLabel {
            x: Theme.space3
            width: root.nameWidth
            height: parent.height
            text: qsTr("Weights")
            color: App.inspector.tie !== "" ? Theme.text : Theme.textMuted
            elide: Text.ElideRight
            tip: qsTr("Two nodes of one type and size can share one set of weights; their gradients add up.")
        }
        ChoiceBox {
            objectName: "weights:tie"
            readonly property var ids: [""].concat(App.inspector.tieChoices)
            x: root.nameWidth + Theme.space3 + Theme.space2
            width: parent.width - x - Theme.space6 - Theme.space3
            Accessible.name: qsTr("Weights")
            model: ids.map(id => id === "" ? root.own : qsTr("of %1").arg(id))
            currentIndex: ids.indexOf(App.inspector.tie)
            onActivated: index => {
                App.inspector.setTie(ids[index]);
                currentIndex = Qt.binding(() => ids.indexOf(App.inspector.tie));
            }
        }
    }
}
