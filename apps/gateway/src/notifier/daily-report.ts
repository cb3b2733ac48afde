import { countText, moneyText } from '@libs/records';
import type { AccountViewReader } from '../entry-limits/account-view';
import type { TerminalAccess } from '../terminal/terminal-access';
import type { Notification } from './notification';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Whether a report is due. Times are those of the broker's clock, in milliseconds as an epoch. */
export function isReportDue(serverMs: number, atMinute: number, lastDay: number): boolean {
  return dayOf(serverMs) > lastDay && serverMs % dayMs >= atMinute * minuteMs;
}

/** The broker's day as a number. */
export function dayOf(serverMs: number): number {
  return Math.floor(serverMs / dayMs);
}

/** The day that counts as reported when a rule is new: its first report comes at its next time. */
export function dayBefore(serverMs: number, atMinute: number): number {
  return isReportDue(serverMs, atMinute, -1) ? dayOf(serverMs) : dayOf(serverMs) - 1;
}

/** Reads the account for a report. */
export class DailyReport {
  constructor(
    private readonly accountView: AccountViewReader,
    private readonly terminal: TerminalAccess,
    private readonly nowMs: () => number,
  ) {}

  /**
   * @param serverMs the broker's clock
   * @throws ApiError if the account cannot be read
   */
  async build(serverMs: number, atMinute: number): Promise<Notification> {
    const { positions, dailyLoss } = await this.accountView.read({ volumes: false, dailyLoss: true, executed: [] });
    const { login, balance, equity, currency, currency_digits: digits } = await this.terminal.readExplainedAccount();
    const day = new Date(serverMs).toISOString().slice(0, 10);
    const time = new Date(serverMs).toISOString().slice(11, 16);
    const result = dailyLoss === null ? null : 0 - dailyLoss;
    const figures = [
      `result ${result === null ? 'unknown' : moneyText(result, digits)} ${currency}, closed and floating`,
      ...[
        `balance ${moneyText(balance, digits)}`,
        `equity ${moneyText(equity, digits)}`,
        countText(positions.length, 'open position'),
      ],
    ];
    return {
      id: `daily-report-${login}-${day}-${atMinute}`,
      type: 'daily_report',
      state: null,
      at: new Date(this.nowMs()).toISOString(),
      account: login,
      text: `broker's day ${day} until ${time} broker time: ${figures.join(', ')}`,
      data: { broker_day: day, broker_time: time, result, balance, equity, currency, positions: positions.length },
    };
  }
}
