import type { AuditEntry } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { orFail } from '../../failure.ts'
import { columns } from '../../terminal/format.ts'
import { dateTime, plain } from '../sessions/format.ts'
import { type TeamOptions, withTeam } from './access.ts'

export interface AuditOptions extends TeamOptions {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly before?: number | undefined
  readonly limit: number
}

/** Lists actions in every space, or in the given one. */
export const audit = (context: Context, options: AuditOptions): Promise<void> =>
  withTeam(context, options, async ({ team }) => {
    const { space, actor, action, before, limit } = options
    const page = orFail(await team.audit({ space, actor, action, before, limit }))
    if (page.next !== null) context.output.note(`More: panoptes team audit --before ${page.next}`)
    context.output.answer(
      page.entries.length === 0 ? ['The audit log is empty'] : columns(page.entries.map(entryRow)),
      { ok: true, ...page },
    )
  })

const entryRow = (entry: AuditEntry): readonly string[] => [
  dateTime(entry.ts),
  plain(entry.actor ?? 'somebody', 40),
  plain(entry.space ?? '–', 40),
  plain(entry.action, 40),
  plain(entry.target ?? '', 60),
  entry.outcome,
  plain(entry.address ?? '', 45),
]
