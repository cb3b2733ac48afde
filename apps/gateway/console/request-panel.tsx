import type { TargetedSubmitEvent } from 'preact';
import { Action } from './action';
import type { Desk } from './desk';
import { ask } from './dialog';
import { isReadOnly } from './permission';
import { adviceOnRequest } from './request-advice';
import type { RequestHistory } from './request-history';
import { SendProblem } from './send-problem';
import { Cell, Table } from './table';
import { timeText } from './strategy-view';
import { Foreign, Panel } from './text';
import { acceptUnknown, voidKey } from './trade-writes';

const maxKeyLength = 128;

/** The full history of a request by its key: what the journal and the audit log have of it. */
export function RequestPanel({ desk }: { readonly desk: Desk }) {
  const shown = desk.request.value;
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const key = new FormData(event.currentTarget).get('request-key');
    if (typeof key === 'string' && key.trim() !== '') desk.showRequest(key);
  };
  return (
    <section id="request" class="panel" aria-labelledby="request-form-title">
      <h2 id="request-form-title">History of a request</h2>
      <form class="inline" onSubmit={submit}>
        <label for="request-key">Idempotency key</label>
        <input id="request-key" name="request-key" maxLength={maxKeyLength} autocomplete="off" required />
        <button type="submit">Show</button>
      </form>
      {shown !== null && (
        <Panel key={shown.key} id="history" title={shown.key} feed={shown.feed}>
          {(history) => <History desk={desk} name={shown.key} history={history} />}
        </Panel>
      )}
    </section>
  );
}

interface HistoryProps {
  readonly desk: Desk;
  readonly name: string;
  readonly history: RequestHistory;
}

function History({ desk, name, history: { report, unresolved, audit } }: HistoryProps) {
  const { meaning, advice, action } = adviceOnRequest(report, unresolved);
  const reason = isReadOnly(desk) ? 'this key is read-only' : null;
  return (
    <>
      <p id="meaning">
        <b>{report === null ? 'not in the journal' : report.status}</b>: {meaning}
      </p>
      {advice !== null && <p class="advice">{advice}</p>}
      {action === 'void' && (
        <Action label="Make void" target={name} reason={reason} onClick={() => askToVoid(desk, name)} />
      )}
      {action === 'accept' && (
        <Action label="Accept" target={name} reason={reason} onClick={() => askToAccept(desk, name)} />
      )}
      {report !== null && (
        <p>
          {report.route ?? 'route no longer known'}, first used{' '}
          {report.created_at === null ? 'at a time that is no longer known' : `${timeText(report.created_at)} UTC`}
        </p>
      )}
      {report?.response_status != null && (
        <details>
          <summary>Answer to a repetition: {report.response_status}</summary>
          <pre>{JSON.stringify(report.response, null, 2)}</pre>
        </details>
      )}
      {unresolved?.sends.map(({ intent_id: id, purpose, symbol, reason: why }) => (
        <p key={id}>
          Send of unknown outcome, {purpose.replace('_', ' ')}: <SendProblem symbol={symbol} reason={why} />
        </p>
      ))}
      <AuditTable audit={audit} />
    </>
  );
}

const auditColumns = [
  ...['timestamp', 'sequence', 'event', 'api_key', 'symbol', 'side', 'volume_requested', 'volume_filled'],
  ...['price_requested', 'price_filled', 'ticket', 'deal', 'retcode_name', 'error_type', 'latency_ms'],
] as const;

function headingOf(column: (typeof auditColumns)[number]): string {
  if (column === 'timestamp') return 'Written (UTC)';
  return `${column.charAt(0).toUpperCase()}${column.slice(1).replaceAll('_', ' ')}`;
}

function AuditTable({ audit: { lines, complete } }: Pick<RequestHistory, 'audit'>) {
  // What no line has takes no space.
  const columns = auditColumns.filter((name) => lines.some((line) => cellText(line[name]) !== ''));
  return (
    <>
      <h3>Audit log</h3>
      {!complete && <p class="advice">The log was not read from its line 1: older lines of this key may exist.</p>}
      {lines.length === 0 ? (
        <p>No lines of this key.</p>
      ) : (
        <Table headings={columns.map(headingOf)}>
          {lines.map((line, index) => (
            <tr key={index} role="row">
              {columns.map((name) => (
                <Cell key={name} label={headingOf(name)}>
                  <Foreign text={name === 'timestamp' ? timeText(line[name]) : cellText(line[name])} />
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function cellText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function askToVoid(desk: Desk, name: string): void {
  ask({
    title: 'Make the key void?',
    content: (
      <p>
        Any request under <code>{name}</code> is refused from then on, even one that is on its way now.
      </p>
    ),
    confirm: 'Make void',
    isDangerous: true,
    onConfirm: () => {
      void voidKey(desk, name);
      return null;
    },
  });
}

/** Asks, then accepts an undecidable outcome. @param name the key, or the id of a request without one */
export function askToAccept(desk: Desk, name: string): void {
  ask({
    title: 'Accept that the outcome stays unknown?',
    content: (
      <p>
        The request <code>{name}</code> leaves the list of unknown outcomes. Compare the position or order with the
        broker first.
      </p>
    ),
    confirm: 'Accept outcome',
    isDangerous: true,
    onConfirm: () => {
      void acceptUnknown(desk, name);
      return null;
    },
  });
}
