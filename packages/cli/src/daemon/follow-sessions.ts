import type { Ledger } from '@panoptes/engine/ledger'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import type { Log } from './log.ts'
import type { StartOptions } from './start.ts'

/** Past sessions, kept up to date. Without them Panoptes still does everything else. */
export async function followSessions(
  { paths, env }: Pick<StartOptions, 'paths' | 'env'>,
  { marked, forgetting }: Ledger,
  { logger }: Log,
): Promise<Sessions | undefined> {
  const forgotten = await forgetting.forgotten()
  const opened = forgotten.ok
    ? await openSessions({ file: paths.index, env, marked, forgotten: forgotten.value })
    : forgotten
  if (!opened.ok) {
    logger.error({ code: opened.code }, `sessions: ${opened.message}`)
    return undefined
  }
  const sessions = opened.value
  sessions.follow()
  void sessions.refresh().then((read) => {
    if (!read.ok) logger.warn({ code: read.code }, `sessions: ${read.message}`)
  })
  return sessions
}
