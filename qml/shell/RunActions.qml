// What the Run menu and its keys do: training, checks, precision, the list of problems.
import QtQuick
import QtQuick.Templates as T
import Halfwire.App

Item {
    id: root
    required property var files   // FileFlow
    signal commandCopied(string command)
    /// Of App.checks.
    signal checkRequested(int check)
    signal tryPrecisionRequested()
    signal planPrecisionRequested()
    readonly property var withKeys: [run, evaluate, stop].concat(checks.filter(action => action.shortcut),
                                                       [tryPrecision, planPrecision, nextProblem, previousProblem])
    /// An action each of App.checks, with its key.
    readonly property var checks: Array.from({ length: checkActions.count }, (_, i) => checkActions.objectAt(i))

    property alias run: run
    property alias evaluate: evaluate
    property alias pause: pause
    property alias step: step
    property alias stop: stop
    property alias restart: restart
    property alias saveCheckpoint: saveCheckpoint
    property alias resumeFrom: resumeFrom
    property alias nextProblem: nextProblem
    property alias tryPrecision: tryPrecision
    property alias planPrecision: planPrecision
    property alias copyCommand: copyCommand

    T.Action {
        id: run
        text: App.run.paused ? qsTr("Resume") : App.run.started || App.run.loaded ? qsTr("Train on") : qsTr("Run")
        shortcut: "Ctrl+Return"
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.start()
    }
    T.Action {
        id: evaluate
        text: qsTr("Evaluate")
        shortcut: "Shift+Ctrl+Return"
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.evaluation.evaluate()
    }
    T.Action {
        id: pause
        text: qsTr("Pause")
        enabled: App.run.running
        onTriggered: App.run.pause()
    }
    T.Action {
        id: step
        text: qsTr("One Step")
        enabled: !App.run.running && !App.document.empty
        onTriggered: App.run.stepOnce()
    }
    T.Action {
        id: stop
        text: qsTr("Stop")
        shortcut: "Ctrl+Alt+Return"
        enabled: App.run.running || App.run.paused
        onTriggered: App.run.stop()
    }
    T.Action {
        id: restart
        text: qsTr("Forget Weights…")
        enabled: (App.run.started || App.run.loaded) && !App.run.running
        onTriggered: root.files.forgetWeights()
    }
    T.Action {
        id: saveCheckpoint
        text: qsTr("Save Checkpoint…")
        enabled: App.run.started
        onTriggered: root.files.saveCheckpoint()
    }
    T.Action {
        id: resumeFrom
        text: qsTr("Resume from Checkpoint…")
        enabled: !App.run.running && !App.document.empty
        onTriggered: root.files.resumeFrom()
    }
    Instantiator {
        id: checkActions
        model: App.checkTabs
        T.Action {
            required property int index
            required property var modelData
            readonly property string key: modelData.key
            text: modelData.action
            shortcut: modelData.shortcut
            enabled: !App.document.empty
            onTriggered: root.checkRequested(index)
        }
    }
    T.Action {
        id: nextProblem
        text: qsTr("Next Problem")
        shortcut: "F8"
        enabled: App.problems.count > 0
        onTriggered: App.problems.revealNext()
    }
    T.Action {
        id: tryPrecision
        text: qsTr("Try Precision Here…")
        shortcut: "Ctrl+Alt+T"
        enabled: App.precision.selected !== ""
        onTriggered: root.tryPrecisionRequested()
    }
    T.Action {
        id: planPrecision
        text: qsTr("Plan Precision…")
        shortcut: "Ctrl+Alt+P"
        enabled: !App.document.empty
        onTriggered: root.planPrecisionRequested()
    }
    T.Action {
        id: copyCommand
        text: qsTr("Copy as Command Line")
        enabled: !App.document.empty
        onTriggered: {
            const command = App.copyCommandLine();
            if (command !== "")
                root.commandCopied(command);
        }
    }
    Key {
        id: previousProblem
        text: qsTr("Previous Problem")
        sequence: "Shift+F8"
        onActivated: App.problems.revealNext(-1)
    }
    Key {
        sequence: "Ctrl+Enter"  // the keypad's
        enabled: run.enabled
        onActivated: run.trigger()
    }
    Key {
        sequence: "Shift+Ctrl+Enter"  // the keypad's
        enabled: evaluate.enabled
        onActivated: evaluate.trigger()
    }
}
