import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readRegular } from '@panoptes/engine/home'
import type { SessionRetention } from '@panoptes/schema'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { projectsFolder } from './claude-code/index.ts'
import { type Fields, toFields } from './fields.ts'
import { hermesHome } from './hermes/places.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What Claude Code uses if no settings file names another number. */
const CLAUDE_CODE_DAYS = 30
/** What Hermes uses if its settings name no other number. */
const HERMES_DAYS = 90

const UNLIMITED: SessionRetention = { kind: 'unlimited' }

/** Reads how long each agent keeps its sessions, by source. */
export async function readRetention(
  env: Environment,
  managed = managedFolder(env),
): Promise<Readonly<Record<string, SessionRetention>>> {
  const [claudeCode, hermes] = await Promise.all([claudeCodeRetention(env, managed), hermesRetention(env)])
  // The versions of Codex and OpenCode that Panoptes reads have no setting that deletes sessions.
  return { 'claude-code': claudeCode, hermes, codex: UNLIMITED, opencode: UNLIMITED }
}

/** Where administrators put settings that take precedence over everyone's own. */
function managedFolder(env: Environment): string {
  if (process.platform === 'darwin') return '/Library/Application Support/ClaudeCode'
  if (process.platform === 'win32') return join(env.ProgramFiles || 'C:\\Program Files', 'ClaudeCode')
  return '/etc/claude-code'
}

/** The first file with the setting decides. Settings of single projects are not read. */
async function claudeCodeRetention(env: Environment, managed: string): Promise<SessionRetention> {
  const own = dirname(projectsFolder(env))
  const files = [
    ...(await dropIns(join(managed, 'managed-settings.d'))),
    join(managed, 'managed-settings.json'),
    join(own, 'settings.local.json'),
    join(own, 'settings.json'),
  ]
  for (const file of files) {
    const read = await readSettings(file, JSON.parse)
    if (typeof read === 'string') return { kind: 'unknown', reason: read }
    const days = read.cleanupPeriodDays
    if (days === undefined) continue
    if (days === 0) return { kind: 'unknown', reason: zeroDays(file) }
    return isDays(days)
      ? { kind: 'days', days }
      : { kind: 'unknown', reason: `cleanupPeriodDays in ${file} is not a number of days. Set at least 1.` }
  }
  return { kind: 'days', days: CLAUDE_CODE_DAYS }
}

/** Since 2.1.89, Claude Code's documentation says that 0 is rejected with a validation error. */
const zeroDays = (file: string): string =>
  `cleanupPeriodDays in ${file} is 0: Claude Code rejects that since 2.1.89, and saved no sessions at all before. Set at least 1.`

/** Lists the files that extend managed settings, those that take precedence first. */
async function dropIns(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .reverse()
    .map((name) => join(folder, name))
}

/** Hermes deletes sessions only if its settings tell it to. */
async function hermesRetention(env: Environment): Promise<SessionRetention> {
  const file = join(hermesHome(env), 'config.yaml')
  const read = await readSettings(file, parseYaml)
  if (typeof read === 'string') return { kind: 'unknown', reason: read }
  const { auto_prune, retention_days = HERMES_DAYS } = toFields(read.sessions)
  if (auto_prune !== true) return UNLIMITED
  return isDays(retention_days)
    ? { kind: 'days', days: retention_days }
    : { kind: 'unknown', reason: `sessions.retention_days in ${file} is not a number of days.` }
}

/** The parser is loaded when it is needed, because threads that only read sessions load this module too. */
const parseYaml = async (text: string): Promise<unknown> => (await import('yaml')).parse(text)

/** Returns the settings in a file, none if it is missing, or a sentence that says why it cannot be read. */
async function readSettings(file: string, parseText: (text: string) => unknown): Promise<Fields | string> {
  try {
    const text = await readRegular(file)
    const settings: unknown = text.trim() === '' ? {} : await parseText(text.replace(/^\uFEFF/, ''))
    return isPlainObject(settings) ? settings : `${file} does not contain settings.`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    return `${file} could not be read. Check that it is valid and that this user may read it.`
  }
}

const isDays = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
