import { homedir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { failure, type Result, success } from '@panoptes/schema'
import { type Document, isMap, isSeq, LineCounter, parseDocument, stringify, type YAMLSeq } from 'yaml'
import type { Editor } from '../plan.ts'
import { type DesiredHermesHooks, isOurShellHook, isOurWebhook } from './desired-hooks.ts'

type Lists = ReadonlyMap<string, unknown>

/** Returns Hermes' config with exactly these hooks of Panoptes. Comments and everything else stay. */
export function setHermesHooks(text: string, wish: DesiredHermesHooks, file: string): Result<string> {
  const wanted = listsOfWish(wish)
  let now = text
  for (;;) {
    const read = readConfig(now, file)
    if (!read.ok) return read
    const wrong = findFirstOurs(
      read.value,
      (list, entry, nth) => nth > 0 || !isDeepStrictEqual(wanted.get(list), entry),
    )
    if (wrong === undefined) break
    now = removeEntry(now, read.value, wrong)
  }
  for (const [list, entry] of wanted) {
    const read = readConfig(now, file)
    if (!read.ok) return read
    if (findFirstOurs(read.value, (name) => name === list) !== undefined) continue
    now = addEntry(now, read.value, list, entry)
  }
  return success(now)
}

export const removeHermesHooks = (text: string, file: string): Result<string> =>
  setHermesHooks(text, { form: 'none' }, file)

/** Lists the entries of Panoptes, each with the list under `hooks` that contains it. */
export function hermesEntries(text: string, file: string): Result<readonly HermesEntry[]> {
  const read = readConfig(text, file)
  if (!read.ok) return read
  const found: HermesEntry[] = []
  findFirstOurs(read.value, (list, entry) => {
    found.push({ list, entry })
    return false
  })
  return success(found)
}

interface HermesEntry {
  readonly list: string
  readonly entry: unknown
}

function listsOfWish(wish: DesiredHermesHooks): Lists {
  if (wish.form === 'webhook') return new Map([['outbound', wish.webhook]])
  if (wish.form === 'shell') return new Map(wish.events.map((event) => [event, wish.hook]))
  return new Map()
}

interface Found {
  readonly list: string
  readonly index: number
}

/** Finds the first entry of Panoptes that matches; `nth` counts only entries of Panoptes within one list. */
function findFirstOurs(
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

/**
 * Adds the entry as lines of text if that parses to the intended value, so that no other byte changes.
 * Otherwise it edits the document.
 */
function addEntry(text: string, document: Document, list: string, entry: unknown): string {
  const expected = parseForEdit(text)
  const seq = expected.getIn(['hooks', list], true)
  if (isSeq(seq)) seq.add(expected.createNode(entry))
  else {
    if (!isMap(expected.get('hooks', true))) expected.set('hooks', expected.createNode({}))
    expected.setIn(['hooks', list], expected.createNode([entry]))
  }
  return preferTextEdit(appendLines(text, document, list, entry), expected)
}

function removeEntry(text: string, document: Document, { list, index }: Found): string {
  const expected = parseForEdit(text)
  const seq = expected.getIn(['hooks', list], true) as YAMLSeq
  seq.delete(index)
  if (seq.items.length === 0) expected.deleteIn(['hooks', list])
  const hooks = expected.get('hooks', true)
  if (isMap(hooks) && hooks.items.length === 0) expected.delete('hooks')
  return preferTextEdit(takeItem(text, document, list, index), expected)
}

function preferTextEdit(text: string | undefined, expected: Document): string {
  if (text !== undefined) {
    const read = parseDocument(text)
    if (read.errors.length === 0 && isDeepStrictEqual(read.toJS() ?? {}, expected.toJS() ?? {})) return text
  }
  return expected.toString({ lineWidth: 0 })
}

function parseForEdit(text: string): Document {
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

type Ranged = { readonly range?: readonly [number, number, number] | null }

/**
 * Adds an entry as lines at the end of its list, or creates the list or the whole section. Returns undefined
 * when the text is not in block style.
 */
function appendLines(text: string, document: Document, list: string, entry: unknown): string | undefined {
  const hooks = document.get('hooks', true)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = (value: unknown, indent: string): string =>
    stringify(value, { lineWidth: 0 })
      .trimEnd()
      .split('\n')
      .map((line) => indent + line)
      .join(newline) + newline
  const insert = (at: number, written: string): string => {
    const before = text.slice(0, at)
    return before + (before === '' || before.endsWith('\n') ? '' : newline) + written + text.slice(at)
  }
  if (hooks === undefined) return insert(text.length, lines({ hooks: { [list]: [entry] } }, ''))
  if (!isMap(hooks) || hooks.flow) return undefined
  const section = hooks.items[0]?.key as Ranged | undefined
  const column = section?.range ? columnAt(text, section.range[0]) : undefined
  if (column === undefined) return undefined
  const seq = hooks.get(list, true)
  if (seq === undefined) return insert(nodeEnd(text, hooks), lines({ [list]: [entry] }, ' '.repeat(column)))
  if (!isSeq(seq) || seq.flow || seq.items.length === 0) return undefined
  const dash = findDashColumn(text, seq.items[0] as Ranged)
  return dash === undefined ? undefined : insert(nodeEnd(text, seq), lines([entry], ' '.repeat(dash)))
}

/** Removes the lines of an entry. The last entry takes its list along, and the last list the section. */
function takeItem(text: string, document: Document, list: string, index: number): string | undefined {
  const hooks = document.get('hooks', true)
  if (!isMap(hooks) || hooks.flow) return undefined
  const seq = hooks.get(list, true)
  if (!isSeq(seq) || seq.flow) return undefined
  if (seq.items.length > 1)
    return cut(text, lineStart(text, seq.items[index] as Ranged), nodeEnd(text, seq.items[index] as Ranged))
  const owner = hooks.items.length > 1 ? hooks : isMap(document.contents) ? document.contents : undefined
  const name = owner === hooks ? list : 'hooks'
  const pair = owner?.items.find(({ key }) => String(key) === name)
  return pair
    ? cut(text, lineStart(text, pair.key as Ranged), nodeEnd(text, pair.value as Ranged))
    : undefined
}

const cut = (text: string, start: number | undefined, end: number): string | undefined =>
  start === undefined ? undefined : text.slice(0, start) + text.slice(end)

/** Returns the end of the last line of a node. Comments and empty lines after it belong to what follows. */
function nodeEnd(text: string, { range }: Ranged): number {
  const end = range?.[1] ?? text.length
  if (end > 0 && text[end - 1] === '\n') return end
  const newline = text.indexOf('\n', end)
  return newline < 0 ? text.length : newline + 1
}

function lineStart(text: string, { range }: Ranged): number | undefined {
  return range ? text.lastIndexOf('\n', range[0] - 1) + 1 : undefined
}

const columnAt = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1)

function findDashColumn(text: string, { range }: Ranged): number | undefined {
  if (!range) return undefined
  const start = text.lastIndexOf('\n', range[0] - 1) + 1
  const indent = /^ *(?=- )/.exec(text.slice(start, range[0]))
  return indent?.[0].length
}

export const hermesConfigFile = (env: Readonly<Record<string, string | undefined>>): string =>
  join(env.HERMES_HOME || join(env.HOME || homedir(), '.hermes'), 'config.yaml')

export function hermesEditor(file: string, wish: DesiredHermesHooks, secret: string | null): Editor {
  return {
    agent: 'hermes',
    file,
    install: (text) => setHermesHooks(text, wish, file),
    remove: (text) => removeHermesHooks(text, file),
    bare: (text) => removeHermesHooks(text, file),
    hide: secret === null ? [] : [secret],
    secret: wish.form === 'webhook' && wish.webhook.secret !== undefined,
  }
}
