/**
 * A group mask as the terminal reads it: a comma list with `*` wildcards, processed from left to right, where `!` takes
 * names out again. A mask that only excludes starts from everything.
 */
export function groupMask(mask: string): (name: string) => boolean {
  const terms = mask
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map((term) => ({ takesOut: term.startsWith('!'), pattern: wildcard(term.replace(/^!/, '')) }));
  const startsWithAll = terms[0]?.takesOut === true;
  return (name) => {
    let matched = startsWithAll;
    for (const { takesOut, pattern } of terms) {
      if (pattern.test(name)) matched = !takesOut;
    }
    return matched;
  };
}

function wildcard(text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\\*', '.*');
  return new RegExp(`^${escaped}$`);
}
