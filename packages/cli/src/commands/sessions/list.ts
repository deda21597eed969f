import type { PastSession } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { fit } from '../../terminal/fit.ts'
import { columns, count, counted } from '../../terminal/words.ts'
import { type Filter, withSessions } from './access.ts'
import { withSaved } from './filters.ts'
import { shortIds } from './short-ids.ts'
import { costText, dateTime, plain, titleText } from './words.ts'

export async function list(context: Context, options: Filter & { readonly limit: number }): Promise<void> {
  const { limit, ...filter } = options
  const found = await withSessions(context, async (sessions) =>
    sessions.list(await withSaved(sessions, filter), limit),
  )
  context.output.answer(
    found.length === 0 ? nothing(filter) : linesOf(found, limit, context.output.width),
    found,
  )
}

/** Project, title and tags are cut; then tags, the number of messages and the source go. */
const NARROW = { indent: 0, text: { 3: 8, 4: 12, 5: 8 }, drop: [5, 6, 1] }
/** With the computer at the end it is cut, too, and stays. */
const NARROW_OF_MANY = { ...NARROW, text: { ...NARROW.text, 9: 8 } }

/** One line each, with the computer where they are from several. */
export function linesOf(
  found: readonly PastSession[],
  limit: number,
  width: number | undefined,
): readonly string[] {
  const short = shortIds(found.map(({ id }) => id))
  const areOfMany = new Set(found.map(({ host }) => host)).size > 1
  const rows = found.map((session) => [
    dateTime(session.last_at),
    session.source,
    plain(short(session.id), 100),
    plain(session.project ?? '–', 20),
    titleText(session, 48),
    session.tags.map((tag) => `#${plain(tag, 20)}`).join(' '),
    counted(session.messages, 'message'),
    session.errors > 0 ? counted(session.errors, 'error') : '',
    costText(session.spent),
    ...(areOfMany ? [`on ${plain(session.host ?? '–', 30)}`] : []),
  ])
  const more = found.length === limit ? ['', `The newest ${count(limit)}; --limit shows more`] : []
  return [...columns(fit(rows, { width, ...(areOfMany ? NARROW_OF_MANY : NARROW) }), ''), ...more]
}

const nothing = (filter: Filter): readonly string[] =>
  Object.values(filter).some((value) => value !== undefined)
    ? ['No session fits. Leave a filter out to see more.']
    : [
        'No sessions yet',
        'They appear when an agent has kept one on disk: see which agents are found with panoptes doctor',
        'Events sent by hand are no sessions of an agent: see them with panoptes agents',
      ]
