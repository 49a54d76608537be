import { powerCycleTests } from "../../../test/undo/power-cycle.ts";
import { otherShells } from "../../../test/undo/shells.ts";

powerCycleTests(otherShells);
