import { Injectable, Logger } from '@nestjs/common';
import { totalVolume, type Exposure } from '@libs/order-drafts';
import { TerminalSession } from '../terminal-session/terminal-session';
import { EntryLimitsGate } from './entry-limits';
import type { EntryLimitRow } from './entry-limits.response';

/** Longest wait of /health or a scrape for the terminal. */
const readTimeoutMs = 1_000;

/** The entry limits with their current values, for /health and /metrics. */
@Injectable()
export class EntryLimitsReport {
  private readonly logger = new Logger('entry-limits');
  private reading: Promise<Exposure | null> | null = null;

  constructor(
    private readonly gate: EntryLimitsGate,
    private readonly session: TerminalSession,
  ) {}

  /** One row per limit that is set (per symbol for limits per symbol); a value that cannot be read is null. */
  async rows(): Promise<EntryLimitRow[]> {
    const { limits } = this.gate;
    if (limits === null) return [];
    const exposure = await this.gate.within(this.read(), readTimeoutMs);
    const { maxOrdersPerMinute, maxOpenVolume, maxOpenVolumePerSymbol, maxDailyLoss } = limits;
    return [
      ...row('MAX_ORDERS_PER_MINUTE', maxOrdersPerMinute, this.gate.ordersLastMinute()),
      ...symbolRows(maxOpenVolumePerSymbol, exposure),
      ...row('MAX_OPEN_VOLUME', maxOpenVolume, exposure?.openVolume ? totalVolume(exposure.openVolume) : null),
      ...row('MAX_DAILY_LOSS', maxDailyLoss, exposure?.dailyLoss ?? null),
    ];
  }

  /** Simultaneous requests share a read. A disconnected terminal is not read. */
  private read(): Promise<Exposure | null> {
    if (this.session.status().state !== 'connected') return Promise.resolve(null);
    return (this.reading ??= this.gate
      .exposure()
      .catch((error: unknown) => {
        this.logger.debug({ err: error }, 'the account cannot be read for the entry limits');
        return null;
      })
      .finally(() => (this.reading = null)));
  }
}

function row(setting: string, limit: number | null, value: number | null): EntryLimitRow[] {
  return limit === null ? [] : [{ setting, symbol: null, limit, value }];
}

/** A row per symbol with open volume; without any, one row that shows the limit. */
function symbolRows(limit: number | null, exposure: Exposure | null): EntryLimitRow[] {
  const setting = 'MAX_OPEN_VOLUME_PER_SYMBOL';
  if (limit === null) return [];
  const volumes = [...(exposure?.openVolume ?? [])].filter(([, volume]) => volume > 0);
  if (volumes.length === 0) return row(setting, limit, exposure?.openVolume ? 0 : null);
  return volumes.sort(([a], [b]) => (a < b ? -1 : 1)).map(([symbol, value]) => ({ setting, symbol, limit, value }));
}
