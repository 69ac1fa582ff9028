// Something of a document that a hand holds from a press to its release. It is lost before another step of the document's
// history than the hand's own, and before another graph is shown: then it may be gone. See Document::stepComing.
import QtQuick

Connections {
    /// A hand holds it.
    required property bool held
    /// The hand lets go: what comes with the same button has no effect.
    signal lost()

    enabled: held
    function onStepComing(mergeId) {
        if (mergeId < 0)  // else a step of the hand's own
            lost();
    }
}
