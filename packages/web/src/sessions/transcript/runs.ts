import { editOf } from './edit.ts'
import { type Entry, isFailed, type Part } from './thread.ts'

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

/** Calls in a row with nothing to be seen at once, and what was thought between them: they are behind one line. */
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
    const first = row.findIndex(isCall)
    const last = row.findLastIndex(isCall)
    if (callsIn(row) < FEW) shown.push(...row)
    else {
      shown.push(...row.slice(0, first + 1))
      shown.push({ kind: 'run', pieces: row.slice(first + 1, last + 1) })
      shown.push(...row.slice(last + 1))
    }
    row = []
  }
  for (const entry of turn)
    entry.parts.forEach((part, i) => {
      const piece: Piece = { kind: 'piece', entry, part, first: i === 0 }
      if (entry.n !== keep && isPlain(part)) row.push(piece)
      else {
        end()
        shown.push(piece)
      }
    })
  end()
  return shown
}

const isCall = ({ part }: Piece): boolean => part.kind === 'call'

export const callsIn = (pieces: readonly Piece[]): number => pieces.filter(isCall).length

/** A thought, or a call that neither failed, nor is an edit, nor made an agent, and gave no image. */
function isPlain(part: Part): boolean {
  if (part.kind === 'block') return part.block.type === 'reasoning'
  return (
    !isFailed(part) &&
    part.made.length === 0 &&
    part.pictures.length === 0 &&
    editOf(part.block.input) === null
  )
}
