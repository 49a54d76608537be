import { playUndoTests } from "../../../test/undo/play-undo.ts";
import { quickShells } from "../../../test/undo/shells.ts";

playUndoTests(quickShells);
