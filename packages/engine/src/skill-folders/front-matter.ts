import { isName } from '@panoptes/schema'
import { type Document, isMap, isScalar, type Pair, parseDocument, type Scalar } from 'yaml'

/** What the head of a SKILL.md says. People write it, so that anything may stand there. */
export interface FrontMatter {
  readonly name: string | null
  readonly stability: string | null
  /** When to use it, and words that say what it is about. */
  readonly description: string | null
  readonly tags: readonly string[]
  /** False where the file begins without one. */
  readonly there: boolean
  /** Why it is left as it is. */
  readonly problem: string | null
}

const NONE: FrontMatter = {
  name: null,
  stability: null,
  description: null,
  tags: [],
  there: false,
  problem: null,
}
const LONGEST = 16_384
const LONGEST_WORDS = 2_000
const MOST_TAGS = 50

/** Under these names people write what a skill is about; Hermes has them in its metadata too. */
const TAG_FIELDS = ['tags', 'keywords', 'triggers', 'domains', 'category']

export function readFrontMatter(text: string): FrontMatter {
  const found = locate(text)
  if (found === null) return NONE
  if (typeof found === 'string') return { ...NONE, there: true, problem: found }
  const inner = text.slice(found.from, found.to)
  const parsed = parse(inner)
  if (typeof parsed === 'string') return { ...NONE, name: looseName(inner), there: true, problem: parsed }
  return {
    name: named(fieldOf(parsed, 'name')),
    stability: fieldOf(parsed, 'stability'),
    description: fieldOf(parsed, 'description')?.trim().slice(0, LONGEST_WORDS) || null,
    tags: tagsOf(parsed),
    there: true,
    problem: null,
  }
}

/** One change of a text: what stood at a place, and what stands there instead. */
export interface Edit {
  readonly at: number
  readonly removed: string
  readonly inserted: string
}

export const applied = (text: string, { at, removed, inserted }: Edit): string =>
  text.slice(0, at) + inserted + text.slice(at + removed.length)

export const reversed = ({ at, removed, inserted }: Edit): Edit => ({
  at,
  removed: inserted,
  inserted: removed,
})

/** How to say in the head of a file how stable it is, or with null no longer to; a text says why that cannot be done. */
export function editStability(text: string, value: string | null): Edit | string {
  const found = locate(text)
  if (found === null) return 'its SKILL.md has no front matter'
  if (typeof found === 'string') return found
  const inner = text.slice(found.from, found.to)
  const parsed = parse(inner)
  if (typeof parsed === 'string') return parsed
  const edit = editOf(inner, found.end, parsed, value)
  if (typeof edit === 'string') return edit
  const whole = { ...edit, at: edit.at + found.from }
  // Nothing else may have come to mean something else.
  const after = parse(applied(inner, edit))
  const read = readFrontMatter(applied(text, whole))
  if (
    typeof after === 'string' ||
    !isSame(parsed, after) ||
    read.problem !== null ||
    read.stability !== value
  )
    return 'its front matter is written in a way that cannot be changed in one place'
  return whole
}

interface Located {
  readonly from: number
  readonly to: number
  /** How its lines end. */
  readonly end: string
}

function locate(text: string): Located | string | null {
  const head = /^\uFEFF?---[ \t]*(\r?\n)/.exec(text)
  if (!head) return null
  const from = head[0].length
  let at = from
  while (at - from <= LONGEST) {
    const newline = text.indexOf('\n', at)
    const line = (newline < 0 ? text.slice(at) : text.slice(at, newline)).trimEnd()
    if (line === '---' || line === '...') return { from, to: at, end: head[1] ?? '\n' }
    if (newline < 0) return 'its front matter has no end'
    at = newline + 1
  }
  return 'its front matter is very long'
}

const MOST_BRACKETS = 200
const MOST_IN_A_ROW = 20
const IN_A_ROW = new RegExp(`(?:[-?:][ \\t]+){${MOST_IN_A_ROW}}`)

