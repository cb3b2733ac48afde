import { Foreign } from './text';

/** Why the outcome of a send is unknown. A change of levels has no symbol. */
export function SendProblem({ symbol, reason }: { readonly symbol: string; readonly reason: string }) {
  return (
    <>
      {symbol !== '' && (
        <>
          <Foreign text={symbol} />:{' '}
        </>
      )}
      <Foreign text={reason} />
    </>
  );
}
