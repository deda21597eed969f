import type { LedgerSkill } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { rateText, timeText } from '../format.ts'
import { FIRST, skillsQuery } from '../queries.ts'
import { SkillPanel } from '../skill-panel.tsx'
import { RateBar, Verdict } from '../skill-verdict.tsx'
import { orderSkills, rateMarks } from '../summary/summary-rows.ts'
import type { Column } from '../table/columns.ts'
import { type Csv, LedgerTable } from '../table/ledger-table.tsx'
import type { TabProps } from '../table/tab-body.tsx'
import { TabBody } from '../table/tab-body.tsx'

const w = words.ledger.skills
const LONGEST = 120

const skillKey = ({ skill }: LedgerSkill): string => skill

/** Every skill that was used or has a folder here, with its verdict. */
export function SkillsTab({ search, now, go, onClear }: TabProps) {
  const query = useQuery(skillsQuery)
  const grid = useRef<HTMLTableElement>(null)
  const [all, setAll] = useState(false)
  const { data } = query
  const skills = useMemo(
    () =>
      orderSkills(data?.skills ?? []).filter(
        ({ verdict }) => search.verdict === undefined || verdict === search.verdict,
      ),
    [data, search.verdict],
  )
  const chosen = data?.skills.find(({ skill }) => skill === search.skill)
  const shown = all ? skills : skills.slice(0, FIRST)
  const close = () => {
    go({ skill: undefined })
    requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  }
  const marks = rateMarks(data ?? {})
  return (
    <div className="relative flex min-h-0 flex-1">
      <TabBody
        error={query.error}
        onRetry={() => void query.refetch()}
        rows={data && skills.length}
        none={w.none}
        narrowed={search.verdict !== undefined}
        onClear={onClear}
      >
        <LedgerTable
          label={w.table}
          rows={shown}
          total={skills.length}
          columns={createColumns(now, marks)}
          rowKey={skillKey}
          card={(skill) => skillCard(skill, now)}
          csv={csv}
          open={search.skill ?? null}
          onOpen={({ skill }) => go({ skill })}
          onMore={all ? undefined : () => setAll(true)}
          grid={grid}
        />
      </TabBody>
      {search.skill !== undefined && (
        <SkillPanel key={search.skill} name={search.skill} skill={chosen} now={now} onClose={close} />
      )}
    </div>
  )
}

const formatLastUsed = ({ last_used }: LedgerSkill, now: number): string =>
  last_used === null ? w.never : words.ago(last_used, now)

const createColumns = (now: number, marks: readonly number[]): readonly Column<LedgerSkill>[] => [
  {
    name: w.columns.skill,
    track: 'minmax(140px,1.4fr)',
    cell: ({ skill }) => (
      <b className="font-semibold" title={toVisibleLine(skill, LONGEST)}>
        {toVisibleLine(skill, LONGEST)}
      </b>
    ),
  },
  { name: w.columns.uses, track: '52px', end: true, cell: ({ uses }) => f.shortCount(uses) },
  {
    name: w.columns.success,
    track: '58px',
    end: true,
    cell: ({ rate }) => <b className="font-semibold">{rateText(rate)}</b>,
  },
  {
    name: w.columns.interval,
    track: 'minmax(110px,1fr)',
    cell: (skill) => <RateBar skill={skill} marks={marks} />,
  },
  { name: w.columns.p50, track: '64px', end: true, from: 760, cell: ({ p50_ms }) => timeText(p50_ms) },
  { name: w.columns.p95, track: '64px', end: true, from: 860, cell: ({ p95_ms }) => timeText(p95_ms) },
  {
    name: w.columns.all,
    track: '58px',
    end: true,
    from: 860,
    cell: ({ all_uses }) => f.shortCount(all_uses),
  },
  {
    name: w.columns.used,
    track: '92px',
    end: true,
    from: 700,
    cell: (skill) => <span className="text-text-2">{formatLastUsed(skill, now)}</span>,
  },
  { name: w.columns.verdict, track: '108px', cell: (skill) => <Verdict skill={skill} /> },
]

const skillCard = (skill: LedgerSkill, now: number) => [
  <span key="name" className="flex min-w-0 gap-2">
    <b className="min-w-0 flex-1 truncate font-semibold">{toVisibleLine(skill.skill, LONGEST)}</b>
    <span className="text-12 text-text-2">
      <Verdict skill={skill} />
    </span>
  </span>,
  [
    `${rateText(skill.rate)} ${w.columns.success}`,
    `${f.shortCount(skill.uses)} ${w.columns.uses}`,
    `${w.columns.p50} ${timeText(skill.p50_ms)}`,
  ].join(' · '),
  `${w.columns.used} ${formatLastUsed(skill, now)}`,
]

const csv: Csv<LedgerSkill> = {
  file: 'panoptes-skills.csv',
  heads: [
    ...['skill', 'uses', 'judged', 'successes', 'rate', 'low', 'high', 'p50_ms', 'p95_ms', 'all_uses'],
    ...['last_used', 'verdict', 'reason'],
  ],
  toRow: (skill) => [
    ...[skill.skill, skill.uses, skill.judged, skill.successes, skill.rate, skill.low, skill.high],
    ...[skill.p50_ms, skill.p95_ms, skill.all_uses],
    skill.last_used === null ? null : new Date(skill.last_used).toISOString(),
    ...[skill.verdict, skill.reason],
  ],
}
