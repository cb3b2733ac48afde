import type { AuditVerification } from '@libs/gateway-client';
import { countText } from '@libs/gateway-client';
import type { Desk } from './desk';
import { now } from './feed';
import { ageOf } from './reading';
import { Foreign } from './text';

/** Whether the audit log can be written, and whether its lines hold together. */
export function AuditPanel({ desk }: { readonly desk: Desk }) {
  const { reading, isRunning } = desk.audit;
  const { value, error } = reading.value;
  const age = ageOf(reading.value, now.value);
  return (
    <section id="audit" class="panel" aria-labelledby="audit-title">
      <h2 id="audit-title">Audit log {age !== null && <small class="age">verified {age}</small>}</h2>
      <Writable desk={desk} />
      {error !== null && <p role="alert">Not verified: {error}</p>}
      {value !== null && <Findings found={value} />}
      <button type="button" disabled={isRunning.value} onClick={() => void desk.audit.run()}>
        {isRunning.value ? 'Verifying…' : 'Verify the audit log'}
      </button>
    </section>
  );
}

function Writable({ desk }: { readonly desk: Desk }) {
  const health = desk.health.current;
  if (health === null) return null;
  const { state, error } = health.audit;
  return <p>{state === 'ok' ? 'The log can be written to.' : `${state}: ${error ?? 'no reason given'}.`}</p>;
}

function Findings({ found }: { readonly found: AuditVerification }) {
  const { consistent, lines, first_sequence: first, last_sequence: last, problems, problem_count: count } = found;
  const figures = [
    `${countText(lines, 'line')}${first === null ? '' : `, ${first} to ${last}`}`,
    `${countText(found.intents, 'send')} to the broker`,
    `${found.in_flight} in flight`,
    `${found.unresolved} of unknown outcome`,
  ];
  if (consistent) return <p>The log holds together: {figures.join('; ')}.</p>;
  return (
    <div role="alert">
      <p>
        <b class="state rejected">{count} problems</b> in {figures.join('; ')}.
      </p>
      <ul>
        {problems.map((problem) => (
          <li key={problem}>
            <Foreign text={problem} />
          </li>
        ))}
      </ul>
      <p class="advice">Keep a copy of the file, and compare it with a backup: lines were removed or changed.</p>
    </div>
  );
}
