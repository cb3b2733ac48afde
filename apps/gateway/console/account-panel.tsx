import type { AccountRecord } from '@libs/gateway-client';
import type { Desk } from './desk';
import { money as moneyText, resultClass } from './figures';
import { Panel } from './text';

export function AccountPanel({ desk }: { readonly desk: Desk }) {
  return (
    <Panel id="account" title="Account" feed={desk.account}>
      {(account) => (
        <dl class="figures">
          {figuresOf(account).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class={name === 'Floating' ? resultClass(account.profit) : ''}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}

function figuresOf(account: AccountRecord): (readonly [name: string, value: string])[] {
  const money = (amount: number): string => `${moneyText(amount, account.currency_digits)} ${account.currency}`;
  return [
    ['Balance', money(account.balance)],
    ['Equity', money(account.equity)],
    ['Floating', `${account.profit > 0 ? '+' : ''}${money(account.profit)}`],
    ['Margin', money(account.margin)],
    ['Free margin', money(account.margin_free)],
    ['Margin level', account.margin === 0 ? 'no margin used' : `${moneyText(account.margin_level, 2)} %`],
  ];
}
