import { table } from '@libs/command-line';
import { moneyText } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { exitCodes } from './exit-codes';

const modes = ['demo', 'contest', 'real'];

/** `gateway account`: balance, equity and margin of the account. */
export async function account(call: CommandCall): Promise<number> {
  const record = await call.client.reads.account();
  if (call.flags.json) {
    printJson(call, record);
    return exitCodes.fine;
  }
  const { login, server, currency, trade_mode: mode, currency_digits: digits } = record;
  const money = (amount: number): string => moneyText(amount, digits);
  const rows = [
    [`${login}`, server, modes[mode] ?? mode, currency, money(record.balance), money(record.equity)].concat([
      ...[money(record.profit), money(record.margin), money(record.margin_free)],
      record.margin === 0 ? '-' : `${record.margin_level.toFixed(2)} %`,
    ]),
  ];
  const headings = [
    'ACCOUNT',
    'SERVER',
    'MODE',
    'CURRENCY',
    'BALANCE',
    'EQUITY',
    'FLOATING',
    'MARGIN',
    'FREE',
    'LEVEL',
  ];
  call.out(table(headings, rows));
  return exitCodes.fine;
}
