import type { Fields } from '@panoptes/schema/plain-object'
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  /** Its line number before and after the edit, if known. */
  readonly before?: number
  readonly after?: number
}

export interface Edit {
  readonly file: string | null
  readonly lines: readonly DiffLine[]
}

/** Every render asks whether a call is an edit, so the result is cached. */
const cache = new WeakMap<object, Edit | null>()

/** Finds the edit in the input of a call; null if the input has no known edit format. */
export function findEdit(input: unknown): Edit | null {
  if (typeof input === 'string') return patchEdit(input)
  if (typeof input !== 'object' || input === null) return null
  const before = cache.get(input)
  if (before !== undefined) return before
  const edit = readEdit(input as Fields)
  cache.set(input, edit)
  return edit
}

const FILES = ['file_path', 'filePath', 'path', 'notebook_path'] as const

function readEdit(fields: Fields): Edit | null {
  const file = findFirstText(FILES.map((name) => fields[name]))
  const edits = Array.isArray(fields.edits) ? fields.edits : [fields]
  const lines = edits.flatMap((each) => replacementLines(each as Fields | null))
  if (lines.length > 0) return { file, lines }
  const patch = findFirstText([fields.patch, fields.diff])
  if (patch !== null && /^[+-]/m.test(patch)) return { file, lines: patchLines(patch) }
  const written = findFirstText([fields.content, fields.new_source])
  if (file !== null && written !== null)
    return { file, lines: diffLines('', written).map((line, i) => ({ ...line, after: i + 1 })) }
  return (
    [fields.command, fields.cmd, fields.input]
      .flat()
      .map(patchEdit)
      .find((edit) => edit !== null) ?? null
  )
}

function replacementLines(edit: Fields | null): readonly DiffLine[] {
  const before = findFirstText([edit?.old_string, edit?.oldString])
  const after = findFirstText([edit?.new_string, edit?.newString])
  return before === null || after === null ? [] : diffLines(before, after)
}

/** Reads a patch that names its files. */
function patchEdit(text: unknown): Edit | null {
  if (typeof text !== 'string') return null
  const begin = text.indexOf('*** Begin Patch')
  if (begin < 0) return null
  const patch = text.slice(begin).split('\n*** End Patch')[0] ?? ''
  const file = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(patch)?.[1] ?? null
  return { file, lines: patchLines(patch).slice(1) }
}

/** Splits a patch into lines and numbers them from the line numbers in its hunk headers. */
function patchLines(patch: string): readonly DiffLine[] {
  let at: { before: number; after: number } | null = null
  return splitLines(patch).map((text): DiffLine => {
    const begin = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})/.exec(text)
    if (begin) at = { before: Number(begin[1]), after: Number(begin[2]) }
    const kind = /^\+(?!\+\+)/.test(text) ? 'added' : /^-(?!--)/.test(text) ? 'removed' : 'same'
    const shown = kind === 'same' ? text : text.slice(1)
    if (begin || at === null || (kind === 'same' && !text.startsWith(' '))) return { kind, text: shown }
    const line = addLineNumbers({ kind, text: shown }, at)
    if (kind !== 'added') at.before += 1
    if (kind !== 'removed') at.after += 1
    return line
  })
}

const addLineNumbers = (
  line: DiffLine,
  at: { readonly before: number; readonly after: number },
): DiffLine => ({
  ...line,
  ...(line.kind === 'added' ? {} : { before: at.before }),
  ...(line.kind === 'removed' ? {} : { after: at.after }),
})

/**
 * Beyond this many pairs of lines, the diff shows everything between the common start and end as replaced.
 */
const MOST_PAIRS = 250_000

/** Compares two texts line by line. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = splitLines(before)
  const b = splitLines(after)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  return [
    ...toDiffLines('same', a.slice(0, head)),
    ...diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...toDiffLines('same', a.slice(a.length - tail)),
  ]
}

/** A final line break does not start another line. */
const splitLines = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n')

function diffMiddle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  if (a.length * b.length > MOST_PAIRS) return [...toDiffLines('removed', a), ...toDiffLines('added', b)]
  // Row i, column j: the length of the longest common subsequence of a from i and b from j.
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

const toDiffLines = (kind: DiffLine['kind'], lines: readonly string[]): readonly DiffLine[] =>
  lines.map((text) => ({ kind, text }))

const findFirstText = (values: readonly unknown[]): string | null =>
  values.find((value) => typeof value === 'string') ?? null
