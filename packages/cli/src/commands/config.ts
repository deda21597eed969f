import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { placeOfAchievements } from '@panoptes/engine/achievements'
import {
  createHome,
  editConfig,
  fileFailure,
  knownKey,
  type ParsedConfig,
  parseConfig,
  readConfig,
  readConfigText,
  replaceFile,
  valueAt,
} from '@panoptes/engine/home'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { asCommandFailure, CommandFailure, orFail } from '../failure.ts'
import { columns, tilde } from '../terminal/words.ts'
import { settingOf, settingsOf, settingsUnder, shown, tableOf } from './setting.ts'

const MISTAKE_NEXT = 'Correct the file, then look again with: panoptes config check'

/** The settings in force; a mistake in the file is a failure with an exit code of its own. */
export async function loadConfig({ paths }: Context): Promise<ParsedConfig> {
  const read = await readConfig(paths)
  if (read.ok) return read.value
  if (read.code !== 'invalid') throw asCommandFailure(read, `Check who may read ${paths.config}.`)
  throw new CommandFailure(read.message, { code: 'invalid_config', next: MISTAKE_NEXT, exit: EXIT.config })
}

/** Refuses settings that are right in themselves, and not on this computer. */
export function orMisplaced(context: Context, loaded: ParsedConfig): void {
  const message = misplaced(context, loaded)
  if (message === undefined) return
  throw new CommandFailure(message, { code: 'invalid_config', next: MISTAKE_NEXT, exit: EXIT.config })
}

/** What is wrong with where files are to lie, and where that is set. */
export function misplaced({ paths, env }: Context, { config, lines }: ParsedConfig): string | undefined {
  const place = placeOfAchievements({ paths, config, env })
  return place.ok ? undefined : `${paths.config}:${lines.get('layout') ?? 1}:1: ${place.message}`
}

/** A preset in a preset is refused when it is asked; here it is said beforehand. */
async function orRecursive({ paths }: Context, { config, lines }: ParsedConfig): Promise<void> {
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

/** Who and what a conversation cannot have here: a provider that nobody named, folders that are not there. */
async function orMissing({ paths, env }: Context, { config, lines }: ParsedConfig): Promise<void> {
  const { endpointsOf } = await import('@panoptes/engine/models')
  const { knowledgeFolders } = await import('@panoptes/engine/knowledge')
  const lineOf = (key: string) =>
    [...lines].find(([each]) => each.startsWith(key) || key.startsWith(each))?.[1] ?? 1
  const told = (key: string, reason: string) => `${paths.config}:${lineOf(key)}:1: ${key} ${reason}`
  const names = endpointsOf(config.providers, env).map(({ name }) => name)
  const { provider, preset } = config.runtimes.jarvis ?? {}
  const presets = Object.keys(config.moa.presets)
  const isAway = preset !== undefined && !config.moa.from_hermes && !presets.includes(preset)
  const mistakes = [
    ...(provider === undefined || names.includes(provider)
      ? []
      : [
          told(
            'runtimes.jarvis.provider',
            `names ${provider}, which is none; there are: ${names.join(', ')}`,
          ),
        ]),
    ...(isAway ? [told('runtimes.jarvis.preset', `names ${preset}, which is not under moa.presets`)] : []),
    ...knowledgeFolders(config.chat.knowledge, env.HOME || homedir())
      .filter((folder) => !existsSync(folder))
      .map((folder) => told('chat.knowledge', `names ${folder}, which is not there`)),
  ]
  if (mistakes.length === 0) return
  const message = mistakes.join('\n')
  throw new CommandFailure(message, { code: 'invalid_config', next: MISTAKE_NEXT, exit: EXIT.config })
}

export async function showConfig(context: Context): Promise<void> {
  const settings = settingsOf(await loadConfig(context))
  const { file, exists } = fileOf(context)
  const head = exists ? tilde(file) : `${tilde(file)} (not there yet; these are the defaults)`
  context.output.answer([head, ...columns(rowsOf(settings))], { ok: true, path: file, exists, settings })
}

const rowsOf = (settings: ReturnType<typeof settingsOf>): readonly string[][] =>
  settings.map(({ key, value, line }) => [key, JSON.stringify(value), line ? `line ${line}` : 'default'])

export function configPath(context: Context): void {
  const { file, exists } = fileOf(context)
  context.output.answer([file], { ok: true, path: file, exists })
}

export async function getConfig(context: Context, key: string): Promise<void> {
  const loaded = await loadConfig(context)
  const settings = settingsUnder(loaded, key)
  if (settings.length > 0 && tableOf(key) === undefined) {
    context.output.answer(columns(rowsOf(settings), ''), { ok: true, key, settings })
    return
  }
  const { value, from, line } = orUsage(settingOf(loaded, key))
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  context.output.answer([text], { ok: true, key, value, from, line })
}

export async function setConfig(context: Context, key: string, raw: string): Promise<void> {
  const { paths, output } = context
  const table = tableOf(key)
  if (table !== undefined) throw aTable(key, table, paths.config)
  orUsage(knownKey(key))
  orFail(await createHome(paths))
  await loadConfig(context)
  const text = orFail(await readConfigText(paths))
  const edited = orUsage(editConfig(text, key, raw, paths.config))
  try {
    await replaceFile(paths.config, edited)
  } catch (error) {
    throw asCommandFailure(fileFailure(error, paths.config, 'write'))
  }
  const parsed = parseConfig(edited)
  const value = shown(key, parsed.ok ? valueAt(parsed.value.config, key) : raw)
  const database = context.env.PANOPTES_LEDGER || (parsed.ok ? parsed.value.config.team.ledger : null)
  if (key === 'moa.save_traces' && database !== null)
    output.note('What is switched on the page MoA holds for all hubs, and goes before this')
  output.answer(
    [`${key} is now ${JSON.stringify(value)}`, 'A running Panoptes takes it when it starts again.'],
    {
      ok: true,
      key,
      value,
      path: paths.config,
    },
  )
}

export async function checkConfig(context: Context): Promise<void> {
  const loaded = await loadConfig(context)
  orMisplaced(context, loaded)
  await orRecursive(context, loaded)
  await orMissing(context, loaded)
  const { lines } = loaded
  const { file, exists } = fileOf(context)
  const said = exists ? `${tilde(file)} has no mistakes` : `${tilde(file)} is not there; the defaults hold`
  context.output.answer([said], { ok: true, path: file, exists, settings: lines.size })
}

const fileOf = ({ paths }: Context) => ({ file: paths.config, exists: existsSync(paths.config) })

const aTable = (key: string, table: string, file: string): CommandFailure =>
  new CommandFailure(`${key} is not one value: ${table} is a table, and is written into the file itself`, {
    code: 'usage',
    next: `Change ${tilde(file)}, then look with: panoptes config check`,
    exit: EXIT.usage,
  })

function orUsage<T>(result: Parameters<typeof orFail<T>>[0]): T {
  if (result.ok) return result.value
  const next = 'See every setting with: panoptes config'
  throw new CommandFailure(result.message, { code: result.code, next, exit: EXIT.usage })
}
