import type { AgentAccount } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import type { QueryParams } from '../../json-requests.ts'
import { count, duration } from '../../terminal/format.ts'
import { dateTime, plain, shortIds } from '../sessions/format.ts'
import { readRows, withLedger } from './access.ts'
import { formatOrDash, moneyText, printTable, usd } from './format.ts'

export async function agents(
  context: Context,
  options: QueryParams & { readonly csv?: boolean },
): Promise<void> {
  const { csv } = options
  const reply = await withLedger(context, (store) =>
    readRows(context.output, options, store.agents, ({ agents }) => agents),
  )
  const left = reply.total - reply.agents.length
  printTable(
    context,
    { csv: csv === true },
    {
      rows: reply.agents,
      head: [
        'finished',
        'session',
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
      cells: cells(shortIds(reply.agents.map(({ session_id }) => session_id))),
      words: [0, 1, 2, 3, 4, 11],
      cut: { 2: 12, 3: 8, 11: 8 },
      drop: [11, 3, 8, 9],
      csvHead: CSV,
      csvCells,
      document: reply,
      empty: ['No agent matches', 'Agents are listed when they finish. Use --all to include running ones'],
      foot: left > 0 ? [`${count(left)} more (--limit, --offset)`] : [],
    },
  )
}

const cells =
  (short: (id: string) => string) =>
  (one: AgentAccount): readonly string[] => [
    one.finished ? dateTime(one.last_at) : 'at work',
    plain(short(one.session_id), 40),
    plain(one.description ?? one.subagent_type ?? one.agent_id, 40),
    plain(one.project ?? '–', 24),
    outcomeText(one),
    formatOrDash(one.stubs),
    count(one.tool_use_count),
    formatOrDash(one.duration_ms, duration),
    formatOrDash(one.tokens_in),
    formatOrDash(one.tokens_out),
    moneyText(one),
    plain(one.model ?? '–', 30),
  ]

/** An agent with flags says that it is done although its transcript shows otherwise. */
export const outcomeText = ({ outcome, flags }: Pick<AgentAccount, 'outcome' | 'flags'>): string =>
  `${outcome ?? 'none'}${flags.length > 0 ? " (says done but isn't)" : ''}`

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
  'cost_unknown',
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
  one.cost_unknown,
  one.parent_id,
  one.session_id,
  one.source,
  one.project,
  one.subagent_type,
  one.description,
  one.errors,
  one.flags.map(({ says }) => says).join('; '),
]
