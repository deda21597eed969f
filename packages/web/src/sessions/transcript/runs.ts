import { editOf } from './edit.ts'
import { type Call, type Entry, isFailed, type Part } from './thread.ts'

/** Fewer calls than this in a row are shown one by one. */
const FEW = 4

/** A part of a message as it is drawn. */
export interface Piece {
  readonly kind: 'piece'
  readonly entry: Entry
  readonly part: Part
  /** Whether its message begins with it. */
  readonly first: boolean
}

/** Calls in a row with nothing to be seen at once: they are behind one line. */
export interface Run {
  readonly kind: 'run'
  readonly pieces: readonly Piece[]
}

/** What one agent did before someone else spoke. */
export type Turn = readonly Entry[]

export function turnsOf(entries: readonly Entry[]): readonly Turn[] {
  const turns: Entry[][] = []
  for (const entry of entries) {
    const last = turns.at(-1)
    if (last && entry.goesOn) last.push(entry)
    else turns.push([entry])
  }
  return turns
}

/** The parts of a turn in their order, long rows of plain calls put together. `keep` names a message that has to be seen. */
export function foldRuns(turn: Turn, keep: number | null): readonly (Piece | Run)[] {
  const shown: (Piece | Run)[] = []
  let row: Piece[] = []
  const end = () => {
    if (row.length < FEW) shown.push(...row)
    else shown.push(...row.slice(0, 1), { kind: 'run', pieces: row.slice(1) })
    row = []
  }
  for (const entry of turn)
    entry.parts.forEach((part, i) => {
      const piece: Piece = { kind: 'piece', entry, part, first: i === 0 }
      if (part.kind === 'call' && entry.n !== keep && isPlain(part)) row.push(piece)
      else {
        end()
        shown.push(piece)
      }
    })
  end()
  return shown
}

/** Neither failed, nor an edit, nor the maker of an agent, and without an image. */
const isPlain = (call: Call): boolean =>
  !isFailed(call) && call.made.length === 0 && call.pictures.length === 0 && editOf(call.block.input) === null
