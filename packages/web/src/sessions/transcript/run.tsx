import { words } from '../../words.ts'
import { Fold } from './fold.tsx'
import { PieceBlock } from './piece.tsx'
import { callsIn, type Run } from './runs.ts'

/** Calls in a row, behind one line. */
export function RunBlock({ run }: { readonly run: Run }) {
  const [first] = run.pieces
  if (!first) return null
  return (
    <Fold
      id={`run-${first.part.n}-${first.part.at}`}
      of={first.entry.n}
      headClass="min-h-6! text-11! text-text-3"
      head={words.transcript.moreCalls(callsIn(run.pieces))}
    >
      {() => (
        <div className="flex flex-col gap-1.5 pt-1">
          {run.pieces.map((piece) => (
            <PieceBlock key={`${piece.part.n}-${piece.part.at}`} piece={piece} />
          ))}
        </div>
      )}
    </Fold>
  )
}
