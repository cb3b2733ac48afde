import { setTimeout as pause } from 'node:timers/promises';
import { UsageError } from '@libs/command-line';
import { countText } from '@libs/gateway-client/figure-text';
import { ask, pathOf, type AskingFlags } from './control-client';
import { notPickedUp, printResult, resultOf } from './leave-command';
import { argumentsOf, commands } from './commands';

/** The members of a status that show whether anything is open. */
interface OpenBody {
  readonly positions: readonly Ticket[];
  readonly pendingOrders: readonly Ticket[];
  readonly orders: { readonly inFlight: number };
  readonly accountAsOf: string | null;
  /** `reason`: why the account is not believed; null if it is. */
  readonly accounts: readonly { readonly gateway: string; readonly reason: string | null }[];
}

interface Ticket {
  readonly ticket: number;
  readonly symbol: string;
  readonly broker: string;
}

interface ReportedBody {
  readonly gateways: readonly { readonly name: string; readonly account?: { readonly asOf: string | null } | null }[];
}

const lookAgainMs = 250;
/** A report that takes longer does not keep a flat strategy from being called flat. */
const longestReportMs = 5_000;

/** `daemon flatten NAME`: halts a strategy, closes its positions and cancels its pending orders, while the daemon runs. */
export async function flatten(args: readonly string[]): Promise<number> {
  const { flags, words } = argumentsOf(commands.flatten, args);
  const [name] = words;
  if (name === undefined) throw new UsageError('flatten needs a strategy name');
  const asked = new Date().toISOString();
  const result = await resultOf({ command: 'flatten', name, reason: flags.reason ?? 'by the operator' }, flags);
  if (result === null) return notPickedUp(flags);
  // As JSON, only the end is printed: one document.
  if (!result.ok || flags.json !== true) printResult(result, flags);
  return result.ok ? untilFlat(name, asked, (flags.wait ?? 30) * 1_000, flags) : 1;
}

/**
 * Waits until an explained account shows nothing open that was read after the command, and after anything that was open or in flight.
 * @returns the exit code
 */
export async function untilFlat(name: string, asked: string, waitMs: number, flags: AskingFlags): Promise<number> {
  let since = asked;
  for (let waitedMs = 0; ; waitedMs += lookAgainMs) {
    const body = await ask<OpenBody>(`/status/${pathOf(name)}`, flags);
    const open = openOf(body, since);
    if (isBusy(body)) since = new Date().toISOString();
    if (open.length === 0) {
      await untilReported(body, flags);
      printResult({ ok: true, message: `${name} is flat` }, flags);
      return 0;
    }
    if (waitedMs >= waitMs) {
      printResult({ ok: false, message: `not flat yet, the daemon continues: ${open.join(', ')}` }, flags);
      return 1;
    }
    await pause(lookAgainMs);
  }
}

/** Waits for an attribution of the accounts after the last request, so that `daemon status` shows no request in flight. */
async function untilReported({ accounts }: OpenBody, flags: AskingFlags): Promise<void> {
  const [since, mine] = [new Date().toISOString(), accounts.map(({ gateway }) => gateway)];
  for (let waitedMs = 0; waitedMs < longestReportMs; waitedMs += lookAgainMs) {
    if (isReported(await ask<ReportedBody>('/health', flags), mine, since)) return;
    await pause(lookAgainMs);
  }
}

/** Whether the accounts of these gateways were attributed since an instant, ISO 8601. */
export function isReported({ gateways }: ReportedBody, names: readonly string[], since: string): boolean {
  return gateways.every(({ name, account }) => {
    const asOf = account?.asOf ?? null;
    return !names.includes(name) || (asOf !== null && asOf >= since);
  });
}

/** Whether a strategy has something open or in flight. */
export function isBusy({ positions, pendingOrders, orders }: OpenBody): boolean {
  return positions.length + pendingOrders.length + orders.inFlight > 0;
}

/** What keeps a strategy from being flat. @param asked time of the command, ISO 8601 */
export function openOf(
  { positions, pendingOrders, orders, accountAsOf, accounts }: OpenBody,
  asked: string,
): readonly string[] {
  const named =
    (what: string) =>
    (row: Ticket): string =>
      `${what} ${row.ticket} of ${row.symbol} on ${row.broker}`;
  const isOld = accountAsOf === null || accountAsOf < asked;
  return [
    ...positions.map(named('position')),
    ...pendingOrders.map(named('pending order')),
    ...(orders.inFlight > 0 ? [`${countText(orders.inFlight, 'request')} in flight`] : []),
    ...accounts.flatMap(({ gateway, reason }) => (reason === null ? [] : [`the account of ${gateway}: ${reason}`])),
    ...(isOld ? ['the account could not be read since'] : []),
  ];
}
