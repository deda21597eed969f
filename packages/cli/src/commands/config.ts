import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { placeOfAchievements } from '@panoptes/engine/achievements'
import {
  CONFIG_DEFAULTS,
  CONFIG_TABLES,
  createHome,
  editConfig,
  fileFailure,
  type ParsedConfig,
  readConfig,
  readConfigText,
  replaceFile,
  settingDefault,
  valueAt,
} from '@panoptes/engine/home'
import { redactText } from '@panoptes/engine/redact'
import { failure, type Result, success } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { CommandFailure, EXIT, orFail, toCommandFailure } from '../failure.ts'
import { columns, shortenPath } from '../terminal/format.ts'

const MISTAKE_NEXT = 'Fix the file, then run: panoptes config check'

/** Loads the settings in effect. An error in the file has its own exit code. */
export async function loadConfig({ paths }: Context): Promise<ParsedConfig> {
  const read = await readConfig(paths)
  if (read.ok) return read.value
  if (read.code !== 'invalid') throw toCommandFailure(read, `Check the permissions of ${paths.config}.`)
  throw new CommandFailure(read.message, { code: 'invalid_config', next: MISTAKE_NEXT, exit: EXIT.config })
}

/** Rejects settings that are valid but do not work on this computer. */
export function checkLayout(context: Context, loaded: ParsedConfig): void {
  const message = findLayoutProblem(context, loaded)
  if (message === undefined) return
  throw new CommandFailure(message, { code: 'invalid_config', next: MISTAKE_NEXT, exit: EXIT.config })
}

/** Reports a problem with the achievements layout and the line that sets it. */
export function findLayoutProblem(
  { paths, env }: Context,
  { config, lines }: ParsedConfig,
): string | undefined {
  const place = placeOfAchievements({ paths, config, env })
  return place.ok ? undefined : `${paths.config}:${lines.get('layout') ?? 1}:1: ${place.message}`
}

/** A preset inside a preset fails when it runs. This reports it earlier. */
async function checkPresetRecursion({ paths }: Context, { config, lines }: ParsedConfig): Promise<void> {
  const { recursionIn } = await import('@panoptes/engine/moa')
  const mistakes = Object.entries(config.moa.presets).flatMap(([name, preset]) =>
    recursionIn(preset).map(({ path, reason }) => {
      const key = `moa.presets.${name}.${path}`
      const line = [...lines].find(([each]) => key.startsWith(each) || each.startsWith(`${key}.`))?.[1] ?? 1
      return `${paths.config}:${line}:1: ${key} ${reason}`
    }),
  )
  if (mistakes.length === 0) return
  const message = mistakes.join('\n')
  throw new CommandFailure(message, { code: 'invalid_config', next: MISTAKE_NEXT, exit: EXIT.config })
}

/** Reports chat settings that cannot work here: unknown providers and missing folders. */
async function checkChatSettings({ paths, env }: Context, { config, lines }: ParsedConfig): Promise<void> {
  const { resolveEndpoints } = await import('@panoptes/engine/models')
  const { knowledgeFolders } = await import('@panoptes/engine/knowledge')
  const lineNumber = (key: string) =>
    [...lines].find(([each]) => each.startsWith(key) || key.startsWith(each))?.[1] ?? 1
  const formatMistake = (key: string, reason: string) =>
    `${paths.config}:${lineNumber(key)}:1: ${key} ${reason}`
  const names = resolveEndpoints(config.providers, env).map(({ name }) => name)
  const { provider, preset } = config.runtimes.jarvis ?? {}
  const presets = Object.keys(config.moa.presets)
  const isAway = preset !== undefined && !config.moa.from_hermes && !presets.includes(preset)
  const mistakes = [
    ...(provider === undefined || names.includes(provider)
      ? []
      : [
          formatMistake(
            'runtimes.jarvis.provider',
            `refers to ${provider}, which is not a provider; available: ${names.join(', ')}`,
          ),
        ]),
    ...(isAway
      ? [formatMistake('runtimes.jarvis.preset', `refers to ${preset}, which is not in moa.presets`)]
      : []),
    ...knowledgeFolders(config.chat.knowledge, env.HOME || homedir())
      .filter((folder) => !existsSync(folder))
      .map((folder) => formatMistake('chat.knowledge', `refers to ${folder}, which does not exist`)),
  ]
  if (mistakes.length === 0) return
  const message = mistakes.join('\n')
  throw new CommandFailure(message, { code: 'invalid_config', next: MISTAKE_NEXT, exit: EXIT.config })
}

export async function showConfig(context: Context): Promise<void> {
  const settings = listSettings(await loadConfig(context))
  const { file, exists } = configFile(context)
  const head = exists
    ? shortenPath(file)
    : `${shortenPath(file)} (does not exist yet; these are the defaults)`
  context.output.answer([head, ...columns(settingRows(settings))], { ok: true, path: file, exists, settings })
}

const settingRows = (settings: ReturnType<typeof listSettings>): readonly string[][] =>
  settings.map(({ key, value, line }) => [key, JSON.stringify(value), line ? `line ${line}` : 'default'])

export function configPath(context: Context): void {
  const { file, exists } = configFile(context)
  context.output.answer([file], { ok: true, path: file, exists })
}

