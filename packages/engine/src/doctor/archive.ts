import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readConfig } from '@panoptes/engine/home'
import { OriginalStore, openSqliteIndex } from '@panoptes/engine/store'
import { type FoundSource, retentionText, savedSessionsText } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { type Check, failed, ok, type Patient, warning } from './check.ts'

/** Says for how long the agents keep their sessions, and what Panoptes has saved. One line per agent. */
export const archiveCheck: Check = {
  id: 'archive',
  title: 'Past sessions',
  run: async ({ paths, place, sources }) => {
    if (place?.kind === 'postgres') return ok('This space keeps the sessions that forwarders send')
    const config = await readConfig(paths)
    const originals = await describeOriginals(paths, config.ok && config.value.config.archive.originals)
    if (originals === null)
      return failed(
        paths.originals,
        'Other users of this computer can read the original files of sessions, which contain secrets.',
        `Run: chmod 700 ${paths.originals}`,
      )
    const megabytes = await savedMegabytes(paths.history)
    if (typeof megabytes === 'object')
      return failed(
        paths.history,
        megabytes.message,
        'Restore it from a backup, or move it away to start a new one.',
      )
    const agents = (await sources()).filter(({ retention }) => retention !== undefined)
    const lines = agents.length > 0 ? agents.map(describeAgent) : ['No agent with sessions was found']
    if (megabytes !== undefined) lines.push(`Saved sessions take ${megabytes} MB.`)
    const detail = [...lines, originals].join('\n')
    const reasons = agents.flatMap(({ retention }) =>
      retention?.kind === 'unknown' && retention.reason !== null ? [retention.reason] : [],
    )
    if (reasons.length === 0) return ok(detail)
    return warning(detail, reasons.join('\n'), 'Correct that file, then run: panoptes doctor')
  },
}

/** The reason why something is unknown is the cause of the warning, and is not repeated here. */
function describeAgent({ name, retention, saved }: FoundSource): string {
  const known = retention?.kind === 'unknown' ? { ...retention, reason: null } : retention
  return [known && retentionText(name, known), saved && savedSessionsText(name, saved)]
    .filter((part) => part !== undefined)
    .join(' ')
}

/** Returns undefined if nothing is saved yet. */
async function savedMegabytes(file: string): Promise<string | undefined | { readonly message: string }> {
  if (!existsSync(file)) return undefined
  const opened = openSqliteIndex(file, { readOnly: true })
  const size = opened.ok ? await opened.value.archive?.size() : opened
  if (opened.ok) await opened.value.close()
  if (size?.ok === false) return size
  return size && ((size.value.bytes + size.value.image_bytes) / 1e6).toFixed(1)
}

/** Returns null if others can read them. */
async function describeOriginals({ originals }: Patient['paths'], isOn: boolean): Promise<string | null> {
  const folder = await stat(originals).catch(() => undefined)
  if (folder !== undefined && (folder.mode & 0o077) !== 0) return null
  const found = await new OriginalStore(originals).list()
  if (!found.ok) return found.message
  if (found.value.length === 0)
    return isOn ? 'No original files were kept yet.' : 'Original files are not kept (archive.originals).'
  const megabytes = (found.value.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0) / 1e6).toFixed(1)
  return `Original files of ${plural(found.value.length, 'session', 'sessions')}, ${megabytes} MB.`
}
