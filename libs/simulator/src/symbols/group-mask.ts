/**
 * A group mask as the terminal reads it: a comma list with `*` wildcards, processed from left to right, where `!` takes
 * names out again. A mask that only excludes starts from everything.
 */
export function groupMask(mask: string): (name: string) => boolean {
  const terms = mask
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .map((term) => ({ takesOut: term.startsWith('!'), matches: wildcard(term.replace(/^!/, '')) }));
  const startsWithAll = terms[0]?.takesOut === true;
  return (name) => {
    let matched = startsWithAll;
    for (const { takesOut, matches } of terms) {
      if (matches(name)) matched = !takesOut;
    }
    return matched;
  };
}

/**
 * Takes each part between the wildcards at its first place, which is enough for `*` alone. A regular expression of many wildcards
 * tries every way to divide the name, and a mask of 48 characters would stop the process.
 */
function wildcard(text: string): (name: string) => boolean {
  const [start = '', ...rest] = text.split('*');
  const end = rest.pop();
  if (end === undefined) return (name) => name === start;
  return (name) => {
    let place = start.length;
    for (const part of rest) {
      const found = name.indexOf(part, place);
      if (found === -1) return false;
      place = found + part.length;
    }
    return name.startsWith(start) && name.length - end.length >= place && name.endsWith(end);
  };
}
