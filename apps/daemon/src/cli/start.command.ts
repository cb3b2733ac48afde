import { resolve } from 'node:path';
import { SystemClock } from '@libs/clock';
import { HttpSurface, isLoopback, listenAddress } from '@libs/http-surface';
import { logOptions } from '@libs/logging';
import { pino, type Logger } from 'pino';
import { ControlPortFile } from '../control/control-port-file';
import { StrategyPorts } from '../control/strategy-ports';
import { createControlSurface } from '../control/control-surface';
import { Daemon } from '../daemon';
import { readDaemonSettings, tracksLatency, type DaemonSettings } from '../daemon.config';
import { readDaemonFile } from '../daemon-file/read-daemon-file';
import { readApiKey } from '../gateways/api-key';
import { parseArguments } from './arguments';

export const startFlags = {
  config: 'text',
  'state-dir': 'text',
  'control-port': 'port',
  'control-host': 'text',
} as const;

/** `daemon start`: runs until SIGTERM or SIGINT; SIGHUP reads the configuration anew. */
export async function start(args: readonly string[]): Promise<void> {
  const { flags } = parseArguments(args, startFlags);
  const settings = readDaemonSettings();
  const stateDir = resolve(flags['state-dir'] ?? settings.DAEMON_STATE_DIR);
  const port = flags['control-port'] ?? settings.DAEMON_CONTROL_PORT;
  const host = flags['control-host'] ?? settings.DAEMON_CONTROL_HOST;
  const logger = pino(logOptions('daemon', settings.LOG_LEVEL));
  const config = flags.config ?? settings.DAEMON_CONFIG;
  const stopped = stopSignal();
  const reloads = new ReloadSignal();
  const clock = new SystemClock();
  const surface = new HttpSurface({ clock });
  const daemon = await Daemon.open({
    readFile: () => readDaemonFile(config, process.env),
    stateDir,
    logger,
    clock,
    apiKey: (variable) => readApiKey(variable, process.env),
    tracksLatency: tracksLatency(settings),
    watchdogMs: settings.DAEMON_WATCHDOG_MS,
    maxHeapMb: settings.DAEMON_MAX_HEAP_MB,
    keepStateDays: settings.DAEMON_STATE_KEEP_DAYS,
    ports: (latency) =>
      new StrategyPorts(latency, {
        surface,
        token: settings.DAEMON_CONTROL_TOKEN,
        allowedHosts: settings.DAEMON_ALLOWED_HOSTS,
      }),
  });
  const portFile = new ControlPortFile(stateDir, clock);
  // What a start that was killed left behind leads to a port that may be anybody's by now.
  await portFile.remove();
  await daemon.verifyGateways();
  const control = await listening(daemon, settings, logger, { port, host, stateDir, portFile, surface });
  await daemon.openPorts();
  const deployed = daemon.deploy();
  reloads.serve(() => void daemon.reload());
  const signal = await stopped;
  logger.info({ signal }, 'stopping');
  await control.close(() => daemon.stop());
  await deployed;
  logger.info('stopped');
}

interface ControlOptions {
  readonly port: number;
  readonly host: string;
  readonly stateDir: string;
  readonly portFile: ControlPortFile;
  readonly surface: HttpSurface;
}

async function listening(
  daemon: Daemon,
  settings: DaemonSettings,
  logger: Logger,
  { port, host, stateDir, portFile, surface }: ControlOptions,
): Promise<{ close: (inBetween: () => Promise<void>) => Promise<void> }> {
  try {
    const app = await createControlSurface(daemon, settings, logger, { surface, host });
    await app.listen(port, listenAddress(host));
    const address = app.getHttpServer().address();
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
        await app.close();
      },
    };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

/** SIGHUP from the first moment on: one that comes before there is anything to reload is kept for then. */
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
