import type { HealthReport } from '@libs/gateway-client';
import type { Desk } from './desk';
import { durationText } from './reading';
import { timeText } from './strategy-view';
import { Facts, Panel } from './text';

/** What the gateway is, and the state of its parts. */
export function SystemPanel({ desk }: { readonly desk: Desk }) {
  return (
    <Panel id="system" title="Gateway" feed={desk.health}>
      {(health) => <Facts facts={systemFacts(health)} name="settings" />}
    </Panel>
  );
}

/** Names and values; a part that the gateway does not report is not known. */
function systemFacts(health: HealthReport): readonly (readonly [name: string, value: string])[] {
  const { version, uptime_seconds: uptime, terminal_status: terminal, connection, journal, account_evidence } = health;
  return [
    ['Version', version],
    ['Runs for', durationText(uptime * 1_000)],
    ['Terminal', `${words(terminal)}, ${connection.driver}`],
    ['Connected since (UTC)', connection.since === null ? 'not connected' : timeText(connection.since)],
    ['Account evidence', account_evidence === undefined ? 'not known' : words(account_evidence.state)],
    ['Clock of the server', clockText(health.server_time)],
    ['Journal', journal.reason === null ? words(journal.state) : `${words(journal.state)}: ${journal.reason}`],
    ...health.limits.map(({ setting, symbol, limit, value }): [string, string] => [
      symbol === null ? setting : `${setting}, ${symbol}`,
      `${value === null ? 'not known' : value} of ${limit}`,
    ]),
  ];
}

function words(state: string): string {
  return state.replaceAll('_', ' ');
}

/** How far the clock of the broker's server is ahead of UTC. */
function clockText({ offset_seconds: offset }: HealthReport['server_time']): string {
  if (offset === null) return 'not known';
  const minutes = Math.round(Math.abs(offset) / 60);
  const part = (count: number): string => String(count).padStart(2, '0');
  return `UTC${offset < 0 ? '-' : '+'}${part(Math.floor(minutes / 60))}:${part(minutes % 60)}`;
}
