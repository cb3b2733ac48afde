import 'reflect-metadata';
import { resolve } from 'node:path';
import { endOnSignals, SystemClock, type End } from '@libs/clock';
import { isLoopback, listenOptions } from '@libs/http-surface';
import { logOptions } from '@libs/logging';
import { pino, type Logger } from 'pino';
import { ControlPortFile } from '../control/control-port-file';
import { createDaemon, type DaemonApp } from '../daemon.app';
import { configPath, hostNameOf, readStartSettings, type DaemonSettings } from '../daemon.config';
import { readDaemonFile, readDaemonText } from '../daemon-file/read-daemon-file';
import { readApiKey } from '../daemon-file/api-key';
import { argumentsOf, commands } from './commands';

/** Above the 8 s for requests in flight, below the 30 s after which Compose kills. */
const stopLimitMs = 20_000;

/** `daemon start`: runs until SIGTERM or SIGINT; SIGHUP reloads the configuration. */
export async function start(args: readonly string[]): Promise<void> {
  const { flags } = argumentsOf(commands.start, args);
  const settings = readStartSettings();
  const stateDir = resolve(flags['state-dir'] ?? settings.DAEMON_STATE_DIR);
  const port = flags['control-port'] ?? settings.DAEMON_CONTROL_PORT;
  const host = flags['control-host'] ?? settings.DAEMON_CONTROL_HOST;
  const logger = loggerOf(settings);
  const config = configPath(flags.config, settings);
  const isNamed = flags.config !== undefined || settings.DAEMON_CONFIG !== undefined;
  const stopped = stopSignal(logger);
  const reloads = new ReloadSignal();
  const configured = {
    readFile: () => readDaemonFile(config, process.env),
    apiKey: (variable: string) => readApiKey(variable, process.env),
  };
  const readText = (name: string, text: string) => readDaemonText({ name, text, folder: process.cwd() }, process.env);
  const app = await createDaemon({ settings, configured, stateDir, host, readText: isNamed ? null : readText }, logger);
  const { daemon } = app;
  const portFile = new ControlPortFile(stateDir, new SystemClock());
  // A port file left by a killed daemon may name a port that another program uses now.
  await portFile.remove();
  await daemon.verifyGateways();
  const control = await listening(app, settings, logger, { port, host, stateDir, portFile });
  await daemon.openPorts();
  const deployed = daemon.deploy();
  reloads.serve(() => void daemon.reload());
  const signal = await stopped;
  logger.info({ signal }, 'stopping');
  await control.close(() => daemon.stop());
  await deployed;
  logger.info('stopped');
}

/** In a fleet, each line of the log names its host. */
function loggerOf(settings: DaemonSettings): Logger {
  const logger = pino(logOptions('daemon', settings.LOG_LEVEL));
  return settings.DAEMON_DATABASE_URL === undefined ? logger : logger.child({ hostName: hostNameOf(settings) });
}

interface ControlOptions {
  readonly port: number;
  readonly host: string;
  readonly stateDir: string;
  readonly portFile: ControlPortFile;
}

async function listening(
  { daemon, control }: DaemonApp,
  settings: DaemonSettings,
  logger: Logger,
  { port, host, stateDir, portFile }: ControlOptions,
): Promise<{ close: (inBetween: () => Promise<void>) => Promise<void> }> {
  try {
    await control.listen(listenOptions(port, host));
    const address = control.getHttpServer().address();
    const bound = typeof address === 'object' && address !== null ? address.port : port;
    await portFile.write(bound, (error) => logger.error({ err: error }, 'control.port cannot be written'));
    logger.info({ url: `http://${host}:${bound}`, stateDir }, 'control port is listening');
    if (!isLoopback(host) && settings.DAEMON_CONTROL_TOKEN === undefined) {
      logger.warn({ host }, 'the control port is open to the network without a credential: set DAEMON_CONTROL_TOKEN');
    }
    return {
      close: async (inBetween) => {
        await inBetween();
        await portFile.remove();
        await control.close();
      },
    };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

/** The signal to stop. Whatever the stop then waits for, the process ends at the limit, and at once at a second signal. */
function stopSignal(logger: Logger): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    endOnSignals(process, new SystemClock(), {
      limitMs: stopLimitMs,
      // The program itself ends when it has stopped.
      stop: (signal) => {
        resolve(signal);
        return new Promise(() => undefined);
      },
      end: (end) => {
        logger.error(`${whyAtOnce(end)}: ended at once; the next start continues with requests in flight`);
        process.exit(1);
      },
    });
  });
}

function whyAtOnce({ kind }: End): string {
  return kind === 'repeated' ? 'a second signal came' : 'the stop took too long';
}

/** Handles SIGHUP from the start: one that arrives before the daemon can reload is kept until it can. */
class ReloadSignal {
  private reload: (() => void) | null = null;
  private isWaiting = false;

  constructor() {
    process.on('SIGHUP', () => {
      if (this.reload) this.reload();
      else this.isWaiting = true;
    });
  }

  serve(reload: () => void): void {
    this.reload = reload;
    if (this.isWaiting) reload();
  }
}
