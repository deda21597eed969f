import { type Config, check, config, isUnknownField } from '@panoptes/schema'
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { nearest } from './closest-match.ts'
import { isOpenSection, keysUnder } from './config-keys.ts'

const LONGEST = 256 * 1024

/** A mistake in `config.yaml`; line and column count from 1. */
export interface ConfigMistake {
  readonly line: number
  readonly column: number
  readonly path: string
  readonly reason: string
}

export interface ParsedConfig {
  readonly config: Config
  /** The line of each setting in the file, by its dotted name. */
  readonly lines: ReadonlyMap<string, number>
}

export type ConfigParsing =
  | { readonly ok: true; readonly value: ParsedConfig }
  | { readonly ok: false; readonly mistakes: readonly ConfigMistake[] }

export function parseConfig(text: string): ConfigParsing {
  if (text.length > LONGEST) return wrong(1, 1, '', `is longer than ${LONGEST / 1024} KB`)
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
  const place = (offset: number) => counter.linePos(offset)
  // Later errors mostly follow from the first.
  const [broken] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0])
  if (broken) {
    const { line, col } = place(broken.pos[0])
    const twice = broken.code === 'DUPLICATE_KEY' ? keyTwice(document, broken.pos[0], place) : null
    return twice ?? wrong(line, col, '', broken.message)
  }
  const root = document.contents
  if (root === null || (isScalar(root) && root.value === null)) return checkValues(document, {}, place)
  if (!isMap(root)) return wrong(1, 1, '', 'must be settings such as "log:" with "level: info" under it')
  try {
    return checkValues(document, plain(document.toJS({ maxAliasCount: 10 })), place)
  } catch (error) {
    return wrong(1, 1, '', error instanceof Error ? error.message : String(error))
  }
}

type Place = (offset: number) => { line: number; col: number }

/** Finds a key that occurs twice, most often because lines were pasted after existing ones. */
function keyTwice(document: Document, offset: number, place: Place): ConfigParsing | null {
  let found: ConfigParsing | null = null
  visit(document, {
    Map: (_at, map) => {
      const second = map.items.find(({ key }) => nodeOffset(key) === offset)
      const first = second && map.items.find((pair) => pairKey(pair) === pairKey(second))
      if (!first || first === second) return undefined
      const { line, col } = place(offset)
      const before = place(nodeOffset(first.key)).line
      const advice = `move its content to line ${before} and delete line ${line}`
      found = wrong(line, col, pairKey(second), `is defined twice, in lines ${before} and ${line}: ${advice}`)
      return visit.BREAK
    },
  })
  return found
}

function checkValues(document: Document, input: unknown, place: Place): ConfigParsing {
  const unknown = isMap(document.contents) ? findUnknownKeys(document.contents, [], place) : []
  const result = check(config, input)
  const wrongValues = result.ok
    ? []
    : result.problems
        .filter(({ path, reason }) => !isUnknownField(reason) || isOpenSection(path.split('.')))
        .map((problem) => ({ ...locate(document, problem.path, place), ...problem }))
  const mistakes = [...unknown, ...wrongValues].sort((a, b) => a.line - b.line || a.column - b.column)
  if (!result.ok || mistakes.length > 0) return { ok: false, mistakes }
  const lines = isMap(document.contents) ? keyLines(document.contents, '', place) : []
  return { ok: true, value: { config: result.value, lines: new Map(lines) } }
}

/** A section with nothing under it counts as absent. */
function plain(values: unknown): unknown {
  if (typeof values !== 'object' || values === null) return values
  const present = Object.entries(values).filter(([key, value]) => value !== null || !keysUnder([key]))
  return Object.fromEntries(present)
}

function findUnknownKeys(map: YAMLMap, path: readonly string[], place: Place): ConfigMistake[] {
  const keys = keysUnder(path)
  if (!keys || isOpenSection(path)) return []
  return map.items.flatMap((pair) => {
    const key = pairKey(pair)
    if (!keys.includes(key)) return [unknownKeyMistake(pair, [...path, key], keys, place)]
    return isMap(pair.value) ? findUnknownKeys(pair.value, [...path, key], place) : []
  })
}

function unknownKeyMistake(pair: Pair, path: readonly string[], keys: readonly string[], place: Place) {
  const { line, col } = place(nodeOffset(pair.key))
  const close = nearest(path.at(-1) ?? '', keys)
  const hint = close ? `did you mean "${close}"?` : `known here: ${keys.join(', ')}`
  return { line, column: col, path: path.join('.'), reason: `is not a setting; ${hint}` }
}

function keyLines(map: YAMLMap, prefix: string, place: Place): [string, number][] {
  return map.items.flatMap((pair): [string, number][] => {
    const key = `${prefix}${pairKey(pair)}`
    if (isMap(pair.value)) return keyLines(pair.value, `${key}.`, place)
    return [[key, place(nodeOffset(pair.key)).line]]
  })
}

/** Locates a value, or the nearest enclosing node that is in the file. Keys may contain dots. */
function locate(document: Document, path: string, place: Place) {
  let node: unknown = document.contents
  let found = node
  let rest = path
  while (rest !== '') {
    const step = stepInto(node, rest)
    if (step === undefined) break
    node = step.node
    rest = step.rest
    if (isNode(node) && node.range) found = node
  }
  const { line, col } = place(nodeOffset(found))
  return { line, column: col }
}

function stepInto(
  node: unknown,
  path: string,
): { readonly node: unknown; readonly rest: string } | undefined {
  if (isSeq(node)) {
    const [first = '', ...others] = path.split('.')
    return { node: node.items[Number(first)], rest: others.join('.') }
  }
  if (!isMap(node)) return undefined
  const fitting = node.items
    .map((pair) => ({ pair, key: pairKey(pair) }))
    .filter(({ key }) => path === key || path.startsWith(`${key}.`))
    .sort((a, b) => b.key.length - a.key.length)[0]
  return fitting && { node: fitting.pair.value, rest: path.slice(fitting.key.length + 1) }
}

const pairKey = (pair: Pair): string => (isScalar(pair.key) ? String(pair.key.value) : String(pair.key))
const nodeOffset = (node: unknown): number => (isNode(node) && node.range ? node.range[0] : 0)
const wrong = (line: number, column: number, path: string, reason: string): ConfigParsing => ({
  ok: false,
  mistakes: [{ line, column, path, reason }],
})
