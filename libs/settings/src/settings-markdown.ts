import type { SettingsTable } from './setting';

/** Unset is an empty cell, or what it means to leave the setting out. */
function fallbackCell(text: string): string {
  const unset = /^unset(?: \((?<meaning>.*)\))?$/s.exec(text);
  return unset ? (unset.groups?.meaning ?? '') : `\`${text}\``;
}

/** A table as Markdown rows, for the generated configuration page. */
export function settingsMarkdown(table: SettingsTable): string {
  const rows = Object.entries(table).map(([name, { accepts, fallbackText, meaning, secret }]) => {
    const cells = [
      `\`${name}\``,
      accepts,
      fallbackCell(fallbackText),
      secret ? `${meaning} Secret (\`${name}_FILE\`).` : meaning,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| variable | accepts | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
