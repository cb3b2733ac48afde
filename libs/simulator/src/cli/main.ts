import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { SystemClock } from '@libs/clock';
import { readSettings } from '@libs/settings';
import { simulatorOptions, simulatorSettings } from '../simulator.config';
import { historyFolder } from '../state/history-settings';
import { ScratchFolder } from '../state/scratch-folder';
import { serveSimulator } from './serve-simulator';

const usage = `Serves the simulated broker over the terminal link, on loopback.

  --port N     port to listen on; 0 takes a free one (default 18812)
  --habits H   habits of the broker, as SIM_HABITS: random, or such as "rows-twice; trade-clock -3"
  --token T    token that clients must present (default TERMINAL_BRIDGE_TOKEN, else a new one, which is printed)

The broker is set up by the SIM_* variables; see docs/configuration.md.`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '18812' },
      token: { type: 'string' },
      habits: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) throw new Error('--port must be a number from 0 to 65535');
  const given = values.token ?? process.env['TERMINAL_BRIDGE_TOKEN'];
  const token = given || randomBytes(24).toString('base64url');
  const settings = readSettings(simulatorSettings, {
    ...process.env,
    ...(values.habits === undefined ? {} : { SIM_HABITS: values.habits }),
  });
  const served = await serveSimulator(
    simulatorOptions(settings),
    { port, token },
    new SystemClock(),
    new ScratchFolder(historyFolder(settings), console),
  );
  console.log(`listening on ${served.port}`);
  if (!given) console.log(`token ${token}`);
  const stop = (): void => void served.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
