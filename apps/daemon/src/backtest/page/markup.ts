import { shortNumber } from '../short-number';

/** A cell of a table: its text, where numbers get commas, or its text as it is with what marks it. */
export type Cell =
  string | { readonly text: string; readonly mark?: string; readonly share?: number; readonly title?: string };

/** Longer texts, and texts with longer words, have a row of a card to themselves. */
const longText = /.{25}|\S{14}/;
/** Pixels that a phone has for a row, and what a character and the space beside a cell take of them. */
const phone = { row: 350, character: 7.5, space: 16 } as const;

/** A number with commas between its thousands; other texts as they are. */
export function grouped(text: string): string {
  const [, before, whole = '', after] = /^(-?)(\d{4,})(\.\d+)?$/.exec(text) ?? [];
  return whole === '' ? text : `${before}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${after ?? ''}`;
}

const million = 1_000_000;

/** A value of an axis with the decimals that labels so far apart need. From ten million on in millions, as an axis has little room. */
export function axisText(value: number, apart: number): string {
  if (Math.abs(value) >= 10 * million) return `${axisText(value / million, apart / million)} M`;
  const text = value.toFixed(decimalsOf(apart));
  return grouped(text.replace(/^-(0(\.0*)?)$/, '$1'));
}

/** Of a step such as 0.5, 0.25 or 0.0125: rounded to fewer, labels would state what they do not stand for. */
function decimalsOf(step: number): number {
  const fewest = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const isWhole = (decimals: number): boolean => {
    const units = step * 10 ** decimals;
    return Math.abs(units - Math.round(units)) < 1e-6;
  };
  return [fewest, fewest + 1].find(isWhole) ?? fewest + 2;
}

/** An amount with the decimals of its currency and commas; – where it is not known. */
export function money(amount: number | null, digits = 2): string {
  return grouped(shortNumber(amount, digits));
}

/** Text as HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/**
 * A table in a box that scrolls where it is higher than the page, also with the keys. Columns of numbers are aligned at
 * the right, those of texts at the left. On a phone, each row of a table that does not fit is a card.
 * @param names of the columns; '' for one that needs none
 * @param name the class of the table: a heat map is not made of cards
 */
export function scrolledTable(
  label: string,
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  name = '',
): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.text)));
  const isText = names.map((_, column) => hasTextsAlone(texts.map((row) => row[column] ?? '')));
  const widths = names.map((heading, column) =>
    Math.max(heading.length, ...texts.map((row) => row[column]?.length ?? 0)),
  );
  const isWide = widths.reduce((sum, width) => sum + width * phone.character + phone.space, 0) > phone.row;
  const isCards = isWide && !name.includes('heat');
  const hasLabels = isCards || name.includes('years');
  // A style that shows rows as cards takes their role from screen readers, so each row states it.
  const roleOf = (role: string): string => (hasLabels ? ` role="${role}"` : '');
  const head = names.map((heading, column) =>
    heading === ''
      ? `<td${roleOf('cell')}></td>`
      : `<th scope="col"${roleOf('columnheader')}${isText[column] === true ? ' class="text"' : ''}>${escaped(heading)}</th>`,
  );
  const body = rows.map((row) => {
    const own = row.map((cell, column) => {
      const { text, mark, share, title } = typeof cell === 'string' ? { text: grouped(cell) } : cell;
      const classes = [mark, isText[column] === true && 'text', isCards && longText.test(text) && 'long'].filter(
        Boolean,
      );
      const attributes = [
        classes.length > 0 && `class="${classes.join(' ')}"`,
        share !== undefined && `style="--s:${share.toFixed(2)}"`,
        title !== undefined && `title="${escaped(title)}"`,
        hasLabels && `role="cell" data-label="${escaped(names[column] ?? '')}"`,
      ].filter(Boolean);
      return `<td${attributes.map((one) => ` ${one}`).join('')}>${escaped(text)}</td>`;
    });
    return `<tr${roleOf('row')}>${own.join('')}</tr>`;
  });
  const kind = [name, isCards && 'cards'].filter(Boolean).join(' ');
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escaped(label)}"><table class="${kind}"${roleOf('table')}><tr${roleOf('row')}>${head.join('')}</tr>\n${body.join('\n')}</table></div>`;
}

/** Whether a column has texts and no number. What is not known is neither. */
function hasTextsAlone(texts: readonly string[]): boolean {
  const known = texts.filter((text) => text !== '' && text !== '–');
  return known.length > 0 && known.every((text) => !/^-?[\d,]+(\.\d+)?( %)?$/.test(text));
}

/** The class of a cell with a result: nothing was gained or lost by 0. */
export function resultClass(result: number): string {
  return result < 0 ? 'loss' : result > 0 ? 'gain' : '';
}
