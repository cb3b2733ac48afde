import { resolve } from 'node:path';
import { ServingProcess } from '../contract/child-process';
import type { CleanUp } from '../contract/clean-up';
import { token } from '../contract/subjects';
import type { WinePrefix } from './wine-prefix';

/** The bridge's own script, for the tests that look at its processes. */
export const bridgeScript = resolve(__dirname, '../../bridge/mt5_bridge.py');

interface Parts {
  /** The genuine Windows Python. */
  readonly python: string;
  readonly prefix: WinePrefix;
  readonly cleanUp: CleanUp;
}

/** Starts the bridge under Wine on a free port; it ends with the test. @param options of its command line */
export async function startedBridge(
  { python, prefix, cleanUp }: Parts,
  options: readonly string[],
): Promise<ServingProcess> {
  const args = [python, '-B', bridgeScript, '--port', '0', ...options];
  const env = { ...prefix.env, TERMINAL_BRIDGE_TOKEN: token, TERMINAL_PORTABLE: '1' };
  return cleanUp.after(await ServingProcess.start('wine', args, env), (started) => started.kill());
}
