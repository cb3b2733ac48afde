// Runs a compiled program of this repository in this process; installs and builds what is missing before.
import { buildWhatIsMissing } from './build.mjs';
import { root } from './commands.mjs';
import { installWhatIsMissing } from './installation.mjs';

/** @param entry of the program, in dist */
export async function runBuilt(entry) {
  await installWhatIsMissing();
  await buildWhatIsMissing();
  await import(`${root}/dist/${entry}`);
}
