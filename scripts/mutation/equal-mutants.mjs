/** Changes that no test can notice, by their line, each with the reason: the program with them does the same. */
export const equalMutants = [
  {
    file: 'apps/daemon/src/core/account-rows.ts',
    line: 'if (positions.length <= mostFiltered) return positions.filter((row) => row.magic === magic);',
    from: 'positions.length <= mostFiltered',
    to: ['true', 'false', 'positions.length < mostFiltered', 'positions.length > mostFiltered'],
    why: 'the index of a long list has the rows that the search of a short one finds, in the same order: only the time differs',
  },
];
