// What the Run menu and its keys do: training, checks, precision, the list of problems.
import QtQuick
import Halfwire
import Halfwire.App

Item {
    id: root
    required property var files   // FileFlow
    signal commandCopied(string command)
    /// `check`: a row of App.checks.
    signal checkRequested(int check)
    signal tryPrecisionRequested()
    signal planPrecisionRequested()
    /// An action each of App.checks.
    readonly property var checks: Array.from({ length: checkActions.count }, (_, i) => checkActions.objectAt(i))

    property alias run: run
    property alias evaluate: evaluate
    property alias pause: pause
    property alias step: step
    property alias stop: stop
    property alias restart: restart
    property alias saveCheckpoint: saveCheckpoint
    property alias loadWeights: loadWeights
    property alias resumeFrom: resumeFrom
    property alias nextProblem: nextProblem
    property alias tryPrecision: tryPrecision
    property alias planPrecision: planPrecision
    property alias copyCommand: copyCommand

    KeyAction {
        id: run
        name: "run.run"
        text: App.run.paused ? qsTr("Resume") : App.run.started || (App.run.loaded && App.run.trains) ? qsTr("Train on") : qsTr("Run")
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.start()
    }
    KeyAction {
        id: evaluate
        name: "run.evaluate"
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.evaluation.evaluate()
    }
    KeyAction {
        id: pause
        name: "run.pause"
        enabled: App.run.running
        onTriggered: App.run.pause()
    }
    KeyAction {
        id: step
        name: "run.step"
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.stepOnce()
    }
    KeyAction {
        id: stop
        name: "run.stop"
        enabled: App.run.running || App.run.paused
        onTriggered: App.run.stop()
    }
    KeyAction {
        id: restart
        name: "run.restart"
        enabled: (App.run.started || App.run.loaded) && !App.run.running
        onTriggered: root.files.forgetWeights()
    }
    KeyAction {
        id: saveCheckpoint
        name: "run.saveCheckpoint"
        enabled: App.run.started
        onTriggered: root.files.saveCheckpoint()
    }
    KeyAction {
        id: loadWeights
        name: "run.loadWeights"
        enabled: !App.run.running && !App.run.paused && !App.document.empty
        onTriggered: root.files.loadWeights()
    }
    KeyAction {
        id: resumeFrom
        name: "run.resumeFrom"
        enabled: !App.run.running && !App.document.empty
        onTriggered: root.files.resumeFrom()
    }
    Instantiator {
        id: checkActions
        model: App.checkTabs
        KeyAction {
            required property int index
            required property var modelData
            readonly property string key: modelData.key
            name: "check." + key
            enabled: !App.document.empty
            onTriggered: root.checkRequested(index)
        }
    }
    KeyAction {
        id: nextProblem
        name: "run.nextProblem"
        enabled: App.problems.count > 0
        onTriggered: App.problems.revealNext()
    }
    KeyAction {
        id: tryPrecision
        name: "run.tryPrecision"
        enabled: App.precision.selected !== ""
        onTriggered: root.tryPrecisionRequested()
    }
    KeyAction {
        id: planPrecision
        name: "run.planPrecision"
        enabled: !App.document.empty
        onTriggered: root.planPrecisionRequested()
    }
    KeyAction {
        id: copyCommand
        name: "run.copyCommand"
        enabled: !App.document.empty
        onTriggered: {
            const command = App.copyCommandLine();
            if (command !== "")
                root.commandCopied(command);
        }
    }
    KeyAction {
        name: "run.previousProblem"
        onTriggered: App.problems.revealNext(-1)
    }
}
