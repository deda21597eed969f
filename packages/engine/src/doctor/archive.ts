import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readConfig, readRegular } from '@panoptes/engine/home'
import { projectsFolder } from '@panoptes/engine/sources'
import { OriginalStore, openSqliteIndex } from '@panoptes/engine/store'
import { plural } from '@panoptes/schema/numbers'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { type Check, failed, ok, type Patient } from './check.ts'

/** What Claude Code uses if its settings name no other number. */
const CLAUDE_CODE_DAYS = 30

/** Says what Panoptes keeps of past sessions, and for how long the agents themselves keep them. */
export const archiveCheck: Check = {
  id: 'archive',
  title: 'Past sessions',
  run: async ({ paths, env, place }) => {
    if (place?.kind === 'postgres') return ok('This space keeps the sessions that forwarders send')
    const config = await readConfig(paths)
    const originals = await describeOriginals(paths, config.ok && config.value.config.archive.originals)
    if (typeof originals !== 'string')
      return failed(
        paths.originals,
        'Other users of this computer can read the original files of sessions, which contain secrets.',
        `Run: chmod 700 ${paths.originals}`,
      )
    const deletion = `${originals}${await describeDeletion(env)}`
    if (config.ok && !config.value.config.archive.enabled)
      return ok(`The archive is off (archive.enabled). ${deletion}`)
    if (!existsSync(paths.history)) return ok(`No sessions were read yet. ${deletion}`)
    const opened = openSqliteIndex(paths.history, { readOnly: true })
    const size = opened.ok ? await opened.value.archive?.size() : opened
    if (opened.ok) await opened.value.close()
    if (size?.ok === false)
      return failed(
        paths.history,
        size.message,
        'Restore it from a backup, or move it away to start a new one.',
      )
    const { sessions = 0, gone = 0, bytes = 0, image_bytes = 0 } = size?.value ?? {}
    const megabytes = ((bytes + image_bytes) / 1e6).toFixed(1)
    return ok(
      `${plural(sessions, 'session', 'sessions')} kept, ${megabytes} MB; agents deleted ${gone.toLocaleString('en-US')} of them. ${deletion}`,
    )
  },
}

/** Returns null if others can read them. */
async function describeOriginals({ originals }: Patient['paths'], isOn: boolean): Promise<string | null> {
  const folder = await stat(originals).catch(() => undefined)
  if (folder !== undefined && (folder.mode & 0o077) !== 0) return null
  const found = await new OriginalStore(originals).list()
  if (!found.ok) return `${found.message} `
  if (found.value.length === 0)
    return isOn ? 'No original files were kept yet. ' : 'Original files are not kept (archive.originals). '
  const megabytes = (found.value.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0) / 1e6).toFixed(1)
  return `Original files of ${plural(found.value.length, 'session', 'sessions')}, ${megabytes} MB. `
}

/** Only Claude Code deletes sessions by itself. */
async function describeDeletion(env: Patient['env']): Promise<string> {
  const file = join(dirname(projectsFolder(env)), 'settings.json')
  const days = await readRegular(file).then(
    (text) => {
      const settings: unknown = JSON.parse(text)
      return isPlainObject(settings) ? settings.cleanupPeriodDays : undefined
    },
    () => undefined,
  )
  return `Claude Code deletes sessions after ${typeof days === 'number' ? days : CLAUDE_CODE_DAYS} days`
}
