import { playUndoTests } from "../../../test/undo/play-undo.ts";
import { otherShells } from "../../../test/undo/shells.ts";

playUndoTests(otherShells);
