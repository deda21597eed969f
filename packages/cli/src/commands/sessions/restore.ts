import { openLocalSources } from '@panoptes/engine/sources'
import {
  OriginalStore,
  type Originals,
  type PlannedFile,
  planRestore,
  restoreOriginals,
} from '@panoptes/engine/store'
import type { SessionRef } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { columns, plural, shortenPath, size } from '../../terminal/format.ts'
import { loadConfig } from '../config.ts'
import { findSession, type PastSessions, withSessions } from './access.ts'
import { plain } from './format.ts'

export interface RestoreOptions {
  readonly dryRun?: boolean
}

/** Writes the files of a session that its agent deleted back where they were. */
export async function restoreSession(context: Context, id: string, options: RestoreOptions): Promise<void> {
  await withSessions(context, async (sessions) => {
    const store = new OriginalStore(context.paths.originals)
    const session = await findKeptSession(sessions, store, id)
    const { originals, root } = await findOriginals(context, store, session)
    const planned = orFail(await planRestore(originals, root))
    refuseDifferent(planned)
    const missing = planned.filter(({ state }) => state === 'missing')
    if (options.dryRun !== true) orFail(await restoreOriginals(store, originals, root))
    const resume = resumeCommand(session)
    context.output.answer(
      [
        summaryLine(session, missing.length, options.dryRun === true),
        ...fileLines(missing),
        ...(resume === null || missing.length === 0 ? [] : [`To continue the session: ${resume}`]),
      ],
      {
        ok: true,
        dry_run: options.dryRun === true,
        ...{ source: session.source, id: session.id },
        files: planned,
        written: options.dryRun === true ? 0 : missing.length,
        resume,
      },
    )
  })
}

interface KeptSession extends SessionRef {
  readonly cwd: string | null
}

/** Originals outlive the history, so they can name a session that it no longer has. */
async function findKeptSession(
  sessions: PastSessions,
  store: OriginalStore,
  id: string,
): Promise<KeptSession> {
  try {
    return await findSession(sessions, id)
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code !== 'not_found') throw error
    const kept = orFail(await store.list()).filter((each) => each.id.startsWith(id))
    const [found, other] = kept.some((each) => each.id === id) ? kept.filter((each) => each.id === id) : kept
    if (found === undefined || other !== undefined) throw error
    return { source: found.source, id: found.id, cwd: null }
  }
}

async function findOriginals(
  context: Context,
  store: OriginalStore,
  session: SessionRef,
): Promise<{ readonly originals: Originals; readonly root: string }> {
  const { source, id } = session
  const root = openLocalSources(context.env).find(({ name }) => name === source)?.files?.root
  const read = `To read the session: panoptes sessions show ${plain(id, 100)}`
  if (root === undefined)
    throw new CommandFailure(`The sessions of ${source} are not files, so their originals cannot be kept`, {
      code: 'no_originals',
      next: read,
    })
  const originals = orFail(await store.get(session))
  if (originals !== undefined) return { originals, root }
  const { config } = await loadConfig(context)
  throw new CommandFailure(`Panoptes has no original files of the session ${plain(id, 100)}`, {
    code: 'no_originals',
    next: config.archive.originals
      ? `Its agent deleted them before Panoptes kept them. ${read}`
      : `To keep the files of further sessions: panoptes config set archive.originals true. ${read}`,
  })
}

const SHOWN = 20

function refuseDifferent(planned: readonly PlannedFile[]): void {
  const different = planned.filter(({ state }) => state === 'different')
  if (different.length === 0) return
  const shown = different.slice(0, SHOWN).map(({ path }) => shortenPath(path))
  throw new CommandFailure(
    `${plural(different.length, 'file')} of the session exist${different.length === 1 ? 's' : ''} and differ${different.length === 1 ? 's' : ''} from what Panoptes kept: ${shown.join(', ')}. Nothing was written`,
    {
      code: 'exists',
      next: 'Move them away to restore the files that Panoptes kept.',
    },
  )
}

function summaryLine({ id }: SessionRef, missing: number, isDryRun: boolean): string {
  if (missing === 0) return `Every file of the session ${plain(id, 100)} is in place`
  return `${isDryRun ? 'Dry run: would restore' : 'Restored'} ${plural(missing, 'file')} of the session ${plain(id, 100)}`
}

function fileLines(files: readonly PlannedFile[]): readonly string[] {
  const rows = files.slice(0, SHOWN).map(({ path, bytes }) => [size(bytes), shortenPath(path)])
  const more = files.length - rows.length
  return [...columns(rows), ...(more > 0 ? [`  … and ${more} more`] : [])]
}

const RESUME: Readonly<Record<string, string>> = { 'claude-code': 'claude --resume', codex: 'codex resume' }

/** Agents look for sessions of the folder they are started in. */
function resumeCommand({ source, id, cwd }: KeptSession): string | null {
  const command = RESUME[source]
  if (command === undefined) return null
  return `${cwd === null ? '' : `cd ${quote(cwd)} && `}${command} ${quote(id)}`
}

const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
