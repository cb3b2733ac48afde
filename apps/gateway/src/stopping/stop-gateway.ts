import type { INestApplication } from '@nestjs/common';
import type { End } from '@libs/clock';
import type { Logger } from 'pino';
import type { GatewaySettings } from '../gateway.config';
import type { TradeJournal } from '../trade-journal/trade-journal';
import { Stopping } from './stopping';

/** Below the 20 s after which Compose kills, and above the answer of a terminal in good order. */
const stopMs = 15_000;
/** The window of a terminal is asked to close for 10 s; the terminal and the bridge then have 5 s each. */
const stopOfHostMs = 45_000;

/** Ends readiness and entries at once, whatever the parts of the gateway then wait for, and stops it. */
export async function stopGateway(app: INestApplication): Promise<void> {
  app.get(Stopping, { strict: false }).begin();
  await app.close();
}

/** Longest time from the signal to the end of the process, in milliseconds. */
export function stopLimitMs({
  SHUTDOWN_DRAIN_SECONDS,
  TERMINAL_DRIVER,
  TERMINAL_HOST,
}: Pick<GatewaySettings, 'SHUTDOWN_DRAIN_SECONDS' | 'TERMINAL_DRIVER' | 'TERMINAL_HOST'>): number {
  const endsTerminal = TERMINAL_DRIVER === 'bridge' && TERMINAL_HOST;
  return SHUTDOWN_DRAIN_SECONDS * 1_000 + (endsTerminal ? stopOfHostMs : stopMs);
}

/**
 * The exit code of an end, which is logged unless it is in order. A send that is under way then is not lost: its intent is in the
 * journal, and the next start looks for its outcome, as after SIGKILL.
 */
export function endCode(end: End, logger: Logger, journal: Pick<TradeJournal, 'running'>): number {
  if (end.kind === 'stopped') return 0;
  if (end.kind === 'failed') {
    logger.fatal({ err: end.error }, 'stopping failed');
    return 1;
  }
  const requests = journal.running().length;
  const why = end.kind === 'late' ? 'the stop took too long' : 'a second signal came';
  logger.error({ requests }, `${why}: ended at once; the next start looks for the outcomes of requests under way`);
  return 1;
}
