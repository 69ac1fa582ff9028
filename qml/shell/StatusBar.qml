// The line at the bottom: problems, what was noted, and the numbers of the run.
import QtQuick
import QtQuick.Layouts
import Halfwire
import Halfwire.App
import Halfwire.Canvas

Rectangle {
    id: root
    signal problemsRequested()
    readonly property bool tooMuch: App.run.memory === "" && App.run.excess !== ""
    readonly property var numbers: ({
        policy: App.document.policy === "strict" ? "" : qsTr("policy %1").arg(App.document.policy),
        metrics: App.run.metrics,
        rate: App.run.rate,
        lr: App.run.learningRate ? qsTr("learning rate %1").arg(App.run.learningRate) : "",
        memory: App.run.memory || (App.run.needs ? (tooMuch ? qsTr("needs %1, too much") : qsTr("needs %1")).arg(App.run.needs.replace(/ \([^)]*\)/g, "")) : ""),
        elapsed: App.run.elapsed,
        left: App.run.timeLeft ? qsTr("%1 left").arg(App.run.timeLeft) : ""
    })

    readonly property var means: ({
        metrics: App.run.metricsMeaning,
        rate: qsTr("Training samples a second: measured over the last second."),
        lr: qsTr("Learning rate of the next step, after its schedule: exact."),
        memory: App.run.memory ? qsTr("Parameters, optimiser state and temporary values of the run: counted.")
             : [App.run.excess, qsTr("What training would take: estimated from the graph before it runs.")].filter(t => t).join("\n"),
        elapsed: qsTr("Time spent in training steps: measured."),
        left: qsTr("Estimated from the pace of the last seconds.")
    })

    implicitHeight: Theme.space6
    color: Theme.panel

    Rectangle {
        width: parent.width
        height: 1
        color: Theme.line
    }
    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.space1
        anchors.rightMargin: Theme.space3
        spacing: Theme.space4

        IconButton {
            objectName: "status:problems"
            implicitHeight: Theme.space6 - Theme.space1
            readonly property var model: App.problems
            iconName: model.errors ? Icons.error : model.warnings ? Icons.warning : Icons.ok
            tint: model.errors ? Theme.error : model.warnings ? Theme.warning : Theme.textMuted
            text: model.errors || model.warnings
                  ? [model.errors ? (model.errors === 1 ? qsTr("1 error") : qsTr("%1 errors").arg(model.errors)) : "",
                     model.warnings ? (model.warnings === 1 ? qsTr("1 warning")
                                                            : qsTr("%1 warnings").arg(model.warnings)) : ""]
                    .filter(t => t).join(", ")
                  : qsTr("No problems")
            tip: qsTr("Go to the next problem")
            shortcutText: KeyBindings.labels["run.nextProblem"]
            onClicked: root.problemsRequested()
        }
        TextLabel {
            objectName: "status:notes"
            Layout.fillWidth: true
            text: App.run.notes.join("  ")
            color: Theme.textMuted
            font.pixelSize: Theme.sizeSmall
        }
        // The names are fixed: delegates that come and go inside a layout crash Qt 6.4 when the window is resized.
        Repeater {
            model: ["policy", "metrics", "rate", "lr", "memory", "elapsed", "left"]
            TextLabel {
                required property string modelData
                objectName: "status:" + modelData
                visible: text !== ""
                text: root.numbers[modelData]
                tip: root.means[modelData] ?? ""
                elide: Text.ElideNone
                color: root.tooMuch && modelData === "memory" ? Theme.warning : Theme.textMuted
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
        }
    }
}
