import type { DiffPiece } from '@panoptes/schema'

const MOST_TOKENS = 20_000
/** So many differences are looked for; texts that differ in more are laid side by side as wholes. */
const MOST_CHANGES = 1_000

/** What changed from one text to another: by words, by lines where they are long or far apart, else as wholes. */
export function textDiff(before: string, after: string): readonly DiffPiece[] {
  if (before === after) return before === '' ? [] : [{ type: 'same', text: before }]
  for (const split of [words, lines]) {
    const [a, b] = [split(before), split(after)]
    const found = a.length + b.length > MOST_TOKENS ? undefined : differences(a, b)
    if (found) return joined(found)
  }
  return joined([
    { type: 'removed', text: before },
    { type: 'added', text: after },
  ])
}

const words = (text: string): readonly string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
const lines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? []

/** The shortest way from one to the other, after Myers; nothing where it is too long. */
function differences(a: readonly string[], b: readonly string[]): DiffPiece[] | undefined {
  const most = Math.min(MOST_CHANGES, a.length + b.length)
  const middle = most + 1
  const furthest = new Int32Array(2 * most + 3)
  const steps: Int32Array[] = []
  for (let changes = 0; changes <= most; changes += 1) {
    steps.push(furthest.slice(middle - changes - 1, middle + changes + 2))
    for (let k = -changes; k <= changes; k += 2) {
      const [down, right] = [furthest[middle + k + 1] ?? 0, furthest[middle + k - 1] ?? 0]
      let x = k === -changes || (k !== changes && right < down) ? down : right + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      furthest[middle + k] = x
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, steps)
    }
  }
  return undefined
}

function wayBack(a: readonly string[], b: readonly string[], steps: readonly Int32Array[]): DiffPiece[] {
  const pieces: DiffPiece[] = []
  let [x, y] = [a.length, b.length]
  for (let changes = steps.length - 1; changes >= 0; changes -= 1) {
    const at = (k: number): number => steps[changes]?.[k + changes + 1] ?? 0
    const k = x - y
    const isDown = k === -changes || (k !== changes && at(k - 1) < at(k + 1))
    const fromK = isDown ? k + 1 : k - 1
    const fromX = changes === 0 ? 0 : at(fromK)
    const fromY = changes === 0 ? 0 : fromX - fromK
    while (x > fromX && y > fromY) {
      x -= 1
      y -= 1
      pieces.push({ type: 'same', text: a[x] ?? '' })
    }
    if (changes === 0) break
    if (isDown) pieces.push({ type: 'added', text: b[fromY] ?? '' })
    else pieces.push({ type: 'removed', text: a[fromX] ?? '' })
    x = fromX
    y = fromY
  }
  return pieces.reverse()
}

/** Neighbours of one kind as one piece. */
function joined(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const whole: { type: DiffPiece['type']; parts: string[] }[] = []
  for (const { type, text } of pieces) {
    if (text === '') continue
    const last = whole.at(-1)
    if (last?.type === type) last.parts.push(text)
    else whole.push({ type, parts: [text] })
  }
  return whole.map(({ type, parts }) => ({ type, text: parts.join('') }))
}
