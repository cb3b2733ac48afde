import { shortNumber } from '../short-number';

/** A row of headings. */
export function heads(names: readonly string[]): string {
  return `<tr>${names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${escaped(name)}</th>`)).join('')}</tr>`;
}

/** Cells of a row. */
export function cells(texts: readonly string[]): string {
  return texts.map((text) => `<td>${escaped(grouped(text))}</td>`).join('');
}

/** A number with commas between its thousands; other texts as they are. */
export function grouped(text: string): string {
  const [, before, whole = '', after] = /^(-?)(\d{4,})(\.\d+)?$/.exec(text) ?? [];
  return whole === '' ? text : `${before}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${after ?? ''}`;
}

/** An amount with two decimals and commas; – where it is not known. */
export function money(amount: number | null): string {
  return grouped(shortNumber(amount));
}

/** Text as HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A table in a box that scrolls where it is wider than the page, also with the keys. @param content its rows, as markup */
export function scrolledTable(label: string, content: string, name = ''): string {
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escaped(label)}"><table class="${name}">${content}</table></div>`;
}

/** The class of a cell with a result: nothing was gained or lost by 0. */
export function resultClass(result: number): string {
  return result < 0 ? 'loss' : result > 0 ? 'gain' : '';
}
