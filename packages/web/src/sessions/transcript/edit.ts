export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  /** Its number in the file before and after, where that is known. */
  readonly before?: number
  readonly after?: number
}

export interface Edit {
  readonly file: string | null
  readonly lines: readonly DiffLine[]
}

type Fields = Readonly<Record<string, unknown>>

/** Whether a call is an edit is asked whenever it is drawn; what it changes is found once. */
const known = new WeakMap<object, Edit | null>()

/** What a call would change in a file, where its input says so in a way that is known. */
export function editOf(input: unknown): Edit | null {
  if (typeof input === 'string') return patchEdit(input)
  if (typeof input !== 'object' || input === null) return null
  const before = known.get(input)
  if (before !== undefined) return before
  const edit = readEdit(input as Fields)
  known.set(input, edit)
  return edit
}

const FILES = ['file_path', 'filePath', 'path', 'notebook_path'] as const

function readEdit(fields: Fields): Edit | null {
  const file = firstText(FILES.map((name) => fields[name]))
  const edits = Array.isArray(fields.edits) ? fields.edits : [fields]
  const lines = edits.flatMap((each) => linesOf(each as Fields | null))
  if (lines.length > 0) return { file, lines }
  const patch = firstText([fields.patch, fields.diff])
  if (patch !== null && /^[+-]/m.test(patch)) return { file, lines: patchLines(patch) }
  const written = firstText([fields.content, fields.new_source])
  if (file !== null && written !== null)
    return { file, lines: diff('', written).map((line, i) => ({ ...line, after: i + 1 })) }
  return (
    [fields.command, fields.cmd, fields.input]
      .flat()
      .map(patchEdit)
      .find((edit) => edit !== null) ?? null
  )
}

function linesOf(edit: Fields | null): readonly DiffLine[] {
  const before = firstText([edit?.old_string, edit?.oldString])
  const after = firstText([edit?.new_string, edit?.newString])
  return before === null || after === null ? [] : diff(before, after)
}

/** A patch that names its files itself. */
function patchEdit(text: unknown): Edit | null {
  if (typeof text !== 'string') return null
  const begin = text.indexOf('*** Begin Patch')
  if (begin < 0) return null
  const patch = text.slice(begin).split('\n*** End Patch')[0] ?? ''
  const file = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(patch)?.[1] ?? null
  return { file, lines: patchLines(patch).slice(1) }
}

/** A patch as it is written. Its lines are numbered from where its parts say that they begin. */
function patchLines(patch: string): readonly DiffLine[] {
  let at: { before: number; after: number } | null = null
  return linesIn(patch).map((text): DiffLine => {
    const begin = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})/.exec(text)
    if (begin) at = { before: Number(begin[1]), after: Number(begin[2]) }
    const kind = /^\+(?!\+\+)/.test(text) ? 'added' : /^-(?!--)/.test(text) ? 'removed' : 'same'
    const shown = kind === 'same' ? text : text.slice(1)
    if (begin || at === null || (kind === 'same' && !text.startsWith(' '))) return { kind, text: shown }
    const line = numbered({ kind, text: shown }, at)
    if (kind !== 'added') at.before += 1
    if (kind !== 'removed') at.after += 1
    return line
  })
}

const numbered = (line: DiffLine, at: { readonly before: number; readonly after: number }): DiffLine => ({
  ...line,
  ...(line.kind === 'added' ? {} : { before: at.before }),
  ...(line.kind === 'removed' ? {} : { after: at.after }),
})

/** Beyond this many pairs of lines, what is between the common beginning and end is shown as replaced. */
const MOST_PAIRS = 250_000

/** Which lines went and which came. */
export function diff(before: string, after: string): readonly DiffLine[] {
  const a = linesIn(before)
  const b = linesIn(after)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  return [
    ...as('same', a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...as('same', a.slice(a.length - tail)),
  ]
}

/** What ends with a line end has no empty line after it. */
const linesIn = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

function middle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  if (a.length * b.length > MOST_PAIRS) return [...as('removed', a), ...as('added', b)]
  // Row i, column j: how many lines a from i and b from j have in common.
  const width = b.length + 1
  const common = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' })
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'removed', text: a[i] ?? '' })
      i += 1
    } else {
      lines.push({ kind: 'added', text: b[j] ?? '' })
      j += 1
    }
  }
  return lines
}

const as = (kind: DiffLine['kind'], lines: readonly string[]): readonly DiffLine[] =>
  lines.map((text) => ({ kind, text }))

const firstText = (values: readonly unknown[]): string | null =>
  values.find((value) => typeof value === 'string') ?? null
