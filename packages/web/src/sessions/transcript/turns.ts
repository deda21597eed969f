import { findEdit } from './edit.ts'
import { type Entry, isFailed, type Part } from './thread.ts'

/** A row with fewer calls than this is not folded. */
const FEW = 4

/** A part of a message, ready to be drawn. */
export interface Piece {
  readonly kind: 'piece'
  readonly entry: Entry
  readonly part: Part
  /** Whether it is the first part of its message. */
  readonly first: boolean
}

/** A folded row of plain calls, with the thoughts between them. */
export interface Run {
  readonly kind: 'run'
  readonly pieces: readonly Piece[]
}

/** Everything one agent did before someone else spoke. */
export type Turn = readonly Entry[]

export function groupTurns(entries: readonly Entry[]): readonly Turn[] {
  const turns: Entry[][] = []
  for (const entry of entries) {
    const last = turns.at(-1)
    if (last && entry.goesOn) last.push(entry)
    else turns.push([entry])
  }
  return turns
}

/**
 * Returns the parts of a turn in order, with long rows of plain calls folded. `keep` is a message that must
 * stay visible.
 */
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

/**
 * Whether a part is a thought, or a successful call that is no edit, created no agent and returned no image.
 */
function isPlain(part: Part): boolean {
  if (part.kind === 'block') return part.block.type === 'reasoning'
  return (
    !isFailed(part) &&
    part.made.length === 0 &&
    part.pictures.length === 0 &&
    findEdit(part.block.input) === null
  )
}
