import { playUndoTests } from "../../../test/undo/play-undo.ts";
import { allShells } from "../../../test/undo/shells.ts";

playUndoTests(allShells);
