import { readFileSync, statSync } from 'node:fs';
import { requireYamlSize, yamlOf } from '@libs/settings/yaml-text';
import { checked } from '@libs/validation';
import { PolicyFile } from './policy-file';

/** All that is wrong with the policy file, at once. */
export class PolicyFileError extends Error {
  constructor(
    file: string,
    readonly problems: readonly string[],
  ) {
    super(`MCP_POLICY_FILE ${file}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'PolicyFileError';
  }
}

/** The policy file is no longer what the server started with. Nothing was sent. */
export class PolicyChangedError extends Error {}

/**
 * The policy of a running server. A file that was tightened must not be ignored, and one that was loosened must not be obeyed before an
 * operator restarts the server: until then nothing is in force.
 */
export class PolicyInForce {
  private constructor(
    readonly rules: PolicyFile,
    private readonly file: string | undefined,
    private readonly text: string,
  ) {}

  /** Without a file: every request needs a person. @throws PolicyFileError listing every problem */
  static read(file: string | undefined): PolicyInForce {
    if (file === undefined) return new PolicyInForce(new PolicyFile(), undefined, '');
    const text = textOf(file);
    return new PolicyInForce(rulesIn(text, file), file, text);
  }

  /** @throws PolicyChangedError if the file has changed, or cannot be read */
  requireUnchanged(): void {
    if (this.file === undefined) return;
    let text: string;
    try {
      text = textOf(this.file);
    } catch {
      throw new PolicyChangedError('the policy file cannot be read any more, so nothing is sent: tell the operator');
    }
    if (text === this.text) return;
    throw new PolicyChangedError(
      'the policy file has changed since this server started, so nothing is sent until the operator restarts the server',
    );
  }
}

/** @throws PolicyFileError listing every problem */
function rulesIn(text: string, file: string): PolicyFile {
  const { value, problems } = checked(PolicyFile, yamlIn(text, file));
  const all = problems.map(({ path, problem }) => (path === '' ? `the file ${problem}` : `${path} ${problem}`));
  if (problems.length === 0) all.push(...contradictionsIn(value));
  if (all.length > 0) throw new PolicyFileError(file, all);
  return value;
}

function contradictionsIn({ read_only, without_person, approve_by, approval_keys }: PolicyFile): readonly string[] {
  const hours = without_person?.hours;
  const all: string[] = [];
  if (hours !== undefined && hours.from === hours.to) all.push('without_person.hours.from must differ from its to');
  if (read_only && without_person !== undefined) all.push('without_person must be absent where read_only is true');
  if (!read_only && approval_keys.length === 0 && !approve_by.includes('elicitation')) {
    all.push('approval_keys must have a key where approve_by is terminal alone, or nobody can approve');
  }
  return all;
}

function textOf(file: string): string {
  try {
    const state = statSync(file);
    // A pipe or a device would never end.
    if (!state.isFile()) throw new Error('is no regular file');
    requireYamlSize(state.size);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PolicyFileError(file, [error instanceof Error ? error.message : String(error)]);
  }
}

function yamlIn(text: string, file: string): unknown {
  try {
    return yamlOf(text);
  } catch (error) {
    throw new PolicyFileError(file, [error instanceof Error ? error.message : String(error)]);
  }
}
