import {
  CONFIG_DEFAULTS,
  CONFIG_TABLES,
  type ParsedConfig,
  settingDefault,
  valueAt,
} from '@panoptes/engine/home'
import { redactText } from '@panoptes/engine/redact'
import { failure, type Result, success } from '@panoptes/schema'

/** A setting with its current value. */
interface Setting {
  readonly key: string
  readonly value: unknown
  readonly default: unknown
  readonly from: 'file' | 'default'
  /** Its line in the file. */
  readonly line: number | null
}

/** The table that the key is or belongs to. Row names may contain dots. */
export const findTable = (key: string): string | undefined =>
  CONFIG_TABLES.find((table) => key === table || key.startsWith(`${table}.`))

/** Lists every setting, single values first. */
export const listSettings = (parsed: ParsedConfig): readonly Setting[] => [
  ...[...CONFIG_DEFAULTS].map(([key, standard]) => plain(parsed, key, standard)),
  ...CONFIG_TABLES.map((name) => table(parsed, name)),
]

/** The settings of a group such as `budgets`, or nothing if the group is unknown. */
export const settingsUnder = (parsed: ParsedConfig, group: string): readonly Setting[] =>
  listSettings(parsed).filter(({ key }) => key.startsWith(`${group}.`))

export function findSetting(parsed: ParsedConfig, key: string): Result<Setting> {
  const name = findTable(key)
  if (name === key) return success(table(parsed, name))
  if (name !== undefined) return findRow(parsed, name, key.slice(name.length + 1))
  const defaultValue = settingDefault(key)
  return defaultValue.ok ? success(plain(parsed, key, defaultValue.value)) : defaultValue
}

const plain = ({ config, lines }: ParsedConfig, key: string, standard: unknown): Setting =>
  setting(key, valueAt(config, key), standard, lines.get(key))

const table = ({ config, lines }: ParsedConfig, name: string): Setting =>
  setting(name, valueAt(config, name), {}, firstUnder(lines, `${name}.`))

function findRow({ config, lines }: ParsedConfig, name: string, row: string): Result<Setting> {
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

/** Formats a value for display, without the password of an address. */
export const shown = (key: string, value: unknown): unknown =>
  ADDRESSES.includes(key) && typeof value === 'string' ? redactText(value).text : value
