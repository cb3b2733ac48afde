import { spawnSync } from 'node:child_process';
import { describeWhere } from '../e2e/programs/needs';

function succeeds(...args: string[]): boolean {
  return spawnSync('python3', args, { stdio: 'ignore' }).status === 0;
}

/** Python 3.9 or newer is there: what the bridge needs. */
export const hasPython = succeeds('-c', 'import sys; sys.exit(sys.version_info < (3, 9))');
/** NumPy is there for it: the stand-in then answers real structured arrays. */
export const hasNumpy = hasPython && succeeds('-c', 'import numpy');

/** Runs a suite where the bridge can run; in CI it has to run, so there its absence fails instead of being passed over. */
export const describeWithPython = describeWhere(hasPython);
export const describeWithNumpy = describeWhere(hasNumpy);
