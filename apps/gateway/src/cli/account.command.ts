import { table } from '@libs/command-line';
import { moneyText } from '@libs/gateway-client';
import { printJson, type CommandCall } from './command';
import { exitCodes } from './exit-codes';
import { currencyDigits } from './list.commands';

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

/** `gateway equity`: balance and equity over time, one row for each hour; with `--json` every reading. */
export async function equity(call: CommandCall): Promise<number> {
  const { client, flags } = call;
  const since = new Date(Date.now() - (flags.hours ?? 24) * 3_600_000);
  const rows = await client.reads.equity({ since, ...(flags.json ? {} : { every_minutes: 60 }) });
  if (flags.json) {
    printJson(call, rows);
    return exitCodes.fine;
  }
  const digits = rows.length === 0 ? undefined : await currencyDigits(call);
  const cells = rows.map(({ at, balance, equity: value }) => [
    ...[at.slice(0, 16).replace('T', ' '), moneyText(balance, digits), moneyText(value, digits)],
  ]);
  call.out(rows.length === 0 ? 'nothing recorded in this time' : table(['TIME (UTC)', 'BALANCE', 'EQUITY'], cells));
  return exitCodes.fine;
}
