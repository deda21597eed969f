import type { AgentAccount } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { Glyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import * as f from '../../format.ts'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { agentName, MAIN, modelFamily } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { AgentPanel } from '../agent-panel.tsx'
import { costText, countText, moneyText, outcomeGlyphs, outcomeOrNone, timeText } from '../format.ts'
import { shortModel } from '../plot/models.ts'
import { agentsQuery } from '../queries.ts'
import { hasLonger, isNarrowed, toQueryString } from '../search-params.ts'
import { describeScope } from '../span-text.ts'
import type { Column } from '../table/columns.ts'
import { type Csv, LedgerTable } from '../table/ledger-table.tsx'
import type { TabProps } from '../table/tab-body.tsx'
import { TabBody } from '../table/tab-body.tsx'
import { useMore } from '../use-more.ts'
import { type Titles, useTitles } from '../use-titles.ts'

const w = words.ledger.agents
const LONGEST = 120

const agentKey = ({ source, session_id, agent_id }: AgentAccount): string =>
  JSON.stringify([source, session_id, agent_id])

/** The outcome of each agent, newest first. */
export function AgentsTab({ search, now, go, onClear }: TabProps) {
  const { model, type, outcome, flagged } = search
  const query = useInfiniteQuery(agentsQuery(toQueryString(search, now, { model, type, outcome, flagged })))
  const grid = useRef<HTMLTableElement>(null)
  const [open, setOpen] = useState<string | null>(null)
  const rows = useMemo(() => query.data?.pages.flatMap(({ agents }) => agents) ?? [], [query.data])
  const onMore = useMore(query)
  const chosen = open === null ? undefined : rows.find((row) => agentKey(row) === open)
  const close = () => {
    setOpen(null)
    requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  }
  const titles = useTitles()
  const columns = useMemo(() => createColumns(now, titles), [now, titles])
  return (
    <div className="relative flex min-h-0 flex-1">
      <TabBody
        error={query.error}
        onRetry={() => void query.refetch()}
        rows={query.data && rows.length}
        none={w.none(describeScope(search))}
        longer={hasLonger(search)}
        narrowed={isNarrowed(search)}
        onClear={onClear}
      >
        <LedgerTable
          label={w.table}
          rows={rows}
          total={query.data?.pages[0]?.total ?? 0}
          columns={columns}
          rowKey={agentKey}
          card={(agent) => agentCard(agent, now, titles)}
          csv={csv}
          open={open}
          onOpen={(agent) => setOpen(agentKey(agent))}
          onMore={onMore}
          grid={grid}
        />
      </TabBody>
      {chosen && <AgentPanel key={open} agent={chosen} search={search} go={go} onClose={close} />}
    </div>
  )
}

const agentLabel = (agent: AgentAccount): string =>
  toVisibleLine(
    agentName({ id: agent.agent_id, parent_id: agent.parent_id, subagent_type: agent.subagent_type }),
    LONGEST,
  )

/** The agent's task; for `main`, the topic of its session. */
function describeAgent(agent: AgentAccount, titles: Titles): string | undefined {
  const about = agent.description ?? (agent.agent_id === MAIN ? titles.get(toSessionKey(agent)) : undefined)
  return about === undefined ? undefined : toVisibleLine(about, LONGEST)
}

const lastActiveText = (agent: AgentAccount, now: number): string =>
  agent.last_at === null ? words.unknown : words.ago(agent.last_at, now)

function Outcome({ agent }: { readonly agent: AgentAccount }) {
  const outcome = outcomeOrNone(agent.outcome)
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Glyph name={outcomeGlyphs[outcome]} size={14} />
      <span className="truncate">{agent.finished ? words.ledger.outcomes.names[outcome] : w.atWork}</span>
      {agent.flags.length > 0 && (
        <span className="flex shrink-0" title={agent.flags.map(({ says }) => toVisible(says)).join('\n')}>
          <Glyph name="failed" size={14} />
          <span className="sr-only">, {w.flaggedMark}</span>
        </span>
      )}
    </span>
  )
}

function Model({ model }: { readonly model: string | null }) {
  if (model === null) return words.unknown
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={toVisibleLine(model, LONGEST)}>
      <ModelPips model={modelFamily(model)} size={12} />
      <span className="truncate">{toVisibleLine(shortModel(model), LONGEST)}</span>
    </span>
  )
}

/** Keeps the width of its column even if the value is unknown. */
function Cost({ agent: { cost_micro_usd, cost_unknown } }: { readonly agent: AgentAccount }) {
  const money = moneyText(cost_micro_usd, 0)
  if (cost_unknown === 0 || !cost_micro_usd) return moneyText(cost_micro_usd, cost_unknown)
  return (
    <>
      {money}
      <span aria-hidden="true" className="pl-1 font-normal text-text-3">
        {w.plusShort(cost_unknown)}
      </span>
      <span className="sr-only">, {w.costLacks(cost_unknown)}</span>
    </>
  )
}

