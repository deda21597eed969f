import { isName } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type Document, isMap, isScalar, type Pair, parseDocument, type Scalar } from 'yaml'

/** The parsed head of a SKILL.md. People write it by hand, so it may contain anything. */
export interface FrontMatter {
  readonly name: string | null
  readonly stability: string | null
  /** When to use the skill, and words for its subject. */
  readonly description: string | null
  readonly tags: readonly string[]
  /** False when the file begins without front matter. */
  readonly there: boolean
  /** Why the file is left unchanged. */
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

/** People describe a skill's subject under these names; Hermes also has them in its metadata. */
const TAG_FIELDS = ['tags', 'keywords', 'triggers', 'domains', 'category']

export function readFrontMatter(text: string): FrontMatter {
  const found = locate(text)
  if (found === null) return NONE
  if (typeof found === 'string') return { ...NONE, there: true, problem: found }
  const inner = text.slice(found.from, found.to)
  const parsed = parse(inner)
  if (typeof parsed === 'string') return { ...NONE, name: findLooseName(inner), there: true, problem: parsed }
  return {
    name: toName(readField(parsed, 'name')),
    stability: readField(parsed, 'stability'),
    description: readField(parsed, 'description')?.trim().slice(0, LONGEST_WORDS) || null,
    tags: readTags(parsed),
    there: true,
    problem: null,
  }
}

/** A single change of a text: a position, the old text and the new text. */
export interface Edit {
  readonly at: number
  readonly removed: string
  readonly inserted: string
}

export const applyEdit = (text: string, { at, removed, inserted }: Edit): string =>
  text.slice(0, at) + inserted + text.slice(at + removed.length)

export const reverseEdit = ({ at, removed, inserted }: Edit): Edit => ({
  at,
  removed: inserted,
  inserted: removed,
})

/**
 * Returns the edit that sets the stability in the front matter, or removes it for null. A string explains why
 * that is impossible.
 */
export function editStability(text: string, value: string | null): Edit | string {
  const found = locate(text)
  if (found === null) return 'its SKILL.md has no front matter'
  if (typeof found === 'string') return found
  const inner = text.slice(found.from, found.to)
  const parsed = parse(inner)
  if (typeof parsed === 'string') return parsed
  const edit = planEdit(inner, found.end, parsed, value)
  if (typeof edit === 'string') return edit
  const whole = { ...edit, at: edit.at + found.from }
  // The edit must not change the meaning of anything else.
  const after = parse(applyEdit(inner, edit))
  const read = readFrontMatter(applyEdit(text, whole))
  if (
    typeof after === 'string' ||
    !isSame(parsed, after) ||
    read.problem !== null ||
    read.stability !== value
  )
    return 'its front matter cannot be edited safely'
  return whole
}

interface FrontMatterRange {
  readonly from: number
  readonly to: number
  /** The line ending of the front matter. */
  readonly end: string
}

function locate(text: string): FrontMatterRange | string | null {
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

/** Very deep nesting would overflow the parser's stack and crash the process. */
const isDeep = (inner: string): boolean =>
  (inner.match(/[[{]/g)?.length ?? 0) > MOST_BRACKETS || IN_A_ROW.test(inner)

function parse(inner: string): Document.Parsed | string {
  if (isDeep(inner)) return 'its front matter is nested too deep'
  try {
    const parsed = parseDocument(inner, { logLevel: 'silent', prettyErrors: false })
    const [error] = parsed.errors
    if (error) return `its front matter is not YAML: ${error.message.split('\n')[0]}`
    if (parsed.contents !== null && !isMap(parsed.contents)) return 'its front matter has no fields'
    // Unresolved aliases such as `*.ts` are only detected here.
    parsed.toJS()
    return parsed
  } catch (error) {
    return `its front matter is not YAML: ${error instanceof Error ? error.message.split('\n')[0] : 'unreadable'}`
  }
}

function findPair(parsed: Document.Parsed, key: string): Pair | undefined {
  if (!isMap(parsed.contents)) return undefined
  return parsed.contents.items.find((pair) => isScalar(pair.key) && pair.key.value === key)
}

function readField(parsed: Document.Parsed, key: string): string | null {
  const value = findPair(parsed, key)?.value
  if (!isScalar(value)) return null
  return typeof value.value === 'string' || typeof value.value === 'number' ? String(value.value) : null
}

function planEdit(inner: string, end: string, parsed: Document.Parsed, value: string | null): Edit | string {
  const pair = findPair(parsed, 'stability')
  const { contents } = parsed
  if (pair === undefined) {
    if (value === null) return 'it is not marked'
    if (isMap(contents) && contents.flow) return 'its front matter is written in braces'
    return {
      at: inner.length,
      removed: '',
      inserted: `${detectIndent(inner, parsed)}stability: ${value}${end}`,
    }
  }
  const [, keyEnd] = (pair.key as Scalar).range ?? []
  if (keyEnd === undefined) return 'its stability cannot be found'
  const lineEnd = inner.indexOf('\n', keyEnd) + 1 || inner.length
  if (isScalar(pair.value) && pair.value.range && pair.value.range[1] > lineEnd)
    return 'its stability spans several lines'
  if (value === null) {
    const start = inner.lastIndexOf('\n', keyEnd - 1) + 1
    return { at: start, removed: inner.slice(start, lineEnd), inserted: '' }
  }
  if (!isScalar(pair.value)) return 'its stability is not a word'
  const [from = keyEnd, to = from] = pair.value.range ?? []
  if (from < to) return { at: from, removed: inner.slice(from, to), inserted: value }
  const colon = inner.indexOf(':', keyEnd) + 1
  return { at: colon, removed: '', inserted: ` ${value}` }
}

/** Every field may be indented by some spaces. */
function detectIndent(inner: string, { contents }: Document.Parsed): string {
  const first = isMap(contents) ? contents.items[0]?.key : undefined
  const at = isScalar(first) ? (first.range?.[0] ?? 0) : 0
  const indent = inner.slice(inner.lastIndexOf('\n', at - 1) + 1, at)
  return /^ *$/.test(indent) ? indent : ''
}

function isSame(before: Document.Parsed, after: Document.Parsed): boolean {
  try {
    return otherFields(before) === otherFields(after)
  } catch {
    // A field that contains itself has no text.
    return false
  }
}

const otherFields = (parsed: Document.Parsed): string =>
  JSON.stringify(Object.entries((parsed.toJS() ?? {}) as object).filter(([key]) => key !== 'stability'))

/** Returns the name if it is readable although the rest is malformed. */
function findLooseName(inner: string): string | null {
  const line = /^name:[ \t]*(.{1,600})$/m.exec(inner)?.[1]?.trim()
  return toName(line?.replace(/^(["'])(.*)\1$/, '$2') ?? null)
}

const toName = (text: string | null): string | null => {
  const name = text?.trim() ?? ''
  return isName(name) ? name : null
}

function readTags(parsed: Document.Parsed): readonly string[] {
  try {
    const fields = (parsed.toJS() ?? {}) as Readonly<Record<string, unknown>>
    const { metadata } = fields
    const hermes = isPlainObject(metadata) ? metadata.hermes : undefined
    const all = [fields, metadata, hermes].filter(isPlainObject)
    const values = all.flatMap((one) => TAG_FIELDS.flatMap((name) => one[name] ?? []))
    const words = values.flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
    return [
      ...new Set(words.map((word) => word.trim()).filter((word) => word !== '' && word.length < 100)),
    ].slice(0, MOST_TAGS)
  } catch {
    // A field that contains itself has no values.
    return []
  }
}
