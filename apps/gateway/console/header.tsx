import type { AccountRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { money } from './figures';
import { now } from './feed';
import { accountMode, isHalted, killReason, reasonsNotReady } from './gateway-state';
import { askToKill, askToRelease } from './kill';
import { isReadOnly } from './permission';
import { ageOf } from './reading';
import { closeSession } from './session';
import { shownTab } from './tab';
import { Attention, Tabs } from './tabs';
import { Foreign } from './text';
import { openWriteOf, writes } from './writes';

/** Always visible: which account this is, whether money is real, whether trading is halted, and why it is not possible. */
export function Header({ desk }: { readonly desk: Desk }) {
  const account = desk.account.reading.value.value;
  const mode = account === null ? null : accountMode(account.trade_mode);
  return (
    <header class={mode ?? 'unknown'}>
      <h1 class="unseen">Trading gateway</h1>
      <div class="facts">
        <strong id="mode">{modeText(mode)}</strong>
        {desk.login.value !== null && <span id="login">account {desk.login.value}</span>}
        {account !== null && (
          <span id="server" title={account.server}>
            <Foreign text={account.server} />
          </span>
        )}
        <Money desk={desk} account={account} />
        <KillSwitch desk={desk} account={account} />
      </div>
      <Outage desk={desk} />
      <NotReady desk={desk} />
      <Latest />
      {isReadOnly(desk) && (
        <p id="read-only">
          This key is read-only (API_KEY_READONLY): orders, closing, changing, cancelling and the kill switch need
          API_KEY.
        </p>
      )}
      <Attention desk={desk} />
      <div class="bar">
        <Tabs desk={desk} />
        <button type="button" id="leave" title="Forget the key" onClick={() => closeSession(null)}>
          <span aria-hidden="true">⏏</span> <span class="word">Forget the key</span>
        </button>
      </div>
    </header>
  );
}

/** Equity and floating result. What is not current states how old it is. */
function Money({ desk, account }: { readonly desk: Desk; readonly account: AccountRecord | null }) {
  if (account === null) return null;
  const { equity, profit, currency, currency_digits: digits } = account;
  const isCurrent = desk.account.standing === 'current';
  const age = isCurrent ? null : ageOf(desk.account.reading.value, now.value);
  return (
    <span id="money-now" class={isCurrent ? '' : 'stale'}>
      Equity{' '}
      <b>
        {money(equity, digits)} {currency}
      </b>{' '}
      Floating{' '}
      <b>
        {profit > 0 ? '+' : ''}
        {money(profit, digits)}
      </b>
      {age !== null && <small class="age"> {age}</small>}
    </span>
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
    <>
      <span class="state-of-trading">
        <span id="kill-switch" class={desk.health.current?.kill_switch_active === true ? 'halted' : ''}>
          {killText(desk)}
        </span>{' '}
        <Checked desk={desk} />
        <Ready desk={desk} />
      </span>
      <span class={`kill ${isReadOnly(desk) ? 'denied' : ''} ${last?.kill_switch_active === true ? 'halted' : ''}`}>
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
    </>
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
      No answer from the gateway: {reading.error ?? `the last one came ${ageOf(reading, now.value) ?? 'never'}`}. What
      is shown below is not current; each part states its age.
    </p>
  );
}

/** The outcome of the newest request, for a screen that has no room for the list of them. */
function Latest() {
  const [latest] = writes.value;
  if (latest === undefined) return null;
  return (
    <button type="button" id="latest" class={`link ${latest.state}`} onClick={() => (shownTab.value = 'Requests')}>
      <b>{latest.state}</b>: <Foreign text={latest.state === 'done' ? latest.text : `${latest.what}: ${latest.text}`} />
    </button>
  );
}

function Ready({ desk }: { readonly desk: Desk }) {
  const isReady = desk.health.standing === 'current' && reasonsOf(desk)?.length === 0;
  return isReady ? <span id="ready">ready</span> : null;
}

function NotReady({ desk }: { readonly desk: Desk }) {
  const reasons = reasonsOf(desk);
  if (reasons === null || reasons.length === 0) return null;
  return (
    <p id="not-ready" role="alert">
      {isHalted(reasons)
        ? `Trading is halted: ${killReason}. Orders, closes and changes are refused until it is released; cancelling and reading still work.`
        : `Not ready: ${reasons.join('; ')}.`}
    </p>
  );
}

/** Why an order would not be taken now; null while it is not known. */
function reasonsOf(desk: Desk): readonly string[] | null {
  const readiness = desk.readiness.current;
  if (readiness === null) return null;
  const reasons = reasonsNotReady(readiness, desk.health.current);
  const shown = desk.health.current?.account ?? null;
  const { value: login } = desk.login;
  if (login === null || shown === null || shown === login) return reasons;
  return [
    ...reasons,
    `account ${shown} is logged in now; this page shows ${login}. Reload the page for the other account`,
  ];
}
