import type { PastSession } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, count } from '../../terminal/words.ts'
import { type Filter, withSessions } from './access.ts'
import { withSaved } from './filters.ts'
import { costText, dateTime, plain, titleText } from './words.ts'

export async function list(context: Context, options: Filter & { readonly limit: number }): Promise<void> {
  const { limit, ...filter } = options
  const found = await withSessions(context, async (sessions) =>
    sessions.list(await withSaved(sessions, filter), limit),
  )
  context.output.answer(found.length === 0 ? nothing(filter) : lines(found, limit), found)
}

function lines(found: readonly PastSession[], limit: number): readonly string[] {
  const rows = found.map((session) => [
    dateTime(session.last_at),
    session.source,
    plain(session.id.slice(0, 8), 8),
    plain(session.project ?? '–', 20),
    titleText(session, 48),
    session.tags.map((tag) => `#${plain(tag, 20)}`).join(' '),
    `${count(session.messages)} messages`,
    session.errors > 0 ? `${count(session.errors)} errors` : '',
    costText(session.spent),
  ])
  const more = found.length === limit ? ['', `The newest ${count(limit)}; --limit shows more`] : []
  return [...columns(rows, ''), ...more]
}

const nothing = (filter: Filter): readonly string[] =>
  Object.values(filter).some((value) => value !== undefined)
    ? ['No session fits. Leave a filter out to see more.']
    : [
        'No sessions yet',
        'They appear when an agent has left one: see which agents are found with panoptes doctor',
      ]
