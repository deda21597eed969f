import type { AgentAccount } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { count, duration } from '../../terminal/words.ts'
import { dateTime, plain } from '../sessions/words.ts'
import { type Asked, withLedger } from './access.ts'
import { answerTable } from './answer.ts'
import { known, moneyText, usd } from './words.ts'

export async function agents(context: Context, options: Asked & { readonly csv?: boolean }): Promise<void> {
  const { csv, ...query } = options
  const reply = await withLedger(context, (ledger) => ledger.agents(query))
  const left = reply.total - reply.agents.length
  answerTable(
    context,
    { csv: csv === true },
    {
      rows: reply.agents,
      head: [
        'finished',
        'agent',
        'project',
        'outcome',
        'stubs',
        'calls',
        'took',
        'in',
        'out',
        'cost',
        'model',
      ],
      cells,
      words: [0, 1, 2, 3, 10],
      cut: { 1: 12, 2: 8, 10: 8 },
      drop: [10, 2, 7, 8],
      csvHead: CSV,
      csvCells,
      document: reply,
      empty: ['No agent fits', 'Agents are listed as they finish. Those still at work: panoptes agents'],
      foot: left > 0 ? [`${count(left)} more (--limit, --offset)`] : [],
    },
  )
}

const cells = (one: AgentAccount): readonly string[] => [
  dateTime(one.last_at),
  plain(one.description ?? one.subagent_type ?? one.agent_id, 40),
  plain(one.project ?? '–', 24),
  `${one.outcome ?? (one.finished ? 'none' : 'at work')}${one.flags.length > 0 ? ' (says done, is not)' : ''}`,
  known(one.stubs),
  count(one.tool_use_count),
  known(one.duration_ms, duration),
  known(one.tokens_in),
  known(one.tokens_out),
  moneyText(one),
  plain(one.model ?? '–', 30),
]

const CSV = [
  'agent_id',
  'outcome',
  'stubs',
  'ts',
  'tool_use_count',
  'duration_ms',
  'tool_stats',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'model',
  'cost_usd',
  'parent_id',
  'session_id',
  'source',
  'project',
  'type',
  'description',
  'errors',
  'flags',
]

const csvCells = (one: AgentAccount) => [
  one.agent_id,
  one.outcome,
  one.stubs,
  one.last_at === null ? null : new Date(one.last_at).toISOString(),
  one.tool_use_count,
  one.duration_ms,
  JSON.stringify(one.tool_stats),
  one.tokens_in,
  one.tokens_out,
  one.cache_read,
  one.cache_write,
  one.model,
  usd(one.cost_micro_usd),
  one.parent_id,
  one.session_id,
  one.source,
  one.project,
  one.subagent_type,
  one.description,
  one.errors,
  one.flags.map(({ says }) => says).join('; '),
]
