import 'reflect-metadata';
import { closeSync, openSync, statSync } from 'node:fs';
import { endOnSignals, SystemClock } from '@libs/clock';
import { listenOptions, requireFreePort } from '@libs/http-surface';
import { StateLock } from '@libs/state-lock';
import { BackupService } from './backup/backup-service';
import { createGateway } from './gateway.app';
import { readGatewaySettings, type GatewaySettings } from './gateway.config';
import { gatewayLogger } from './gateway.logger';
import { ProbeListener } from './health/probe-listener';
import { warnOfShortKeys } from './http/wrong-keys';
import { PeriodicWork } from './schedule/periodic-work';
import { withSimulatedState } from './settings/simulated-state';
import { startProblem } from './start-problem';
import { endCode, stopGateway, stopLimitMs } from './stopping/stop-gateway';
import { TradeJournal } from './trade-journal/trade-journal';

let settings: GatewaySettings | null = null;

interface Served {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called once the port is open. */
  readonly listening?: (url: string) => void;
}

/** Starts the gateway; it runs until SIGTERM or SIGINT. */
async function start({ env, listening }: Served): Promise<void> {
  settings = withSimulatedState(readGatewaySettings(env));
  const logger = gatewayLogger(settings);
  warnOfShortKeys(settings, logger);
  // Before anything is written or logged in, so that a mistake leaves nothing behind.
  await checkStart(settings);
  // Held until the process ends: a second gateway on this journal would not know the sends of the first.
  await StateLock.take(settings.STATE_DIR, 'gateway');
  // Two gateways that write one audit log would number its lines twice.
  await StateLock.takeFile(settings.ORDER_AUDIT_FILE, 'gateway');
  const app = await createGateway(settings, logger);
  const journal = app.get(TradeJournal, { strict: false });
  const periodic = app.get(PeriodicWork, { strict: false });
  const backups = new BackupService(settings.STATE_DIR, journal, periodic.clockOf('backup-commands'), logger);
  endOnSignals(process, new SystemClock(), {
    limitMs: stopLimitMs(settings),
    stop: async (signal) => {
      logger.info({ signal }, 'stopping');
      await Promise.all([stopGateway(app), backups.stop()]);
    },
    end: (end) => process.exit(endCode(end, logger, journal)),
  });
  await backups.start();
  await app.listen(listenOptions(settings.TERMINAL_API_PORT, settings.TERMINAL_API_HOST));
  const probePort = await app.get(ProbeListener, { strict: false }).listen();
  if (probePort !== null) logger.info({ port: probePort }, 'probes are answered without a key');
  logger.info({ url: await app.getUrl(), driver: settings.TERMINAL_DRIVER }, 'gateway is listening');
  listening?.(await app.getUrl());
}

type Checked = Pick<
  GatewaySettings,
  'ORDER_AUDIT_FILE' | 'TERMINAL_API_PORT' | 'TERMINAL_API_HOST' | 'TERMINAL_PROBE_PORT'
>;

/**
 * Checks what would end the start later, before a file is written or an account logged in.
 * @throws an error of the system with its path or port: EISDIR for a file that is a folder, EADDRINUSE for a port in use
 */
async function checkStart(settings: Checked): Promise<void> {
  const { ORDER_AUDIT_FILE: path, TERMINAL_API_HOST: host } = settings;
  // A folder cannot be opened for writing.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) closeSync(openSync(path, 'r+'));
  for (const port of [settings.TERMINAL_API_PORT, settings.TERMINAL_PROBE_PORT]) {
    if (port !== undefined) await requireFreePort(port, host);
  }
}

/** Runs the gateway. If it cannot start, names every problem and exits with code 1. */
export async function serve(served: Served = {}): Promise<void> {
  try {
    await start(served);
  } catch (error) {
    process.stderr.write(`${startProblem(error, settings)}\n`);
    process.exit(1);
  }
}
