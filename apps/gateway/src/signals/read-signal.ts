import { suggestion } from '@libs/command-line';
import type { FieldProblem } from '@libs/envelope';
import { inOrder, quoted, type AlertField, type AlertFields, type AlertProblem } from './alert-fields';
import {
  levelUnits,
  sides,
  sizeUnits,
  verbs,
  type Level,
  type LevelUnit,
  type Side,
  type Signal,
  type Size,
  type Verb,
} from './signal';
import type { SignalSource } from './signal-source';

/** What reading an alert depends on. */
export type AlertRules = Pick<SignalSource, 'levels' | 'size' | 'sequence' | 'repeatMs'>;

export type ReadSignal =
  { readonly ok: true; readonly signal: Signal } | { readonly ok: false; readonly problems: readonly FieldProblem[] };

const always = ['action', 'symbol', 'id', 'time', 'seq', 'before', 'secret'] as const;
const levels = ['sl', 'tp'] as const;
const entry = [...sizeUnits, ...levels, 'limit', 'stop'] as const;

/** The fields that a verb has besides those of every alert. */
const fieldsOf: Readonly<Record<Verb, readonly string[]>> = {
  buy: entry,
  sell: entry,
  close: [],
  close_long: [],
  close_short: [],
  reverse: [...sizeUnits, ...levels],
  cancel: [],
  protect: levels,
  target: ['position', 'side', ...levels],
};

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,2})?$/i;
const levelForm = /^(.*?)(price|points|percent|%|atr)?$/i;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;
const largest = 1e12;
/** What TradingView replaces, unless its name is wrong or the alert is of another kind. */
const placeholder = /\{\{.*?\}\}/;

/** Understands the fields of an alert. Never throws. */
export function readSignal(alert: AlertFields, rules: AlertRules): ReadSignal {
  const reader = new SignalReader(alert, rules);
  const signal = reader.read();
  return signal === null || reader.problems.length > 0
    ? { ok: false, problems: inOrder(reader.problems) }
    : { ok: true, signal };
}

class SignalReader {
  readonly problems: AlertProblem[];
  private readonly fields: ReadonlyMap<string, AlertField>;
  /** Fields whose value is no value: nothing else is said of them. */
  private readonly unreplaced = new Set<string>();

  constructor(
    alert: AlertFields,
    private readonly rules: AlertRules,
  ) {
    this.fields = alert.fields;
    this.problems = [...alert.problems];
  }

  read(): Signal | null {
    for (const [name, { value }] of this.fields) {
      const [left] = placeholder.exec(value) ?? [];
      if (left === undefined) continue;
      this.problem(name, `${quoted(left)} was not replaced by the sender`);
      this.unreplaced.add(name);
    }
    const action = this.text('action', 32)?.toLowerCase().replaceAll(' ', '_');
    const verb = verbs.find((one) => one === action);
    const symbol = this.text('symbol', 64);
    const rest = {
      symbol: symbol ?? '',
      id: this.text('id', 128),
      timeMs: this.instant('time'),
      sequence: this.sequence(),
      size: this.size(),
      sl: this.level('sl'),
      tp: this.level('tp'),
      limit: this.positive('limit'),
      stop: this.positive('stop'),
      position: this.number('position'),
      side: this.side('side'),
      before: this.side('before'),
    };
    if (verb === undefined) {
      const all = `must be one of ${verbs.join(', ')}`;
      if (action !== undefined) this.problem('action', `${quoted(this.fields.get('action')?.value ?? '')} ${all}`);
      // What is missing may be in the part of the text that is wrong.
      else if (this.problems.length === 0) this.problem('action', all);
      return null;
    }
    if (symbol === null) this.problem('symbol', 'must name the instrument');
    this.refuseOthers(verb);
    const signal = { verb, ...rest };
    this.requireMembers(signal);
    this.requireIdentity(signal);
    return signal;
  }

  private refuseOthers(verb: Verb): void {
    const known = [...always, ...fieldsOf[verb]];
    for (const name of this.fields.keys()) {
      if (known.includes(name)) continue;
      const isOther = Object.values(fieldsOf).some((fields) => fields.includes(name));
      const hint = isOther
        ? `; ${verb} has ${known.join(', ')}`
        : (suggestion(name, known) ?? `; ${verb} has ${known.join(', ')}`);
      this.problem(name, `${isOther ? `${verb} has no such field` : 'unknown field'}${hint}`);
    }
  }

  private requireMembers({ verb, size, sl, tp, limit, stop, position, side }: Signal): void {
    const isEntry = verb === 'buy' || verb === 'sell';
    const effective = size ?? (isEntry ? this.rules.size : null);
    if (isEntry && effective === null && !this.hasAny(sizeUnits)) {
      this.problem('lots', `give the size as one of ${sizeUnits.join(', ')}: the source declares none`);
    }
    if (effective !== null && effective.unit !== 'lots' && sl === null && !this.fields.has('sl')) {
      this.problem('sl', 'is needed: the risk is measured at the stop-loss');
    }
    if (limit !== null && stop !== null) this.problem('stop', 'cannot be given together with limit');
    if (verb === 'protect' && sl === null && tp === null && !this.hasAny(levels)) {
      this.problem('sl', 'give at least one of sl, tp');
    }
    if (verb === 'target') this.requireTarget(position, side);
  }

