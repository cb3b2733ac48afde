import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HttpSurface } from '@libs/http-surface';
import { openSpans } from '@libs/tracing';
import type { Logger } from 'pino';
import { version } from '../../../package.json';
import { createControlSurface } from './control/control-surface';
import { Daemon, type DaemonOptions } from './daemon';
import type { DaemonSettings } from './daemon.config';
import { openUnits } from './leases/open-units';
import type { SharedUnits } from './leases/shared-units';
import { StoredConfiguration, type ReadText } from './leases/stored-configuration';
import type { Configured } from './daemon-file/daemon-file';
import { requireNotMoved } from './state-move/moved-state';
import { StateOpenError } from './state/state-open-error';
import { systemEdge, type DaemonEdge } from './daemon.edge';

/** Start options of a daemon. */
export interface DaemonStart {
  readonly settings: DaemonSettings;
  readonly configured: Configured;
  /** Absolute path of the state directory. */
  readonly stateDir: string;
  /** Address that the control port is to listen on. */
  readonly host: string;
  /** Reads a stored configuration, which replaces the file when one was applied; null or absent: the file was named. */
  readonly readText?: ReadText | null;
}

/** A daemon and its control port, which does not listen yet. */
export interface DaemonApp {
  readonly daemon: Daemon;
  readonly control: NestFastifyApplication;
}

/**
 * Takes the state directory, reads what is in it and builds the control port. No gateway is asked and no strategy deployed yet.
 * @param changes parts of the edge that are not the machine's own
 * @throws StateDirLockedError, StateOpenError, DaemonFileError, DatabaseError
 */
export async function createDaemon(
  { settings, configured: given, stateDir, host, readText = null }: DaemonStart,
  logger: Logger,
  changes: Partial<DaemonEdge> = {},
): Promise<DaemonApp> {
  const edge = { ...systemEdge(), ...changes };
  const surface = new HttpSurface({ clock: edge.clock });
  const units = await openUnits(settings, {
    stateDir,
    logger,
    clock: edge.clock,
    files: edge.files,
    openDatabase: (options) => edge.openDatabase(options),
    newSession: () => edge.newSession(),
  });
  const configured = await configuredBy(given, units, readText);
  if (configured !== given) logger.info({ version: configured.version }, 'using the configuration of the database');
  const spans = openSpans({ endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT, service: 'trading-daemon', version });
  const daemon = await openDaemon({ settings, configured, stateDir, surface, logger, edge, units, spans });
  try {
    return { daemon, control: await createControlSurface(daemon, settings, logger, { surface, host }) };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

/** The newest version that was applied to the fleet, or what is given. @throws Error of the database */
async function configuredBy(
  given: Configured,
  units: SharedUnits | null,
  readText: ReadText | null,
): Promise<Configured> {
  if (units === null || readText === null) return given;
  try {
    return (await StoredConfiguration.open(units.configurations, readText, (name) => given.apiKey(name))) ?? given;
  } catch (error) {
    await units.end();
    throw error;
  }
}

/** Ends the connections of a daemon that does not start. */
async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  try {
    return await Daemon.open(options);
  } catch (error) {
    await options.units?.end();
    // What is in the place of a state that was moved is not a database.
    if (error instanceof StateOpenError) await requireNotMoved(options.stateDir, options.edge.files);
    throw error;
  }
}
