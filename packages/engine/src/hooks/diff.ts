const AROUND = 3
/** Beyond this many pairs of lines the changed part is shown as replaced as a whole. */
const MOST_PAIRS = 4_000_000

interface Line {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** What changes between two texts, as a unified diff; empty where nothing does. */
export function unifiedDiff(before: string | null, after: string | null, file: string): string {
  if (before === after) return ''
  const lines = compare(split(before), split(after))
  const head = [`--- ${before === null ? '/dev/null' : file}`, `+++ ${after === null ? '/dev/null' : file}`]
  return [...head, ...hunks(lines)].join('\n')
}

const NO_END = '\u0000'

/** Lines without their ends; a last line that has none is marked. */
function split(text: string | null): readonly string[] {
  if (text === null || text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, last + NO_END]
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const same = (text: string): Line => ({ mark: ' ', text })
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]
}

/** The longest common run of lines stays, the rest goes or comes. */
function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const gone = (text: string): Line => ({ mark: '-', text })
  const come = (text: string): Line => ({ mark: '+', text })
  if (before.length * after.length > MOST_PAIRS) return [...before.map(gone), ...after.map(come)]
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: Line[] = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    const old = before[row]
    const now = after[column]
    if (old !== undefined && old === now) {
      lines.push({ mark: ' ', text: old })
      row += 1
      column += 1
    } else if (old !== undefined && (now === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(gone(old))
      row += 1
    } else if (now !== undefined) {
      lines.push(come(now))
      column += 1
    }
  }
  return lines
}

function hunks(lines: readonly Line[]): readonly string[] {
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ mark }) => mark !== ' '),
  )
  const out: string[] = []
  let oldLine = 1
  let newLine = 1
  for (let index = 0; index < lines.length; index++) {
    if (shown[index] && !shown[index - 1]) {
      const end = shown.indexOf(false, index)
      const part = lines.slice(index, end < 0 ? undefined : end)
      const count = (mark: string) => part.filter((line) => line.mark === ' ' || line.mark === mark).length
      const start = (line: number, size: number) => (size === 0 ? line - 1 : line)
      const [gone, come] = [count('-'), count('+')]
      out.push(`@@ -${start(oldLine, gone)},${gone} +${start(newLine, come)},${come} @@`)
    }
    const line = lines[index]
    if (line === undefined) continue
    if (shown[index]) out.push(...printed(line))
    if (line.mark !== '+') oldLine += 1
    if (line.mark !== '-') newLine += 1
  }
  return out
}

const printed = ({ mark, text }: Line): readonly string[] =>
  text.endsWith(NO_END) ? [`${mark}${text.slice(0, -1)}`, '\\ No newline at end of file'] : [`${mark}${text}`]