  private requireTarget(position: number | null, side: Side | null): void {
    if (position === null && side !== 'flat' && !this.fields.has('position')) {
      this.problem('position', 'must be the position of the source: a number, negative for short, or side=flat');
    }
    if (position === null || side === null) return;
    if (side === 'flat' ? position !== 0 : position <= 0) {
      this.problem('position', side === 'flat' ? 'must be 0 with side=flat' : `must be above 0 with side=${side}`);
    }
  }

  /** Without any of them, a repeated delivery could not be told from a new alert. */
  private requireIdentity({ id, timeMs, sequence }: Signal): void {
    if (this.rules.sequence === 'number' && sequence === null && !this.fields.has('seq')) {
      this.problem('seq', 'is needed: the source numbers its alerts');
    }
    if (id !== null || timeMs !== null || sequence !== null || this.rules.repeatMs !== null) return;
    if (this.hasAny(['id', 'time', 'seq'])) return;
    this.problem(
      'id',
      'give an id, or the time of the alert as time={{timenow}}: the same alert can be delivered several times',
    );
  }

  private size(): Size | null {
    const given = sizeUnits.filter((unit) => this.fields.has(unit));
    const [unit, another] = given;
    if (another !== undefined) this.problem(another, `cannot be given together with ${unit}`);
    const amount = unit === undefined ? null : this.positive(unit);
    if (unit === 'risk' && amount !== null && amount > 100) this.problem('risk', 'must be at most 100 percent');
    return unit === undefined || amount === null ? null : { unit, amount };
  }

  private level(name: 'sl' | 'tp'): Level | null {
    const given = this.fields.get(name);
    if (given === undefined) return null;
    const [, figure = '', word] = levelForm.exec(given.value.trim()) ?? [];
    const unit = unitOf(word, this.rules.levels);
    const amount = this.parsed(name, figure.trim());
    if (amount === null) return null;
    if (unit === 'price' ? amount <= 0 : amount < 0)
      return this.problem(name, `${quoted(given.value)} must be above 0`);
    if (unit === 'points' && !Number.isInteger(amount)) {
      return this.problem(
        name,
        `${quoted(given.value)} must be a whole number of points; a price is written ${figure.trim()}price`,
      );
    }
    return { unit, amount };
  }

  private sequence(): number | null {
    const value = this.number('seq');
    if (value === null || (Number.isSafeInteger(value) && value >= 0)) return value;
    return this.problem('seq', 'must be a whole number of at least 0');
  }

  private side(name: 'side' | 'before'): Side | null {
    const given = this.text(name, 16)?.toLowerCase();
    if (given === undefined) return null;
    return sides.find((one) => one === given) ?? this.problem(name, `must be one of ${sides.join(', ')}`);
  }

  private instant(name: string): number | null {
    const given = this.fields.get(name)?.value.trim();
    if (given === undefined) return null;
    const ms = /^\d{10}$/.test(given) ? Number(given) * 1_000 : /^\d{13}$/.test(given) ? Number(given) : null;
    const read = ms ?? (instant.test(given) ? Date.parse(given) : Number.NaN);
    if (Number.isFinite(read)) return read;
    return this.problem(
      name,
      `${quoted(given)} must be a time such as 2026-01-05T10:00:00Z, or a number of seconds or milliseconds since 1970`,
    );
  }

  private positive(name: string): number | null {
    const value = this.number(name);
    return value === null || value > 0 ? value : this.problem(name, 'must be above 0');
  }

  private number(name: string): number | null {
    const given = this.fields.get(name);
    return given === undefined ? null : this.parsed(name, given.value.trim());
  }

  private parsed(name: string, text: string): number | null {
    const value = decimal.test(text) ? Number(text) : Number.NaN;
    if (Math.abs(value) <= largest) return value;
    return this.problem(name, `${quoted(this.fields.get(name)?.value ?? '')} must be a number`);
  }

  private text(name: string, most: number): string | null {
    const value = this.fields.get(name)?.value.trim();
    if (value === undefined) return null;
    if (value !== '' && value.length <= most) return value;
    return this.problem(name, `must have 1 to ${most} characters`);
  }

  private hasAny(names: readonly string[]): boolean {
    return names.some((name) => this.fields.has(name));
  }

  private problem(field: string, problem: string): null {
    if (this.unreplaced.has(field)) return null;
    this.problems.push({ field, problem, column: this.fields.get(field)?.column ?? null });
    return null;
  }
}

function unitOf(word: string | undefined, usual: LevelUnit): LevelUnit {
  const lower = word?.toLowerCase();
  return lower === '%' ? 'percent' : (levelUnits.find((unit) => unit === lower) ?? usual);
}
