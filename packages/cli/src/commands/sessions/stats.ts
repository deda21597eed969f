import { check, type StatsGroup, type StatsRow, statsGroup } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { columns, count } from '../../terminal/words.ts'
import { type Filter, withSessions } from './access.ts'
import { withSaved } from './filters.ts'
import { costText, plain } from './words.ts'

export async function stats(context: Context, options: Filter & { readonly by: string }): Promise<void> {
  const { by, ...filter } = options
  const group = groupOf(by)
  const rows = await withSessions(context, async (sessions) =>
    sessions.stats(await withSaved(sessions, filter), group),
  )
  context.output.answer(rows.length === 0 ? ['No session fits'] : lines(rows, group), rows)
}

function groupOf(text: string): StatsGroup {
  const checked = check(statsGroup, text)
  if (checked.ok) return checked.value
  const next = `There are: ${statsGroup.options.join(', ')}`
  throw new CommandFailure(`Nothing is counted by ${text}`, { code: 'usage', next, exit: EXIT.usage })
}

function lines(rows: readonly StatsRow[], by: StatsGroup): readonly string[] {
  const head = [by, 'sessions', 'messages', 'tool calls', 'errors', 'tokens in', 'tokens out', 'cost']
  const body = rows.map(({ name, sessions, messages, tool_calls, errors, spent }) => [
    plain(name, 40),
    ...[sessions, messages, tool_calls, errors].map(count),
    count(spent.input + spent.cache_read + spent.cache_write),
    count(spent.output),
    costText(spent),
  ])
  return columns(aligned([head, ...body]), '')
}

/** Numbers stand under each other by their last digit. */
function aligned(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) => row.map((cell, at) => (at === 0 ? cell : cell.padStart(widths[at] ?? 0))))
}
