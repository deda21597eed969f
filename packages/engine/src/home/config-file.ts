import { type Failure, failure, type Result, success } from '@panoptes/schema'
import { type Document, isMap, isScalar, type Node, parse, parseDocument, visit } from 'yaml'
import { nearest } from './closest-match.ts'
import { CONFIG_DEFAULTS, type ConfigValue } from './config-keys.ts'
import { fileFailure } from './file-failure.ts'
import { type ConfigMistake, type ParsedConfig, parseConfig } from './parse-config.ts'
import type { Paths } from './paths.ts'
import { readRegular } from './read-regular.ts'

/** Reads the settings of this home. Without a file every setting has its default. */
export async function readConfig(paths: Paths): Promise<Result<ParsedConfig>> {
  const text = await readConfigText(paths)
  if (!text.ok) return text
  const parsed = parseConfig(text.value)
  return parsed.ok ? success(parsed.value) : mistakesFailure(paths.config, parsed.mistakes)
}

/** Reads the text of `config.yaml`, or an empty text where there is none. */
export async function readConfigText(paths: Paths): Promise<Result<string>> {
  try {
    return success(await readRegular(paths.config))
  } catch (error) {
    const refused = fileFailure(error, paths.config, 'read')
    return refused.code === 'not_found' ? success('') : refused
  }
}

/** Builds a failure with one line per mistake: `config.yaml:7:9: server.port must be 0 to 65535`. */
export function mistakesFailure(file: string, mistakes: readonly ConfigMistake[]): Failure {
  const lines = mistakes.map(
    ({ line, column, path, reason }) =>
      `${file}:${line}:${column}: ${path === '' ? '' : `${path} `}${reason}`,
  )
  return failure('invalid', lines.join('\n'))
}

/**
 * Changes one setting in the text of `config.yaml` and keeps every comment. It refuses what the schema would
 * refuse.
 */
export function editConfig(text: string, key: string, raw: string, file = 'config.yaml'): Result<string> {
  const found = settingDefault(key)
  if (!found.ok) return found
  const before = parseConfig(text)
  if (!before.ok) return mistakesFailure(file, before.mistakes)
  const document = parseDocument(text)
  const path = key.split('.')
  makeSections(document, path)
  document.setIn(path, parseValue(raw, found.value))
  return checkEdited(document)
}

/** Writes a row of a table, such as a preset, or removes it when no value is given. Every comment stays. */
export function editConfigRow(
  text: string,
  path: readonly string[],
  value: object | undefined,
  file = 'config.yaml',
): Result<string> {
  const before = parseConfig(text)
  if (!before.ok) return mistakesFailure(file, before.mistakes)
  const document = parseDocument(text)
  makeSections(document, path)
  if (value === undefined) document.deleteIn(path)
  else document.setIn(path, formatInline(document.createNode(value)))
  const table = document.getIn(path.slice(0, -1), true)
  // An empty table is written as {} on one line; a table with rows puts each row on its own line.
  if (isMap(table)) table.flow = table.items.length === 0
  return checkEdited(document)
}

function makeSections(document: Document, path: readonly string[]): void {
  for (let length = 1; length < path.length; length++) {
    const section = path.slice(0, length)
    if (!isMap(document.getIn(section, true))) document.setIn(section, document.createNode({}))
  }
}

/** Collections of plain values are written on one line. */
function formatInline(node: Node): Node {
  visit(node, {
    Map: (_key, map) => {
      map.flow = map !== node && map.items.every(({ value }) => isScalar(value))
    },
  })
  return node
}

function checkEdited(document: Document): Result<string> {
  const after = document.toString({ lineWidth: 0 })
  const checked = parseConfig(after)
  if (checked.ok) return success(after)
  return failure('invalid', checked.mistakes.map((mistake) => `${mistake.path} ${mistake.reason}`).join('\n'))
}

/** Returns the default of a setting, or a failure that names the nearest existing one. */
export function settingDefault(key: string): Result<ConfigValue> {
  const value = CONFIG_DEFAULTS.get(key)
  if (value !== undefined) return success(value)
  const close = nearest(key, [...CONFIG_DEFAULTS.keys()])
  const hint = close ? `did you mean ${close}?` : `known: ${[...CONFIG_DEFAULTS.keys()].join(', ')}`
  return failure('not_found', `${key} is not a setting; ${hint}`)
}

function parseValue(raw: string, example: ConfigValue): unknown {
  if (typeof example === 'string') return raw
  const value = parsed(raw)
  if (!Array.isArray(example) || Array.isArray(value)) return value
  if (typeof value === 'object' && value !== null) return [value]
  return raw.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
}

function parsed(raw: string): unknown {
  try {
    return parse(raw)
  } catch {
    return raw
  }
}
