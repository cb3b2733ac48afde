import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LaunchError, root } from './commands.mjs';
import { pricePaths } from './prices.mjs';

export const usage = `Usage: npm start                                    gateway and daemon on generated prices
       npm start -- --replay [BID.csv ASK.csv]      gateway and daemon on one-minute bars from files, with a summary at the end;
                                                    use SYMBOL=FILE if a file name does not start with its symbol;
                                                    without files, a generated month of GBPUSD is replayed
Options: --speed N        replay speed (600): 1 is real time
         --data-dir DIR   folder of all state (.data)
         --habits H       habits of the simulated broker, as SIM_HABITS: random, or such as "rows-twice; trade-clock -3"
All settings of docs/configuration.md are read from the environment.`;

/**
 * What `npm start -- ...` was asked for.
 * @throws LaunchError with the usage
 */
export function readArguments(args) {
  const { values, positionals } = parsed(args);
  if (positionals.length > 0 && !values.replay) throw refusal(`unexpected argument "${positionals[0]}"`);
  if (values.speed !== undefined && !values.replay) throw refusal('--speed requires --replay');
  if (values.speed !== undefined && !(Number(values.speed) > 0)) throw refusal('--speed must be a number above 0');
  return {
    help: values.help === true,
    habits: values.habits,
    dataDir: resolve(values['data-dir'] ?? join(root, '.data')),
    replay: values.replay ? { ...replayFiles(positionals), speed: values.speed } : undefined,
  };
}

function parsed(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        replay: { type: 'boolean' },
        speed: { type: 'string' },
        habits: { type: 'string' },
        'data-dir': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw refusal(error.message.split('. ')[0]);
  }
}

function replayFiles(given) {
  if (given.length % 2 !== 0) throw refusal('--replay needs two files per symbol: bid bars and ask bars');
  // These are written once the packages are installed.
  if (given.length === 0) return { files: pricePaths().map(replayFile), areGenerated: true };
  const files = given.map(replayFile);
  const absent = files.find(({ path }) => !existsSync(path));
  if (absent) throw refusal(`file not found: ${absent.path}`);
  return { files, areGenerated: false };
}

/** `SYMBOL=path`, or a path whose file name starts with the symbol, as SIM_FEED has it. */
function replayFile(text) {
  const [, symbol, file = text] = /^([A-Za-z0-9._#]+)=(.+)$/.exec(text) ?? [];
  const path = resolve(file);
  if (symbol !== undefined) return { path, symbol, feed: `${symbol}=${path}` };
  return { path, symbol: /^[A-Za-z0-9]*/.exec(basename(path))[0].toUpperCase(), feed: path };
}

function refusal(problem) {
  return new LaunchError(`npm start: ${problem}\n${usage}`);
}
