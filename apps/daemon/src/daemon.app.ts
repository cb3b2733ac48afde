import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { HttpSurface } from '@libs/http-surface';
import type { Logger } from 'pino';
import { createControlSurface } from './control/control-surface';
import { Daemon, type Configured } from './daemon';
import type { DaemonSettings } from './daemon.config';
import { systemEdge, type DaemonEdge } from './daemon.edge';

/** Start options of a daemon. */
export interface DaemonStart {
  readonly settings: DaemonSettings;
  readonly configured: Configured;
  /** Absolute path of the state directory. */
  readonly stateDir: string;
  /** Address that the control port is to listen on. */
  readonly host: string;
}

/** A daemon and its control port, which does not listen yet. */
export interface DaemonApp {
  readonly daemon: Daemon;
  readonly control: NestFastifyApplication;
}

/**
 * Takes the state directory, reads what is in it and builds the control port. No gateway is asked and no strategy deployed yet.
 * @param changes parts of the edge that are not the machine's own
 * @throws StateDirLockedError, StateOpenError, DaemonFileError
 */
export async function createDaemon(
  { settings, configured, stateDir, host }: DaemonStart,
  logger: Logger,
  changes: Partial<DaemonEdge> = {},
): Promise<DaemonApp> {
  const edge = { ...systemEdge(), ...changes };
  const surface = new HttpSurface({ clock: edge.clock });
  const daemon = await Daemon.open({ settings, configured, stateDir, surface, logger, edge });
  try {
    return { daemon, control: await createControlSurface(daemon, settings, logger, { surface, host }) };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}
