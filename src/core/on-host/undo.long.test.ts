import { otherShells } from "../../../test/undo/shells.ts";
import { undoTests } from "../../../test/undo/undo.ts";

undoTests(otherShells);
