// The run: device, numbers, and its buttons.
import QtQuick
import Halfwire
import Halfwire.App

Row {
    id: root
    required property var actions
    required property var look    // Look
    spacing: Theme.space1

    TextLabel {
        objectName: "runNumbers"
        height: Theme.control
        rightPadding: Theme.space2
        text: [App.run.stateText, App.run.started ? qsTr("step %1 / %2").arg(String(App.run.step)).arg(String(App.run.steps)) : "",
               App.run.loss ? qsTr("training loss %1").arg(App.run.loss) : ""].filter(t => t).join("   ")
        tip: App.run.loss ? qsTr("Loss of the last step's training batch before its update, micro-batches averaged: exact. Not of the test split.") : ""
        elide: Text.ElideNone
        color: App.run.state === "failed" ? Theme.error : Theme.textMuted
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    IconButton {
        objectName: "run:live"
        iconName: Icons.live
        tip: checked ? qsTr("Live: what is shown follows every edit") : qsTr("Not live: what is shown waits for Evaluate")
        checked: root.look.live
        tint: checked ? Theme.text : Theme.textFaint
        Accessible.role: Accessible.CheckBox
        Accessible.checked: checked
        onClicked: root.look.live = !root.look.live
    }
    IconButton {
        objectName: "run:evaluate"
        iconName: Icons.evaluate
        tip: qsTr("Evaluate without training")
        shortcutText: root.actions.runs.evaluate.keys
        enabled: root.actions.runs.evaluate.enabled
        onClicked: root.actions.runs.evaluate.trigger()
    }
    ChoiceBox {
        objectName: "device"
        Accessible.name: qsTr("Device")
        implicitWidth: 84
        model: App.run.devices
        footnote: App.devices.notes
        currentIndex: App.run.devices.indexOf(App.run.device)
        enabled: !App.run.running
        onActivated: index => App.run.device = App.run.devices[index]
    }
    IconButton {
        objectName: "run:start"
        primary: true
        visible: !App.run.running
        implicitWidth: 92
        iconName: Icons.run
        text: root.actions.runs.run.text
        tip: App.document.empty ? qsTr("Add nodes first, or open an example")
             : App.run.needs ? qsTr("%1: takes about %2").arg(text).arg(App.run.needs) : text
        shortcutText: App.document.empty ? "" : root.actions.runs.run.keys
        enabled: root.actions.runs.run.enabled
        onClicked: root.actions.runs.run.trigger()
    }
    IconButton {
        objectName: "run:pause"
        primary: true
        visible: App.run.running
        implicitWidth: 92
        iconName: Icons.pause
        text: qsTr("Pause")
        onClicked: root.actions.runs.pause.trigger()
    }
    IconButton {
        objectName: "run:step"
        iconName: Icons.step
        tip: qsTr("Train one step")
        enabled: root.actions.runs.step.enabled
        onClicked: root.actions.runs.step.trigger()
    }
    IconButton {
        objectName: "run:stop"
        iconName: Icons.stop
        tip: qsTr("Stop; the weights stay")
        shortcutText: root.actions.runs.stop.keys
        enabled: root.actions.runs.stop.enabled
        onClicked: root.actions.runs.stop.trigger()
    }
    IconButton {
        objectName: "run:restart"
        iconName: Icons.reset
        tip: qsTr("Forget the trained weights and start anew next time…")
        enabled: root.actions.runs.restart.enabled
        onClicked: root.actions.runs.restart.trigger()
    }
}
