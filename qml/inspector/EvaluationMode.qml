// In which mode tensors and plots are computed without training.
import QtQuick
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property TensorModel tensors
    required property RunModel run
    readonly property var modes: [
        { training: false, title: qsTr("Evaluation mode") }, { training: true, title: qsTr("Training mode") }
    ]
    implicitHeight: Theme.space6 + Theme.space3

    BatchStep {
        objectName: "batch"
        visible: root.tensors.batches > 0
        anchors.right: parent.right
        anchors.rightMargin: Theme.space3
        anchors.verticalCenter: row.verticalCenter
        evaluation: root.run.evaluation
        batches: root.tensors.batches
    }
    Row {
        id: row
        x: Theme.space3
        anchors.bottom: parent.bottom
        spacing: Theme.space1
        Repeater {
            model: root.modes
            Chip {
                id: choice
                required property var modelData
                objectName: "mode:" + (modelData.training ? "training" : "evaluation")
                text: modelData.title
                checked: root.run.evaluation.training === modelData.training
                onClicked: root.run.evaluation.training = modelData.training
                Tip {
                    visible: choice.hovered
                    text: choice.modelData.training
                          ? qsTr("As in a training step: dropout on, batch norm by the batch, samples of the training split. No weight and no running statistic changes. Image View, viewport and baking stay in evaluation mode.")
                          : qsTr("As after training: dropout off, batch norm by its running statistics, samples of the test split.")
                }
            }
        }
    }
}
