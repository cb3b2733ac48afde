import type { Call, Known, Rows } from './statement';

/** The table of configurations. */
export class ConfigurationRows {
  readonly statements: readonly Known[] = [
    [
      'select version, text from configuration order by version desc limit 1',
      () => [...this.versions].slice(-1).map(([version, text]) => ({ version, text })),
    ],
    ['select max(version) as version from configuration', () => [{ version: this.newest || null }]],
    [
      /^with applied as \( insert into configuration \(version, text\) values \(\$1, \$2\) on conflict do nothing returning version \) select version, pg_notify\('(?<channel>\w+)', 'configuration'\) from applied$/,
      (call) => this.apply(call),
    ],
  ];
  /** In the order of the versions, which the product numbers one after the other. */
  private readonly versions = new Map<number, string>();

  constructor(private readonly notify: (channel: string, payload: string) => void) {}

  /** The newest version; 0 before the first one. */
  get newest(): number {
    return [...this.versions.keys()].at(-1) ?? 0;
  }

  private apply({ values: [version, text], parts }: Call): Rows {
    if (this.versions.has(Number(version))) return [];
    this.versions.set(Number(version), String(text));
    this.notify(parts['channel'] ?? '', 'configuration');
    return [{ version, pg_notify: '' }];
  }
}
