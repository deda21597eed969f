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
  const head =
    by === 'tool'
      ? [by, 'sessions', 'calls', 'errors']
      : [by, 'sessions', 'messages', 'tool calls', 'errors', 'tokens in', 'tokens out', 'cost']
  return columns(aligned([head, ...rows.map(cells)]), '')
}

/** What is no tool's own is left out. */
function cells({ name, sessions, messages, tool_calls, errors, spent }: StatsRow): readonly string[] {
  const counts = [sessions, messages, tool_calls, errors].filter((each) => each !== null).map(count)
  if (spent === null) return [plain(name, 40), ...counts]
  const tokens = [spent.input + spent.cache_read + spent.cache_write, spent.output]
  return [plain(name, 40), ...counts, ...tokens.map(count), costText(spent)]
}

/** Numbers stand under each other by their last digit. */
function aligned(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) => row.map((cell, at) => (at === 0 ? cell : cell.padStart(widths[at] ?? 0))))
}
