import type { FollowUp } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { agentName } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { evidencePlace, sessionPlace } from '../evidence.ts'
import { useGo } from '../place-link.tsx'
import { followUpsQuery } from '../queries.ts'
import { hasLonger, isNarrowed, toQueryString } from '../search-params.ts'
import type { Column } from '../table/columns.ts'
import { type Csv, LedgerTable } from '../table/ledger-table.tsx'
import type { TabProps } from '../table/tab-body.tsx'
import { TabBody } from '../table/tab-body.tsx'
import { useMore } from '../use-more.ts'

const w = words.ledger.followups
const LONGEST = 240

const followUpKey = ({ source, session_id, agent_id, ts, text }: FollowUp): string =>
  JSON.stringify([source, session_id, agent_id, ts, text])

const agentLabel = ({ agent_id, subagent_type }: FollowUp): string =>
  toVisibleLine(agentName({ id: agent_id, parent_id: null, subagent_type }), LONGEST)

/** The follow-ups of all agents in one list. A row opens the marker that names it. */
export function FollowUpsTab({ search, now, onClear }: TabProps) {
  const query = useInfiniteQuery(followUpsQuery(toQueryString(search, now)))
  const grid = useRef<HTMLTableElement>(null)
  const go = useGo()
  const rows = useMemo(() => query.data?.pages.flatMap(({ followups }) => followups) ?? [], [query.data])
  const onMore = useMore(query)
  const open = (one: FollowUp) =>
    one.evidence === null ? void sessionPlace(one, one.ts).then(go) : go(evidencePlace(one.evidence, one.ts))
  return (
    <TabBody
      error={query.error}
      onRetry={() => void query.refetch()}
      rows={query.data && rows.length}
      none={w.none}
      longer={hasLonger(search)}
      narrowed={isNarrowed(search)}
      onClear={onClear}
    >
      <LedgerTable
        label={w.table}
        rows={rows}
        total={query.data?.pages[0]?.total ?? 0}
        columns={createColumns(now)}
        rowKey={followUpKey}
        card={(one) => [
          toVisible(toVisibleLine(one.text, LONGEST)),
          [
            agentLabel(one),
            one.project === null ? words.ledger.unknownProject : toVisibleLine(one.project, LONGEST),
          ].join(' · '),
          words.ago(one.ts, now),
        ]}
        csv={csv}
        onOpen={open}
        onMore={onMore}
        grid={grid}
      />
    </TabBody>
  )
}

const createColumns = (now: number): readonly Column<FollowUp>[] => [
  {
    name: w.columns.text,
    track: 'minmax(240px,3fr)',
    cell: ({ text }) => <span title={toVisibleLine(text, 2 * LONGEST)}>{toVisibleLine(text, LONGEST)}</span>,
  },
  {
    name: w.columns.agent,
    track: 'minmax(90px,1fr)',
    cell: (one) => <span className="text-text-2">{agentLabel(one)}</span>,
  },
  {
    name: w.columns.project,
    track: 'minmax(80px,1fr)',
    cell: ({ project }) => (
      <span className="text-text-2">
        {project === null ? words.unknown : toVisibleLine(project, LONGEST)}
      </span>
    ),
  },
  {
    name: w.columns.when,
    track: '84px',
    end: true,
    cell: ({ ts }) => <span className="text-text-2">{words.ago(ts, now)}</span>,
  },
]

const csv: Csv<FollowUp> = {
  file: 'panoptes-follow-ups.csv',
  heads: ['source', 'session_id', 'agent_id', 'type', 'project', 'said', 'text'],
  toRow: (one) => [
    ...[one.source, one.session_id, one.agent_id, one.subagent_type, one.project],
    ...[new Date(one.ts).toISOString(), one.text],
  ],
}
