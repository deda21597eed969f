import type { TurnAnalysis } from '@panoptes/schema'

/** A range of a text that another text shares. */
export interface Mark {
  readonly from: number
  readonly to: number
  /** The reference that shares it. */
  readonly reference: number
}

/** A piece of a text: plain, or shared with a reference. */
export interface MarkedPiece {
  readonly at: number
  readonly text: string
  readonly reference: number | null
}

/** Splits a text at its marks. Of overlapping marks the earlier one wins, then the longer one. */
export function splitAtMarks(text: string, marks: readonly Mark[]): readonly MarkedPiece[] {
  const pieces: MarkedPiece[] = []
  let done = 0
  const put = (to: number, reference: number | null) => {
    if (to > done) pieces.push({ at: done, text: text.slice(done, to), reference })
    done = Math.max(done, to)
  }
  for (const { from, to, reference } of marks.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    const end = Math.min(to, text.length)
    if (from < done || end <= from) continue
    put(from, null)
    put(end, reference)
  }
  put(text.length, null)
  return pieces
}

type Phrases = TurnAnalysis['phrases']

export const listAnswerMarks = (phrases: Phrases): readonly Mark[] =>
  phrases.map(({ answer_from, answer_to, reference }) => ({ from: answer_from, to: answer_to, reference }))

export const listReferenceMarks = (phrases: Phrases, which: number): readonly Mark[] =>
  phrases.flatMap(({ reference, reference_from, reference_to }) =>
    reference === which ? [{ from: reference_from, to: reference_to, reference }] : [],
  )

/** Lists the points on which a reference contradicts others, and which ones. */
export function findContradictions(points: TurnAnalysis['points'], which: number): readonly number[] {
  const others = new Set<number>()
  for (const { stances } of points) {
    const own = stances[which]
    if (own === 'silent' || own === undefined) continue
    // The reference in the minority contradicts, and each contradiction is listed only there.
    const same = stances.filter((stance) => stance === own).length
    const against = stances.flatMap((stance, i) => (stance !== own && stance !== 'silent' ? [i] : []))
    if (against.length > same || (against.length === same && own === 'opposes'))
      for (const other of against) others.add(other)
  }
  return [...others].sort((a, b) => a - b)
}
