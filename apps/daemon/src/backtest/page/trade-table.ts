import type { Page, PageElement } from './dom';
import { escaped, resultClass } from './markup';
import type { PageTrade } from './page-data';
import { columnsOf, sortedTrades, tradesCsv, type TradeColumn } from './trade-list';

/** Rows that are shown at first: a table of many thousands takes seconds to open. */
const firstRows = 2_000;

interface Shown {
  readonly startMs: number;
  /** Of the prices of each symbol. */
  readonly digits: ReadonlyMap<string, number>;
  readonly money: (amount: number) => string;
  readonly trades: readonly PageTrade[];
}

/** Shows the list of trades. A click on the head of a column sorts it; a button saves it as CSV. */
export function showTrades(page: Page, data: Shown, onChosen: (trade: PageTrade) => void): void {
  const [table, more, csv] = ['#trades', '#more', '#csv'].map((selector) => page.querySelector(selector));
  if (!table || !more || !csv) throw new Error('the page has no list of trades');
  const columns = columnsOf(data.trades);
  let [column, isDescending, rows]: [TradeColumn, boolean, number] = ['closed', false, firstRows];
  const show = (): void => {
    const order = sortedTrades(data.trades, column, isDescending).slice(0, rows);
    table.innerHTML = `${headOf(columns, column, isDescending)}${order.map((index) => rowOf(data, columns, index)).join('')}`;
    more.hidden = data.trades.length <= rows;
    listen(table, columns, (name) => {
      [column, isDescending] = [name, name === column && !isDescending];
      show();
    });
    for (const row of table.querySelectorAll('tr[data-trade]')) choose(row, data.trades, onChosen);
  };
  more.addEventListener('click', () => {
    rows = data.trades.length;
    show();
  });
  csv.addEventListener('click', () => {
    const link = page.createElement('a');
    link.href = URL.createObjectURL(new Blob([tradesCsv(data.trades, data.startMs)], { type: 'text/csv' }));
    link.download = 'trades.csv';
    link.click();
  });
  show();
}

function listen(table: PageElement, columns: readonly TradeColumn[], onSort: (column: TradeColumn) => void): void {
  for (const button of table.querySelectorAll('button[data-column]')) {
    const name = columns.find((column) => column === button.dataset['column']);
    if (name) button.addEventListener('click', () => onSort(name));
  }
}

function choose(row: PageElement, trades: readonly PageTrade[], onChosen: (trade: PageTrade) => void): void {
  const trade = trades[Number(row.dataset['trade'])];
  if (!trade) return;
  row.addEventListener('click', () => onChosen(trade));
  row.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') onChosen(trade);
  });
}

function headOf(columns: readonly TradeColumn[], sorted: TradeColumn, isDescending: boolean): string {
  const names = columns.map((column) => {
    const order = isDescending ? 'descending' : 'ascending';
    const mark = isDescending ? ' ▼' : ' ▲';
    const [attribute, shown] = column === sorted ? [` aria-sort="${order}"`, mark] : ['', ''];
    return `<th role="columnheader" class="${textClass(column)}"${attribute}><button data-column="${column}">${headings[column] ?? column}${shown}</button></th>`;
  });
  return `<tr role="row">${names.join('')}</tr>`;
}

/** Headings that are not the names of their columns. */
const headings: Partial<Record<TradeColumn, string>> = { mae: 'MAE', mfe: 'MFE', by: 'closed by' };
const texts: readonly TradeColumn[] = ['strategy', 'opened', 'closed', 'side', 'symbol', 'by', 'tag'];

function rowOf({ trades, startMs, digits, money }: Shown, columns: readonly TradeColumn[], index: number): string {
  const trade = trades[index];
  if (!trade) return '';
  const time = (seconds: number): string =>
    new Date(startMs + seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');
  const price = (value: number | null): string => (value === null ? '–' : value.toFixed(digits.get(trade.symbol)));
  const cellsByColumn: Readonly<Record<TradeColumn, string>> = {
    opened: time(trade.opened),
    closed: time(trade.closed),
    symbol: trade.symbol,
    by: trade.by === 'sl' || trade.by === 'tp' ? trade.by.toUpperCase() : trade.by,
    side: trade.side === 'buy' ? '▲ buy' : '▼ sell',
    lots: String(trade.lots),
    entry: price(trade.entry),
    exit: price(trade.exit),
    mae: price(trade.mae),
    mfe: price(trade.mfe),
    costs: money(trade.costs),
    result: money(trade.result),
    strategy: trade.strategy ?? '',
    tag: trade.tag ?? '',
  };
  const row = columns.map((column) => {
    const name = column === 'result' ? resultClass(trade.result) : textClass(column);
    return `<td role="cell" class="${name}" data-label="${headings[column] ?? column}">${escaped(cellsByColumn[column])}</td>`;
  });
  return `<tr role="row" tabindex="0" data-trade="${index}">${row.join('')}</tr>`;
}

function textClass(column: TradeColumn): string {
  return texts.includes(column) ? 'text' : '';
}
