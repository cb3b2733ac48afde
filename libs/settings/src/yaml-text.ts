import { parseDocument, visit, type Document } from 'yaml';

/** A text that is not taken as YAML, with the cause and, where there is one, its line. */
export class YamlTextError extends Error {}

/** A configuration of any size is far below. */
const mostYamlBytes = 1_048_576;

/** The value of a YAML text. @throws YamlTextError */
export function yamlOf(text: string): unknown {
  requireYamlSize(Buffer.byteLength(text));
  try {
    const document = parseDocument(text, { logLevel: 'silent' });
    // An unknown tag is a warning of the library, which would take the value as if the tag were not there.
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new YamlTextError(problemText(problem.message));
    refuseAmbiguous(document, text);
    return document.toJS() as unknown;
  } catch (error) {
    if (error instanceof YamlTextError) throw error;
    throw new YamlTextError(problemText(error instanceof Error ? error.message : String(error)));
  }
}

/** A number with a leading zero is decimal in YAML 1.2 and octal in YAML 1.1; a name such as 007 would lose its zeros. */
function refuseAmbiguous(document: Document, text: string): void {
  visit(document, {
    Scalar: (_key, { value, source, range }) => {
      if (typeof value !== 'number' || source === undefined || !/^[+-]?0\d/.test(source)) return;
      const line = text.slice(0, range?.[0]).split('\n').length;
      throw new YamlTextError(
        `${source} at line ${line} begins with 0: write ${value}, or "${source}" if it is a text`,
      );
    },
  });
}

/** The first line of a message; the library knows no depth but that of the stack. */
function problemText(message: string): string {
  const [line = ''] = message.split('\n', 1);
  return line.replace(/^Maximum call stack size exceeded/, 'brackets or lists are nested too deeply');
}

/** @throws YamlTextError for a file that is too large to be a configuration, before it is read or parsed */
export function requireYamlSize(bytes: number): void {
  if (bytes <= mostYamlBytes) return;
  throw new YamlTextError(`the file has ${Math.ceil(bytes / mostYamlBytes)} MiB, and at most 1 MiB is taken`);
}
