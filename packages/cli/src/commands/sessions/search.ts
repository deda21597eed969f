import type { FoundMessage } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { type Filter, withSessions } from './access.ts'
import { withSaved } from './filters.ts'
import { dateTime, plain } from './format.ts'

export async function search(
  context: Context,
  words: readonly string[],
  options: Filter & { readonly limit: number },
): Promise<void> {
  const { limit, ...filter } = options
  const text = words.join(' ')
  const found = await withSessions(context, async (sessions) =>
    sessions.search(`${text} `, await withSaved(sessions, filter), limit),
  )
  const { bold } = context.output.paint
  const lines = found.flatMap((each) => [
    bold(heading(each)),
    `  ${plain(each.snippet ?? '(no longer available)', 200)}`,
  ])
  context.output.answer(lines.length > 0 ? lines : [`No results for ${plain(text, 80)}`], found)
}

const heading = (found: FoundMessage): string =>
  [
    dateTime(found.ts),
    found.source,
    plain(found.session_id.slice(0, 8), 8),
    plain(found.title ?? '–', 60),
    `message ${found.n}`,
    found.agent_id === 'main' ? found.role : `${found.role} of ${plain(found.agent_id, 16)}`,
    ...(found.prompts_only ? ['prompts only'] : []),
  ].join('  ')