const createColumns = (now: number, titles: Titles): readonly Column<AgentAccount>[] => [
  {
    name: w.columns.agent,
    track: 'minmax(140px,2fr)',
    cell: (agent) => {
      const about = describeAgent(agent, titles)
      return (
        <span title={about}>
          <span className="font-semibold">{agentLabel(agent)}</span>
          {about !== undefined && <span className="pl-2 text-text-3">{about}</span>}
        </span>
      )
    },
  },
  { name: w.columns.outcome, track: 'minmax(104px,1fr)', cell: (agent) => <Outcome agent={agent} /> },
  {
    name: w.columns.project,
    track: 'minmax(70px,1fr)',
    from: 760,
    cell: ({ project }) => (
      <span className="text-text-2">
        {project === null ? words.unknown : toVisibleLine(project, LONGEST)}
      </span>
    ),
  },
  {
    name: w.columns.model,
    track: 'minmax(80px,110px)',
    from: 860,
    cell: ({ model }) => <Model model={model} />,
  },
  { name: w.columns.calls, track: '44px', end: true, cell: (agent) => f.shortCount(agent.tool_use_count) },
  {
    name: w.columns.errors,
    track: '44px',
    end: true,
    from: 700,
    cell: ({ errors }) =>
      errors > 0 ? (
        <span className="text-failed">✕ {f.shortCount(errors)}</span>
      ) : (
        <span className="text-text-3">0</span>
      ),
  },
  {
    name: w.columns.tokensIn,
    track: '60px',
    end: true,
    from: 940,
    cell: (agent) => countText(agent.tokens_in),
  },
  {
    name: w.columns.tokensOut,
    track: '64px',
    end: true,
    from: 940,
    cell: (agent) => countText(agent.tokens_out),
  },
  {
    name: w.columns.cacheRead,
    track: '68px',
    end: true,
    from: 1_120,
    cell: (agent) => countText(agent.cache_read),
  },
  {
    name: w.columns.cacheWrite,
    track: '70px',
    end: true,
    from: 1_120,
    cell: (agent) => countText(agent.cache_write),
  },
  {
    name: w.columns.cost,
    track: '96px',
    end: true,
    cell: (agent) => (
      <span
        className="font-semibold"
        title={agent.cost_unknown > 0 ? w.costLacks(agent.cost_unknown) : undefined}
      >
        <Cost agent={agent} />
      </span>
    ),
  },
  { name: w.columns.took, track: '64px', end: true, cell: (agent) => timeText(agent.duration_ms) },
  {
    name: w.columns.when,
    track: '84px',
    end: true,
    cell: (agent) => <span className="text-text-2">{lastActiveText(agent, now)}</span>,
  },
]

const agentCard = (agent: AgentAccount, now: number, titles: Titles) => [
  <span key="name" className="flex min-w-0 items-center gap-2">
    <Glyph name={outcomeGlyphs[outcomeOrNone(agent.outcome)]} size={14} />
    <b className="min-w-0 flex-1 truncate font-semibold">{agentLabel(agent)}</b>
    <span className="text-12 font-semibold">{costText(agent)}</span>
  </span>,
  [describeAgent(agent, titles), agent.project, agent.model && shortModel(agent.model)]
    .filter((part) => part != null && part !== '')
    .map((part) => toVisibleLine(part ?? '', LONGEST))
    .join(' · ') || agent.source,
  [
    words.ledger.outcomes.names[outcomeOrNone(agent.outcome)],
    ...(agent.flags.length > 0 ? [w.flaggedMark] : []),
    w.calls(agent.tool_use_count),
    timeText(agent.duration_ms),
    lastActiveText(agent, now),
  ].join(' · '),
]

const csv: Csv<AgentAccount> = {
  file: 'panoptes-agents.csv',
  heads: [
    ...['source', 'session_id', 'agent_id', 'type', 'description', 'project', 'model', 'outcome', 'stubs'],
    ...[
      'calls',
      'errors',
      'tokens_in',
      'tokens_out',
      'cache_read',
      'cache_write',
      'cost_usd',
      'cost_unknown',
    ],
    ...['duration_ms', 'ended'],
  ],
  toRow: (agent) => [
    ...[
      agent.source,
      agent.session_id,
      agent.agent_id,
      agent.subagent_type,
      agent.description,
      agent.project,
    ],
    ...[agent.model, agent.outcome, agent.stubs, agent.tool_use_count, agent.errors, agent.tokens_in],
    ...[agent.tokens_out, agent.cache_read, agent.cache_write],
    agent.cost_micro_usd === null ? null : agent.cost_micro_usd / 1_000_000,
    ...[agent.cost_unknown, agent.duration_ms],
    agent.last_at === null ? null : new Date(agent.last_at).toISOString(),
  ],
}
