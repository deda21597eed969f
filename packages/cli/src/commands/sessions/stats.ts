import { check, type StatsGroup, type StatsRow, statsGroup } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { columns, count } from '../../terminal/format.ts'
import { type Filter, withSessions } from './access.ts'
import { withSaved } from './filters.ts'
import { costText, outsideText, plain, tokenCount } from './format.ts'

export async function stats(context: Context, options: Filter & { readonly by: string }): Promise<void> {
  const { by, ...filter } = options
  const group = parseGroup(by)
  const rows = await withSessions(context, async (sessions) =>
    sessions.stats(await withSaved(sessions, filter), group),
  )
  context.output.answer(rows.length === 0 ? ['No session matches'] : lines(rows, group), rows)
}

function parseGroup(text: string): StatsGroup {
  const checked = check(statsGroup, text)
  if (checked.ok) return checked.value
  const next = `Choose one of: ${statsGroup.options.join(', ')}`
  throw new CommandFailure(`Cannot group by ${text}`, { code: 'usage', next, exit: EXIT.usage })
}

function lines(rows: readonly StatsRow[], by: StatsGroup): readonly string[] {
  const head =
    by === 'tool'
      ? [by, 'sessions', 'calls', 'errors']
      : [
          ...[by, 'sessions', 'messages', 'tool calls', 'errors', 'tokens in', 'tokens out', 'cost'],
          ...(by === 'model' ? [] : ['outside']),
        ]
  return columns(alignCells([head, ...rows.map(cells)]), '')
}

/** Groups by tool omit values that belong to the whole session. */
function cells(row: StatsRow): readonly string[] {
  const { name, sessions, messages, tool_calls, errors, spent } = row
  const counts = [sessions, messages, tool_calls, errors].filter((each) => each !== null).map(count)
  if (spent === null) return [plain(name, 40), ...counts]
  const tokens = [spent.input + spent.cache_read + spent.cache_write, spent.output]
  return [
    ...[
      plain(name, 40),
      ...counts,
      ...tokens.map((n) => tokenCount(n, spent.usage_unknown)),
      costText(spent),
    ],
    ...(row.outside_unknown === undefined ? [] : [outsideText(row.outside_micro_usd, row.outside_unknown)]),
  ]
}

/** Right-aligns numbers. */
function alignCells(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) => row.map((cell, at) => (at === 0 ? cell : cell.padStart(widths[at] ?? 0))))
}
