import { LineCounter, isMap, isNode, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';

/** Problems whose first word is a path into a YAML text, such as `strategies[0].magic`, each with the line it is at. */
export function withLines(text: string, problems: readonly string[]): readonly string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return problems.map((problem) => {
    const offset = offsetOf(document, problem.split(' ', 1)[0] ?? '');
    return offset === null ? problem : `line ${lines.linePos(offset).line}: ${problem}`;
  });
}

/** Line of a path, or of its longest existing prefix; null if the text has none. */
function offsetOf({ contents }: Document, path: string): number | null {
  let node: unknown = contents;
  let offset: number | null = null;
  for (const step of path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    const next = stepInto(node, step);
    if (next === null) break;
    [offset, node] = [next.at.range?.[0] ?? offset, next.value];
  }
  return offset;
}

/** The key of a mapping, or the item of a list, and what is behind it. */
function stepInto(node: unknown, step: string): { readonly at: Node; readonly value: unknown } | null {
  if (isSeq(node)) {
    const item = node.items[Number(step)];
    return isNode(item) ? { at: item, value: item } : null;
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
  return pair && isNode(pair.key) ? { at: pair.key, value: pair.value } : null;
}
