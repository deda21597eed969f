import type { PastSession } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { fitColumns } from '../../terminal/column-widths.ts'
import { columns, count, plural } from '../../terminal/format.ts'
import { type Filter, withSessions } from './access.ts'
import { withSaved } from './filters.ts'
import { dateTime, plain, sessionCostText, shortIds, titleText } from './format.ts'

export async function list(context: Context, options: Filter & { readonly limit: number }): Promise<void> {
  const { limit, ...filter } = options
  const found = await withSessions(context, async (sessions) =>
    sessions.list(await withSaved(sessions, filter), limit),
  )
  context.output.answer(
    found.length === 0 ? nothing(filter) : sessionLines(found, limit, context.output.width),
    found,
  )
}

/** Narrow terminals cut project, title and tags, then drop tags, messages and source. */
const NARROW = { indent: 0, text: { 3: 8, 4: 12, 5: 8 }, drop: [5, 6, 1] }
/** The computer column at the end is cut but never dropped. */
const NARROW_OF_MANY = { ...NARROW, text: { ...NARROW.text, 9: 8 } }

/** Shows one line per session, with the computer if there are several. */
export function sessionLines(
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
    [
      ...(session.prompts_only ? ['prompts only'] : []),
      ...(session.archived ? ['archived'] : []),
      ...session.tags.map((tag) => `#${plain(tag, 20)}`),
    ].join(' '),
    plural(session.messages, 'message'),
    session.errors > 0 ? plural(session.errors, 'error') : '',
    sessionCostText(session),
    ...(areOfMany ? [`on ${plain(session.host ?? '–', 30)}`] : []),
  ])
  const more = found.length === limit ? ['', `The newest ${count(limit)}; --limit shows more`] : []
  return [...columns(fitColumns(rows, { width, ...(areOfMany ? NARROW_OF_MANY : NARROW) }), ''), ...more]
}

const nothing = (filter: Filter): readonly string[] =>
  Object.values(filter).some((value) => value !== undefined)
    ? ['No session matches. Remove a filter to see more.']
    : [
        'No sessions yet',
        'Sessions appear when an agent saves one. To see which agents were found, run: panoptes doctor',
        'Sessions from events you send yourself are listed by: panoptes agents',
      ]
