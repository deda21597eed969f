import { isDeepStrictEqual } from 'node:util'
import { failure, type Result, success } from '@panoptes/schema'
import { type Document, isMap, isSeq, LineCounter, parseDocument, type YAMLSeq } from 'yaml'
import { appendLines, takeItem } from './lines.ts'
import { type HermesWish, isOurShellHook, isOurWebhook } from './wish.ts'

type Lists = ReadonlyMap<string, unknown>

/** Hermes' config with exactly these hooks of ours; comments and everything else stay. */
export function withHermes(text: string, wish: HermesWish, file: string): Result<string> {
  const wanted = wantedLists(wish)
  let now = text
  for (;;) {
    const read = readConfig(now, file)
    if (!read.ok) return read
    const wrong = firstOurs(
      read.value,
      (list, entry, nth) => nth > 0 || !isDeepStrictEqual(wanted.get(list), entry),
    )
    if (wrong === undefined) break
    now = without(now, read.value, wrong)
  }
  for (const [list, entry] of wanted) {
    const read = readConfig(now, file)
    if (!read.ok) return read
    if (firstOurs(read.value, (name) => name === list) !== undefined) continue
    now = added(now, read.value, list, entry)
  }
  return success(now)
}

export const withoutHermes = (text: string, file: string): Result<string> =>
  withHermes(text, { form: 'none' }, file)

/** Our entries, each with the list under `hooks` in which it stands. */
export function hermesEntries(text: string, file: string): Result<readonly HermesEntry[]> {
  const read = readConfig(text, file)
  if (!read.ok) return read
  const found: HermesEntry[] = []
  firstOurs(read.value, (list, entry) => {
    found.push({ list, entry })
    return false
  })
  return success(found)
}

interface HermesEntry {
  readonly list: string
  readonly entry: unknown
}

function wantedLists(wish: HermesWish): Lists {
  if (wish.form === 'webhook') return new Map([['outbound', wish.webhook]])
  if (wish.form === 'shell') return new Map(wish.events.map((event) => [event, wish.hook]))
  return new Map()
}

interface Found {
  readonly list: string
  readonly index: number
}

/** The first entry of ours for which this holds; `nth` counts those of ours in one list. */
function firstOurs(
  document: Document,
  holds: (list: string, entry: unknown, nth: number) => boolean,
): Found | undefined {
  const hooks = document.get('hooks', true)
  if (!isMap(hooks)) return undefined
  for (const { key, value } of hooks.items) {
    const list = String(key)
    if (!isSeq(value)) continue
    let nth = 0
    for (const [index, item] of (value.toJS(document) as unknown[]).entries()) {
      if (!(list === 'outbound' ? isOurWebhook(item) : isOurShellHook(item))) continue
      if (holds(list, item, nth)) return { list, index }
      nth += 1
    }
  }
  return undefined
}

/** As lines of text where that gives what is meant, so that not a byte elsewhere changes; else through the document. */
function added(text: string, document: Document, list: string, entry: unknown): string {
  const expected = parsed(text)
  const seq = expected.getIn(['hooks', list], true)
  if (isSeq(seq)) seq.add(expected.createNode(entry))
  else {
    if (!isMap(expected.get('hooks', true))) expected.set('hooks', expected.createNode({}))
    expected.setIn(['hooks', list], expected.createNode([entry]))
  }
  return meant(appendLines(text, document, list, entry), expected)
}

function without(text: string, document: Document, { list, index }: Found): string {
  const expected = parsed(text)
  const seq = expected.getIn(['hooks', list], true) as YAMLSeq
  seq.delete(index)
  if (seq.items.length === 0) expected.deleteIn(['hooks', list])
  const hooks = expected.get('hooks', true)
  if (isMap(hooks) && hooks.items.length === 0) expected.delete('hooks')
  return meant(takeItem(text, document, list, index), expected)
}

function meant(text: string | undefined, expected: Document): string {
  if (text !== undefined) {
    const read = parseDocument(text)
    if (read.errors.length === 0 && isDeepStrictEqual(read.toJS() ?? {}, expected.toJS() ?? {})) return text
  }
  return expected.toString({ lineWidth: 0 })
}

function parsed(text: string): Document {
  const document = parseDocument(text)
  if (document.contents === null) document.contents = document.createNode({}) as never
  return document
}

function readConfig(text: string, file: string): Result<Document> {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, keepSourceTokens: true })
  const wrong = (at: number, reason: string) => {
    const { line, col } = counter.linePos(at)
    return failure('invalid', `${file}:${line}:${col}: ${reason}`)
  }
  const [first] = document.errors
  if (first) return wrong(first.pos[0], first.message)
  if (document.contents !== null && !isMap(document.contents)) return wrong(0, 'the config must be a mapping')
  const hooks = document.get('hooks', true)
  if (isMap(hooks) || hooks === undefined || hooks === null) return success(document)
  const { range, value } = hooks as { range?: readonly number[]; value?: unknown }
  return value === null ? success(document) : wrong(range?.[0] ?? 0, '"hooks" must be a mapping')
}
