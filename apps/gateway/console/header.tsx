import type { AccountRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { now } from './feed';
import { accountMode, reasonsNotReady } from './gateway-state';
import { askToKill, askToRelease } from './kill';
import { isReadOnly } from './permission';
import { ageOf } from './reading';
import { closeSession } from './session';
import { Foreign } from './text';
import { openWriteOf, writes } from './writes';

/** Always visible: which account this is, whether money is real, whether trading is halted, and why it is not possible. */
export function Header({ desk }: { readonly desk: Desk }) {
  const account = desk.account.reading.value.value;
  const mode = account === null ? null : accountMode(account.trade_mode);
  return (
    <header class={mode ?? 'unknown'}>
      <div class="facts">
        <strong id="mode">{modeText(mode)}</strong>
        <span id="login">{desk.login.value === null ? 'no account' : `account ${desk.login.value}`}</span>
        <span id="server">{account === null ? 'server not known' : <Foreign text={account.server} />}</span>
        <KillSwitch desk={desk} account={account} />
        <Ready desk={desk} />
        <button type="button" id="leave" onClick={() => closeSession(null)}>
          Forget the key
        </button>
      </div>
      <Outage desk={desk} />
      <NotReady desk={desk} />
      <Latest />
      {isReadOnly(desk) && (
        <p id="read-only">
          This key is read-only (API_KEY_READONLY): closing, changing, cancelling and the kill switch need API_KEY.
        </p>
      )}
    </header>
  );
}

function modeText(mode: ReturnType<typeof accountMode> | null): string {
  if (mode === null) return 'account not known';
  return mode === 'real' ? 'REAL MONEY' : mode;
}

function accountText(desk: Desk, account: AccountRecord | null): string {
  const { value: login } = desk.login;
  if (account === null) return login === null ? 'The account is not known.' : `Account ${login}`;
  return `Account ${account.login} on ${account.server}, ${modeText(accountMode(account.trade_mode))}`;
}

function KillSwitch({ desk, account }: { readonly desk: Desk; readonly account: AccountRecord | null }) {
  const last = desk.health.reading.value.value;
  const text = accountText(desk, account);
  const isDisabled = isReadOnly(desk) || openWriteOf('kill switch')?.state === 'in flight';
  return (
    <span class="kill">
      <span id="kill-switch" class={desk.health.current?.kill_switch_active === true ? 'halted' : ''}>
        {killText(desk)}
      </span>{' '}
      <Checked desk={desk} />
      <button type="button" class="danger" disabled={isDisabled} onClick={() => askToKill(desk, text)}>
        Halt trading
      </button>
      <button
        type="button"
        class="release"
        disabled={isDisabled || last?.kill_switch_active === false}
        onClick={() => askToRelease(desk, text)}
      >
        Release
      </button>
    </span>
  );
}

/** The age of what the header states. During an outage, the outage itself states it. */
function Checked({ desk }: { readonly desk: Desk }) {
  const age = ageOf(desk.health.reading.value, now.value);
  return desk.health.standing === 'current' ? <small class="age">checked {age}</small> : null;
}

function killText(desk: Desk): string {
  const health = desk.health.reading.value;
  if (health.value === null) return 'kill switch: not known';
  const state = health.value.kill_switch_active ? 'active' : 'inactive';
  if (desk.health.standing === 'current') return `kill switch: ${state}`;
  return `kill switch: not known (${state} ${ageOf(health, now.value)})`;
}

/** Shown as soon as the gateway does not answer. */
function Outage({ desk }: { readonly desk: Desk }) {
  const reading = desk.health.reading.value;
  if (desk.health.standing === 'current') return null;
  return (
    <p id="outage" role="alert">
      No answer from the gateway: {reading.error ?? 'the last one is too old'}. What is shown below was read{' '}
      {ageOf(reading, now.value) ?? 'never'} and is not current.
    </p>
  );
}

/** The outcome of the newest request, for a screen that has no room for the list of them. */
function Latest() {
  const [latest] = writes.value;
  if (latest === undefined) return null;
  return (
    <a id="latest" href="#writes">
      <b>{latest.state}</b>: <Foreign text={latest.state === 'done' ? latest.text : `${latest.what}: ${latest.text}`} />
    </a>
  );
}

function Ready({ desk }: { readonly desk: Desk }) {
  return whyNotReady(desk)?.length === 0 ? <span id="ready">ready</span> : null;
}

function NotReady({ desk }: { readonly desk: Desk }) {
  const reasons = whyNotReady(desk);
  if (reasons === null || reasons.length === 0) return null;
  return (
    <p id="not-ready" role="alert">
      Not ready: {reasons.join('; ')}.
    </p>
  );
}

/** Null while it is not known. */
function whyNotReady(desk: Desk): readonly string[] | null {
  const readiness = desk.readiness.current;
  if (readiness === null) return null;
  const reasons = reasonsNotReady(readiness, desk.health.current);
  const shown = desk.health.current?.account ?? null;
  const { value: login } = desk.login;
  if (login !== null && shown !== null && shown !== login) {
    reasons.push(`account ${shown} is logged in now; this page shows ${login}. Reload the page for the other account`);
  }
  return reasons;
}
