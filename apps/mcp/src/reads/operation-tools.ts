import {
  auditVerificationFields,
  fenceFields,
  lastErrorFields,
  readinessFields,
  setAsideNotificationFields,
  signalFields,
} from '@libs/records';
import type { DaemonStrategies } from '@libs/gateway-client';
import { z } from 'zod';
import { given } from './account-tools';
import { pageFrom } from './page';
import { readTool } from './read-tool';
import { pageInput, pageOf, rowOf } from './schemas';

const keyInput = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters');
const anything = z.looseObject({});

/** Reads of the gateway itself. */
export const operationTools = [
  readTool(
    'get_health',
    'The whole state of the gateway: session, journal, audit log, limits on entries, differences, kill switch.',
    {},
    z.looseObject({ status: z.string(), terminal_status: z.string(), kill_switch_active: z.boolean() }),
    ({ reads }) => reads.health(),
  ),
  readTool(
    'get_readiness',
    'Whether the gateway would take a trade request now, with the state of each check.',
    {},
    rowOf(readinessFields),
    ({ reads }) => reads.healthReady(),
  ),
  readTool(
    'get_kill_switch',
    'Whether trading is halted. Only a person engages or releases the kill switch.',
    {},
    z.object({ kill_switch_active: z.boolean(), file: anything.nullable() }),
    async ({ reads }) => {
      const { kill_switch_active, kill_switch_file } = await reads.health();
      return { kill_switch_active, file: kill_switch_file };
    },
  ),
  readTool(
    'list_limits',
    'Each limit on entries that the operator of the gateway set, with its current value.',
    { ...pageInput },
    pageOf(anything),
    async ({ reads }, { limit, cursor }) => pageFrom((await reads.health()).limits, limit, cursor),
  ),
  readTool(
    'reconcile',
    "Whether the broker's account agrees with the gateway's journal: counts, unresolved requests and differences.",
    { magic: z.int().min(0).optional(), lookback_hours: z.int().min(1).max(720).optional() },
    z.object({
      as_of: z.string(),
      positions: z.number(),
      orders: z.number(),
      deals: z.number(),
      unresolved: z.array(anything).describe('Requests whose outcome is not known; at most 20.'),
      unresolved_total: z.number(),
      differences: z.array(anything).describe('At most 20.'),
      differences_total: z.number(),
    }),
    async ({ reads }, filter) => {
      const { as_of, positions, orders, deals, unresolved, differences } = await reads.reconcile(given(filter));
      return {
        as_of,
        positions: positions.length,
        orders: orders.length,
        deals: deals.length,
        unresolved: unresolved.slice(0, 20),
        unresolved_total: unresolved.length,
        differences: differences.slice(0, 20),
        differences_total: differences.length,
      };
    },
  ),
  readTool(
    'get_trade_request',
    'What the journal has of an idempotency key; `found` is false if it has none. A handle of this server is a key.',
    { key: keyInput },
    z.object({ found: z.boolean(), request: anything.nullable() }),
    async ({ reads }, { key }) => {
      const request = await reads.tradeRequest(key);
      return { found: request !== null, request };
    },
  ),
  readTool(
    'get_trade_request_audit',
    'The lines of an idempotency key in the audit log, oldest first.',
    { key: keyInput, ...pageInput },
    pageOf(anything).extend({ complete: z.boolean().describe('False: missing lines prove nothing.') }),
    async ({ reads }, { key, limit, cursor }) => {
      const { lines, complete } = await reads.auditLines(key);
      return { ...pageFrom(lines, limit, cursor), complete };
    },
  ),
  readTool(
    'verify_audit_log',
    'Checks the whole audit log. A long one takes seconds.',
    {},
    rowOf(auditVerificationFields),
    ({ reads }) => reads.auditVerification(),
  ),
  readTool(
    'list_signals',
    'The newest alerts of other programs, and what became of each, newest first.',
    {
      source: z.string().max(64).optional(),
      after: z.int().min(0).optional().describe('Only later numbers.'),
      ...pageInput,
    },
    pageOf(rowOf(signalFields)),
    async ({ reads }, { limit, cursor, ...query }) => pageFrom(await reads.signals(given(query)), limit, cursor),
  ),
  readTool(
    'list_fences',
    'The fences of strategies: which holder may trade for each.',
    { ...pageInput },
    pageOf(rowOf(fenceFields)),
    async ({ fences }, { limit, cursor }) => pageFrom(await fences.all(), limit, cursor),
  ),
  readTool(
    'list_strategies',
    'The strategies of the daemon that the gateway knows; `problem` says why there is no list.',
    { ...pageInput },
    pageOf(anything).extend({ problem: z.string().nullable() }),
    async ({ reads }, { limit, cursor }) => {
      const { strategies, ...rest } = await reads.daemonStrategies();
      return { ...pageFrom(strategies ?? [], limit, cursor), problem: problemIn(strategies, rest) };
    },
  ),
  readTool(
    'get_strategy_log',
    'The newest lines of the log of one strategy, oldest first.',
    { name: z.string().min(1).max(200), count: z.int().min(1).max(1_000).default(50), ...pageInput },
    pageOf(z.object({ line: z.string() })).extend({ problem: z.string().nullable() }),
    async ({ reads }, { name, count, limit, cursor }) => {
      const { lines, ...rest } = await reads.strategyLog(name, count);
      const rows = (lines ?? []).map((line) => ({ line }));
      return { ...pageFrom(rows, limit, cursor), problem: problemIn(lines, rest) };
    },
  ),
  readTool(
    'list_set_aside_notifications',
    'Notifications that their receiver refused for a day.',
    { ...pageInput },
    pageOf(rowOf(setAsideNotificationFields)),
    async ({ reads }, { limit, cursor }) => pageFrom(await reads.setAsideNotifications(), limit, cursor),
  ),
  readTool(
    'get_last_error',
    "The result of the terminal's last call; code 1 is success.",
    {},
    rowOf(lastErrorFields),
    ({ reads }) => reads.lastError(),
  ),
  readTool(
    'get_metrics',
    'Counters of the gateway, as rows of their text.',
    { search: z.string().min(1).max(100).default('gateway').describe('Only rows that contain it.'), ...pageInput },
    pageOf(z.object({ line: z.string() })),
    async ({ reads }, { search, limit, cursor }) => {
      const lines = (await reads.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      const rows = lines.filter((line) => line.includes(search)).map((line) => ({ line }));
      return pageFrom(rows, limit, cursor);
    },
  ),
];

/** A missing list is no empty list. */
function problemIn(list: unknown, rest: Pick<DaemonStrategies, 'daemon' | 'error'>): string | null {
  if (list !== null) return null;
  return rest.daemon === 'none' ? 'the gateway knows no daemon' : (rest.error ?? 'the daemon gave no list');
}
