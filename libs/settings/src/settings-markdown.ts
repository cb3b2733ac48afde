import type { SettingsTable } from './setting';

/** A table as Markdown rows, for the generated configuration page. */
export function settingsMarkdown(table: SettingsTable): string {
  const rows = Object.entries(table).map(([name, { accepts, fallbackText, meaning, secret }]) => {
    const cells = [
      `\`${name}\``,
      accepts,
      `\`${fallbackText}\``,
      secret ? `${meaning} Secret; \`${name}_FILE\` may name a file that holds it.` : meaning,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| variable | accepts | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
