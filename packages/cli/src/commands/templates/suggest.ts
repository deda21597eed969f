import type { Suggestion } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, plural } from '../../terminal/format.ts'
import { dateTime, plain } from '../sessions/format.ts'
import { type SuggestQuery, withTemplates } from './access.ts'

export async function suggest(context: Context, wish: SuggestQuery): Promise<void> {
  const found = await withTemplates(context, 'read', (templates) => templates.suggest(wish))
  context.output.answer(found.length === 0 ? nothing(wish) : lines(context, found), found)
}

function lines({ output: { paint } }: Context, found: readonly Suggestion[]): readonly string[] {
  const rows = columns(
    found.map((one, at) => [
      `${at + 1}.`,
      one.score.toFixed(2),
      one.task_type,
      one.source,
      dateTime(one.last_at),
      plain(one.project ?? '–', 20),
      plain(one.title ?? '–', 48),
      plain(one.id, 100),
    ]),
    '',
  )
  return [
    ...found.flatMap((one, at) => [
      paint.bold(rows[at] ?? ''),
      ...one.reasons.map((reason) => `    ${plain(reason, 300)}`),
    ]),
    '',
    `Create one: panoptes templates create ${plain(found[0]?.id ?? '', 100)}`,
  ]
}

const nothing = ({ days, project }: SuggestQuery): readonly string[] => [
  `No session of the last ${plural(days, 'day')}${project === undefined ? '' : ` in ${plain(project, 60)}`} is suitable for a template yet`,
  'A suitable session is idle, has five or more tool calls with few failures, and is unlike existing templates. To look further back, use --days.',
]
