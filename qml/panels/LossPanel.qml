// How the training goes: the losses, and node by node how large gradients and updates are. What is off stands above.
import QtQuick
import Halfwire
import Halfwire.Models

Panel {
    id: root
    objectName: "losses"
    required property RunModel run
    required property Document document
    required property GradientFlowModel gradientFlow
    /// {title, view} of the tabs beside those of its own, and the model of each.
    required property var trainingTabs
    required property var trainingModels
    title: qsTr("Loss")
    iconName: Icons.chart
    readonly property var own: [qsTr("Loss"), qsTr("Gradients"), qsTr("Updates")]
    tabs: own.concat(trainingTabs.map(tab => tab.title))

    actions: [
        TextLabel {
            readonly property real room: root.width - root.tabs.length * 2.5 * Theme.space8  // beside the tabs
            visible: root.tab === 0 && room > 2 * Theme.space8
            height: Theme.space6
            width: Math.min(implicitWidth, Math.max(0, room))
            readonly property bool roomy: room > 5 * Theme.space8
            readonly property string loss: losses.under.loss ?? root.run.loss
            readonly property int step: losses.under.step ?? root.run.step
            text: loss === "" ? "" : roomy ? qsTr("step %1   %2").arg(String(step)).arg(loss) : loss
            color: Theme.textMuted
            elide: Text.ElideRight
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    ]

    Binding {
        target: root.gradientFlow
        property: "updates"
        value: root.tab === 2
    }
    Binding {
        target: root.gradientFlow
        property: "watching"
        value: root.visible && (root.tab === 1 || root.tab === 2)
    }
    GradientVerdict {
        id: verdict
        width: parent.width
        model: root.gradientFlow
    }
    Item {
        anchors.fill: parent
        anchors.topMargin: verdict.height
        LossView {
            id: losses
            visible: root.tab === 0
            anchors.fill: parent
            run: root.run
            document: root.document
        }
        GradientView {
            visible: root.tab === 1 || root.tab === 2
            anchors.fill: parent
            model: root.gradientFlow
        }
        Repeater {
            model: root.trainingTabs
            Loader {
                required property int index
                required property var modelData
                anchors.fill: parent
                visible: root.tab === root.own.length + index
                Component.onCompleted: setSource(modelData.view, { model: root.trainingModels[index] })
                // Belongs to the document that is shown.
                onLoaded: item.model = Qt.binding(() => root.trainingModels[index])
            }
        }
    }
}
