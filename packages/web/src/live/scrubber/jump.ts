import type { TimelineMark } from '@panoptes/schema'

/** The next mark of a kind after a moment, or the one before it; from the live edge, the newest. */
export function jumpTo(
  marks: readonly TimelineMark[],
  kind: TimelineMark['kind'],
  at: number | null,
  by: -1 | 1 = 1,
): TimelineMark | null {
  const own = marks.filter((mark) => mark.kind === kind).sort((a, b) => a.ts - b.ts)
  if (at === null) return own.at(-1) ?? null
  return (by > 0 ? own.find((mark) => mark.ts > at) : own.findLast((mark) => mark.ts < at)) ?? null
}

/** Of overlapping marks, only the most important one is shown. */
export function thinMarks(
  marks: readonly TimelineMark[],
  place: (ts: number) => number,
  gap: number,
): readonly TimelineMark[] {
  const order: readonly TimelineMark['kind'][] = ['failure', 'wait', 'stuck', 'done', 'spawn']
  const visible: TimelineMark[] = []
  for (const kind of order)
    for (const mark of marks) {
      if (mark.kind !== kind) continue
      const x = place(mark.ts)
      if (visible.every((other) => Math.abs(place(other.ts) - x) >= gap)) visible.push(mark)
    }
  return visible.sort((a, b) => a.ts - b.ts)
}
