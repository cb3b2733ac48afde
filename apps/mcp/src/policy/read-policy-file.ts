import { readFileSync } from 'node:fs';
import { yamlOf } from '@libs/settings/yaml-text';
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

/** Without a file: every request needs a person. @throws PolicyFileError listing every problem */
export function readPolicyFile(file: string | undefined): PolicyFile {
  if (file === undefined) return new PolicyFile();
  const { value, problems } = checked(PolicyFile, contentOf(file));
  const hours = value.without_person?.hours;
  const all = problems.map(({ path, problem }) => (path === '' ? `the file ${problem}` : `${path} ${problem}`));
  if (problems.length === 0 && hours !== undefined && hours.from >= hours.to) {
    all.push('without_person.hours.from must be before its to');
  }
  if (problems.length === 0 && value.read_only && value.without_person !== undefined) {
    all.push('without_person must be absent where read_only is true');
  }
  if (all.length > 0) throw new PolicyFileError(file, all);
  return value;
}

function contentOf(file: string): unknown {
  try {
    return yamlOf(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PolicyFileError(file, [error instanceof Error ? error.message : String(error)]);
  }
}
