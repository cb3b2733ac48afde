import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments, usage } from './arguments.mjs';
import { banner } from './banner.mjs';
import { buildWhatIsMissing } from './build.mjs';
import { LaunchError, root } from './commands.mjs';
import { consoleOfDaemon } from './console-daemon.mjs';
import { demoSettings } from './demo-settings.mjs';
import { installWhatIsMissing } from './installation.mjs';
import { requireFreePort } from './ports.mjs';
import { generatedPrices } from './prices.mjs';
import { Product, endReport } from './product.mjs';
import { beforeReplay, followReplay, replayFeed } from './replay.mjs';
import { replayDaemonFile } from './replay-daemon-file.mjs';
import { showStatus } from './status-line.mjs';

const demoConfig = join(root, 'strategies', 'demo.yaml');

/** `npm start`, from the arguments to the last process ended. Sets the exit code. */
export async function startProduct(args) {
  try {
    const options = readArguments(args);
    if (options.help) console.log(usage);
    else await launch(options);
  } catch (error) {
    console.error(error instanceof LaunchError ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

async function launch({ dataDir, replay, habits }) {
  const stateDir = replay ? join(dataDir, 'replay') : dataDir;
  // A replay is a world of its own that starts from nothing; the demo's state beside it stays.
  if (replay) rmSync(stateDir, { recursive: true, force: true });
  const { settings, generatedKey, keyFile } = demoSettings(
    habits === undefined ? process.env : { ...process.env, SIM_HABITS: habits },
    stateDir,
    replay ? replayFeed(replay, process.env) : {},
  );
  await requireFreePort(Number(settings.TERMINAL_API_PORT), 'TERMINAL_API_PORT');
  await installWhatIsMissing();
  await buildWhatIsMissing();
  if (replay?.areGenerated) await generatedPrices();

  const product = new Product(await consoleOfDaemon(settings), join(stateDir, 'logs'));
  const asked = endWhenAsked(product);
  try {
    const health = await product.startGateway();
    const before = replay && (await beforeReplay(product, replay));
    const config = before ? await replayDaemonFile(before.symbols, stateDir) : demoConfig;
    await product.startDaemon(settings.DAEMON_CONFIG ?? config);
    console.log(
      banner({ product, health, generatedKey, keyFile, dataDir: stateDir, settings, symbol: before?.symbols[0] }),
    );
    await (replay ? followReplay(product, before, asked) : runUntil(product, asked));
  } catch (error) {
    // A program that was still starting when the user ended it has not failed.
    if (!asked.yet) throw error;
  } finally {
    const killed = await product.stop();
    if (killed.length > 0) {
      console.error(`Killed, because it did not end in time: ${killed.join(', ')}`);
      process.exitCode = 1;
    }
  }
  if (asked.yet) console.log('Both have ended.');
}

async function runUntil(product, asked) {
  const endStatus = showStatus(product);
  const failure = await Promise.race([asked.promise, product.failure]);
  endStatus();
  if (failure) throw new LaunchError(endReport(failure));
}

/** The first signal ends the product in order, the second at once. */
function endWhenAsked(product) {
  const asked = { yet: false, promise: undefined };
  asked.promise = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => {
        if (asked.yet) return product.kill();
        asked.yet = true;
        console.log('\nEnding the daemon, then the gateway. Press Ctrl-C again to end them at once.');
        void product.stop();
        resolve();
      });
    }
  });
  return asked;
}
