// Prints what a program keeps of requests: node fuzz-memory.cjs gateway|daemon|leak-of-objects|leak-of-texts REQUESTS_OF_ROUND
require('./simulation/load-typescript.cjs');
require('../test/fuzz/measure-memory.ts');
