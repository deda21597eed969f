import { CONFIG_DEFAULTS, CONFIG_TABLES, knownKey, type ParsedConfig, valueAt } from '@panoptes/engine/home'
import { redactText } from '@panoptes/engine/redact'
import { failure, type Result, success } from '@panoptes/schema'

/** A setting as it is in force. */
interface Setting {
  readonly key: string
  readonly value: unknown
  readonly default: unknown
  readonly from: 'file' | 'default'
  /** Where it stands in the file, or begins there. */
  readonly line: number | null
}

/** The table that a key is, or is a row of; the names in it may have dots. */
export const tableOf = (key: string): string | undefined =>
  CONFIG_TABLES.find((table) => key === table || key.startsWith(`${table}.`))

/** Every setting, those of one value first. */
export const settingsOf = (parsed: ParsedConfig): readonly Setting[] => [
  ...[...CONFIG_DEFAULTS].map(([key, standard]) => plain(parsed, key, standard)),
  ...CONFIG_TABLES.map((name) => table(parsed, name)),
]

/** The settings of a group, such as `budgets`; none where it is not the name of one. */
export const settingsUnder = (parsed: ParsedConfig, group: string): readonly Setting[] =>
  settingsOf(parsed).filter(({ key }) => key.startsWith(`${group}.`))

export function settingOf(parsed: ParsedConfig, key: string): Result<Setting> {
  const name = tableOf(key)
  if (name === key) return success(table(parsed, name))
  if (name !== undefined) return rowOf(parsed, name, key.slice(name.length + 1))
  const known = knownKey(key)
  return known.ok ? success(plain(parsed, key, known.value)) : known
}

const plain = ({ config, lines }: ParsedConfig, key: string, standard: unknown): Setting =>
  setting(key, valueAt(config, key), standard, lines.get(key))

const table = ({ config, lines }: ParsedConfig, name: string): Setting =>
  setting(name, valueAt(config, name), {}, firstUnder(lines, `${name}.`))

function rowOf({ config, lines }: ParsedConfig, name: string, row: string): Result<Setting> {
  const rows = valueAt(config, name) as Readonly<Record<string, unknown>>
  if (!Object.hasOwn(rows, row)) return failure('not_found', `${name} has no ${row}`)
  const key = `${name}.${row}`
  return success(setting(key, rows[row], null, lines.get(key) ?? firstUnder(lines, `${key}.`)))
}

function firstUnder(lines: ReadonlyMap<string, number>, prefix: string): number | undefined {
  const under = [...lines].filter(([key]) => key.startsWith(prefix)).map(([, line]) => line)
  return under.length > 0 ? Math.min(...under) : undefined
}

const setting = (key: string, value: unknown, standard: unknown, line: number | undefined): Setting => ({
  key,
  value: shown(key, value),
  default: standard,
  from: line === undefined ? 'default' : 'file',
  line: line ?? null,
})

const ADDRESSES = ['team.ledger', 'team.bus']

/** A value as it may be shown: an address without its password. */
export const shown = (key: string, value: unknown): unknown =>
  ADDRESSES.includes(key) && typeof value === 'string' ? redactText(value).text : value
