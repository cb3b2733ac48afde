/** Changes that no test can notice, each with the reason: the program with them does the same. */
export const equalMutants = [];
