/** A row of headings. */
export function heads(names: readonly string[]): string {
  return `<tr>${names.map((name) => `<th>${escaped(name)}</th>`).join('')}</tr>`;
}

/** Cells of a row. */
export function cells(texts: readonly string[]): string {
  return texts.map((text) => `<td>${escaped(text)}</td>`).join('');
}

/** Text as HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
