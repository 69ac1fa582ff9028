// Something of a document that is being dragged, from press to release. lost() is emitted before a step of the document's
// history that is not the drag's own, and before another graph is shown: then it may be gone. See Document::stepComing.
import QtQuick

Connections {
    /// It is being dragged.
    required property bool held
    /// The drag ends: further events of the same press have no effect.
    signal lost()

    enabled: held
    function onStepComing(mergeId) {
        if (mergeId < 0)  // else a step of the drag's own
            lost();
    }
}
