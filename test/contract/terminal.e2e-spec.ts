import { describeWithNumpy, describeWithPython } from './python';
import { bridged, embedded, served } from './subjects';
import { terminalContract } from './terminal-contract';

describe('the terminal, as the simulator in this process', () => {
  terminalContract(embedded);
});

describe('the terminal, as a simulator in a process of its own over the link', () => {
  terminalContract(served);
});

describeWithPython('the terminal, as the bridge over the stand-in package (needs python3)', () => {
  terminalContract(() => bridged());
});

describeWithNumpy('the terminal, as the bridge over the stand-in package with NumPy (needs python3 with numpy)', () => {
  terminalContract(() => bridged({ numpy: true }));
});