export async function getConfig(context: Context, key: string): Promise<void> {
  const loaded = await loadConfig(context)
  const settings = listGroupSettings(loaded, key)
  if (settings.length > 0 && findTable(key) === undefined) {
    context.output.answer(columns(settingRows(settings), ''), { ok: true, key, settings })
    return
  }
  const { value, from, line } = unwrapOrUsage(findSetting(loaded, key))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  context.output.answer([text], { ok: true, key, value, from, line })
}

/** Writes a setting into `config.yaml` and returns the settings after it. Every comment stays. */
export async function writeSetting(context: Context, key: string, raw: string): Promise<ParsedConfig> {
  const { paths } = context
  await loadConfig(context)
  const text = orFail(await readConfigText(paths))
  const edited = unwrapOrUsage(editConfig(text, key, raw, paths.config))
  try {
    await replaceFile(paths.config, edited)
  } catch (error) {
    throw toCommandFailure(fileFailure(error, paths.config, 'write'))
  }
  return loadConfig(context)
}

export async function setConfig(context: Context, key: string, raw: string): Promise<void> {
  const { paths, output } = context
  const tableSetting = findTable(key)
  if (tableSetting !== undefined) throw tableFailure(key, tableSetting, paths.config)
  unwrapOrUsage(settingDefault(key))
  orFail(await createHome(paths))
  const { config } = await writeSetting(context, key, raw)
  const value = maskPassword(key, valueAt(config, key))
  const database = context.env.PANOPTES_LEDGER || config.team.ledger
  if (key === 'moa.save_traces' && database !== null)
    output.note('The switch on the MoA page applies to all hubs and overrides this setting')
  output.answer([`${key} is now ${JSON.stringify(value)}`, 'Restart Panoptes to apply it.'], {
    ok: true,
    key,
    value,
    path: paths.config,
  })
}

export async function checkConfig(context: Context): Promise<void> {
  const loaded = await loadConfig(context)
  checkLayout(context, loaded)
  await checkPresetRecursion(context, loaded)
  await checkChatSettings(context, loaded)
  const { lines } = loaded
  const { file, exists } = configFile(context)
  const message = exists
    ? `${shortenPath(file)} has no errors`
    : `${shortenPath(file)} does not exist; the defaults apply`
  context.output.answer([message], { ok: true, path: file, exists, settings: lines.size })
}

const configFile = ({ paths }: Context) => ({ file: paths.config, exists: existsSync(paths.config) })

const tableFailure = (key: string, table: string, file: string): CommandFailure =>
  new CommandFailure(`${key} is not a single value: ${table} is a table that you edit in the file`, {
    code: 'usage',
    next: `Edit ${shortenPath(file)}, then run: panoptes config check`,
    exit: EXIT.usage,
  })

function unwrapOrUsage<T>(result: Parameters<typeof orFail<T>>[0]): T {
  if (result.ok) return result.value
  const next = 'List all settings: panoptes config'
  throw new CommandFailure(result.message, { code: result.code, next, exit: EXIT.usage })
}

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
const findTable = (key: string): string | undefined =>
  CONFIG_TABLES.find((table) => key === table || key.startsWith(`${table}.`))

/** Lists every setting, single values first. */
export const listSettings = (parsed: ParsedConfig): readonly Setting[] => [
  ...[...CONFIG_DEFAULTS].map(([key, standard]) => singleSetting(parsed, key, standard)),
  ...CONFIG_TABLES.map((name) => table(parsed, name)),
]

/** The settings of a group such as `budgets`, or nothing if the group is unknown. */
export const listGroupSettings = (parsed: ParsedConfig, group: string): readonly Setting[] =>
  listSettings(parsed).filter(({ key }) => key.startsWith(`${group}.`))

export function findSetting(parsed: ParsedConfig, key: string): Result<Setting> {
  const name = findTable(key)
  if (name === key) return success(table(parsed, name))
  if (name !== undefined) return findRow(parsed, name, key.slice(name.length + 1))
  const defaultValue = settingDefault(key)
  return defaultValue.ok ? success(singleSetting(parsed, key, defaultValue.value)) : defaultValue
}

const singleSetting = ({ config, lines }: ParsedConfig, key: string, standard: unknown): Setting =>
  toSetting(key, valueAt(config, key), standard, lines.get(key))

const table = ({ config, lines }: ParsedConfig, name: string): Setting =>
  toSetting(name, valueAt(config, name), {}, findFirstLine(lines, `${name}.`))

function findRow({ config, lines }: ParsedConfig, name: string, row: string): Result<Setting> {
  const rows = valueAt(config, name) as Readonly<Record<string, unknown>>
  if (!Object.hasOwn(rows, row)) return failure('not_found', `${name} has no ${row}`)
  const key = `${name}.${row}`
  return success(toSetting(key, rows[row], null, lines.get(key) ?? findFirstLine(lines, `${key}.`)))
}

function findFirstLine(lines: ReadonlyMap<string, number>, prefix: string): number | undefined {
  const under = [...lines].filter(([key]) => key.startsWith(prefix)).map(([, line]) => line)
  return under.length > 0 ? Math.min(...under) : undefined
}

const toSetting = (key: string, value: unknown, standard: unknown, line: number | undefined): Setting => ({
  key,
  value: maskPassword(key, value),
  default: standard,
  from: line === undefined ? 'default' : 'file',
  line: line ?? null,
})

const ADDRESSES = ['team.ledger', 'team.bus']

/** Formats a value for display, without the password of an address. */
const maskPassword = (key: string, value: unknown): unknown =>
  ADDRESSES.includes(key) && typeof value === 'string' ? redactText(value).text : value