/** What is nested very deep would take the parser, and with it the process, to the end of its stack. */
const isDeep = (inner: string): boolean =>
  (inner.match(/[[{]/g)?.length ?? 0) > MOST_BRACKETS || IN_A_ROW.test(inner)

function parse(inner: string): Document.Parsed | string {
  if (isDeep(inner)) return 'its front matter is nested too deep'
  try {
    const parsed = parseDocument(inner, { logLevel: 'silent', prettyErrors: false })
    const [error] = parsed.errors
    if (error) return `its front matter is no YAML: ${error.message.split('\n')[0]}`
    if (parsed.contents !== null && !isMap(parsed.contents)) return 'its front matter has no fields'
    // What refers to nothing, such as *.ts, is only found here.
    parsed.toJS()
    return parsed
  } catch (error) {
    return `its front matter is no YAML: ${error instanceof Error ? error.message.split('\n')[0] : 'unreadable'}`
  }
}

function pairOf(parsed: Document.Parsed, key: string): Pair | undefined {
  if (!isMap(parsed.contents)) return undefined
  return parsed.contents.items.find((pair) => isScalar(pair.key) && pair.key.value === key)
}

function fieldOf(parsed: Document.Parsed, key: string): string | null {
  const value = pairOf(parsed, key)?.value
  if (!isScalar(value)) return null
  return typeof value.value === 'string' || typeof value.value === 'number' ? String(value.value) : null
}

function editOf(inner: string, end: string, parsed: Document.Parsed, value: string | null): Edit | string {
  const pair = pairOf(parsed, 'stability')
  const { contents } = parsed
  if (pair === undefined) {
    if (value === null) return 'it is not marked'
    if (isMap(contents) && contents.flow) return 'its front matter is written in braces'
    return { at: inner.length, removed: '', inserted: `${indentOf(inner, parsed)}stability: ${value}${end}` }
  }
  const [, keyEnd] = (pair.key as Scalar).range ?? []
  if (keyEnd === undefined) return 'its stability cannot be found'
  const lineEnd = inner.indexOf('\n', keyEnd) + 1 || inner.length
  if (isScalar(pair.value) && pair.value.range && pair.value.range[1] > lineEnd)
    return 'its stability goes over several lines'
  if (value === null) {
    const start = inner.lastIndexOf('\n', keyEnd - 1) + 1
    return { at: start, removed: inner.slice(start, lineEnd), inserted: '' }
  }
  if (!isScalar(pair.value)) return 'its stability is no word'
  const [from = keyEnd, to = from] = pair.value.range ?? []
  if (from < to) return { at: from, removed: inner.slice(from, to), inserted: value }
  const colon = inner.indexOf(':', keyEnd) + 1
  return { at: colon, removed: '', inserted: ` ${value}` }
}

/** Fields may all stand some spaces in. */
function indentOf(inner: string, { contents }: Document.Parsed): string {
  const first = isMap(contents) ? contents.items[0]?.key : undefined
  const at = isScalar(first) ? (first.range?.[0] ?? 0) : 0
  const indent = inner.slice(inner.lastIndexOf('\n', at - 1) + 1, at)
  return /^ *$/.test(indent) ? indent : ''
}

function isSame(before: Document.Parsed, after: Document.Parsed): boolean {
  try {
    return otherFields(before) === otherFields(after)
  } catch {
    // A field that holds itself has no text.
    return false
  }
}

const otherFields = (parsed: Document.Parsed): string =>
  JSON.stringify(Object.entries((parsed.toJS() ?? {}) as object).filter(([key]) => key !== 'stability'))

/** Where the rest is broken, the name may still be told. */
function looseName(inner: string): string | null {
  const line = /^name:[ \t]*(.{1,600})$/m.exec(inner)?.[1]?.trim()
  return named(line?.replace(/^(["'])(.*)\1$/, '$2') ?? null)
}

const named = (text: string | null): string | null => {
  const name = text?.trim() ?? ''
  return isName(name) ? name : null
}

function tagsOf(parsed: Document.Parsed): readonly string[] {
  try {
    const fields = (parsed.toJS() ?? {}) as Readonly<Record<string, unknown>>
    const { metadata } = fields
    const hermes = isFields(metadata) ? metadata.hermes : undefined
    const all = [fields, metadata, hermes].filter(isFields)
    const said = all.flatMap((one) => TAG_FIELDS.flatMap((name) => one[name] ?? []))
    const words = said.flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
    return [
      ...new Set(words.map((word) => word.trim()).filter((word) => word !== '' && word.length < 100)),
    ].slice(0, MOST_TAGS)
  } catch {
    // A field that holds itself has no values.
    return []
  }
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
