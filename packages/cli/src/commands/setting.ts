import { CONFIG_DEFAULTS, knownKey, type ParsedConfig, valueAt } from '@panoptes/engine/home'
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

/** A table of people's own: its keys are names of models, which may have dots. */
const TABLE = 'prices'
const UNDER = `${TABLE}.`

export const isOfTable = (key: string): boolean => key === TABLE || key.startsWith(UNDER)

/** Every setting, those of one value first. */
export const settingsOf = (parsed: ParsedConfig): readonly Setting[] => [
  ...[...CONFIG_DEFAULTS].map(([key, standard]) => plain(parsed, key, standard)),
  table(parsed),
]

export function settingOf(parsed: ParsedConfig, key: string): Result<Setting> {
  if (key === TABLE) return success(table(parsed))
  if (isOfTable(key)) return priceOf(parsed, key)
  const known = knownKey(key)
  return known.ok ? success(plain(parsed, key, known.value)) : known
}

const plain = ({ config, lines }: ParsedConfig, key: string, standard: unknown): Setting =>
  setting(key, valueAt(config, key), standard, lines.get(key))

const table = ({ config, lines }: ParsedConfig): Setting =>
  setting(TABLE, config.prices, {}, firstUnder(lines, UNDER))

function priceOf({ config, lines }: ParsedConfig, key: string): Result<Setting> {
  const model = key.slice(UNDER.length)
  const price = Object.hasOwn(config.prices, model) ? config.prices[model] : undefined
  if (price === undefined) return failure('not_found', `${TABLE} has no price of ${model}`)
  return success(setting(key, price, null, firstUnder(lines, `${key}.`)))
}

function firstUnder(lines: ReadonlyMap<string, number>, prefix: string): number | undefined {
  const under = [...lines].filter(([key]) => key.startsWith(prefix)).map(([, line]) => line)
  return under.length > 0 ? Math.min(...under) : undefined
}

const setting = (key: string, value: unknown, standard: unknown, line: number | undefined): Setting => ({
  key,
  value,
  default: standard,
  from: line === undefined ? 'default' : 'file',
  line: line ?? null,
})
