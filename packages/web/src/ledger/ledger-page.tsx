import type { LedgerOverview } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { buttonClass } from '../design/button.tsx'
import { NothingYet } from '../design/empty.tsx'
import { Progress } from '../design/progress.tsx'
import { Segmented } from '../design/segmented.tsx'
import { Strip } from '../design/strip.tsx'
import { toast } from '../design/toast.tsx'
import * as f from '../format.ts'
import { outsideText } from '../sessions/cost.ts'
import { Strips } from '../shell/connection-strips.tsx'
import { Page } from '../shell/page.tsx'
import { useMedia } from '../shell/use-media.ts'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { Failure } from './block.tsx'
import { FilterBar, ScopeFilters, SpanPicker } from './filter-bar.tsx'
import { formatMicroUsd, partText } from './format.ts'
import { invalidateLedger, overviewQuery, skillsQuery } from './queries.ts'
import {
  type Change,
  clearFilters,
  type LedgerSearch,
  readSearch,
  selectedTab,
  TABS,
  type Tab,
  toQueryString,
  toTab,
} from './search-params.ts'
import { spanText } from './span-text.ts'
import { Summary } from './summary/summary.tsx'
import { AgentsTab } from './tabs/agents-tab.tsx'
import { ClaimsTab } from './tabs/claims-tab.tsx'
import { CostsTab } from './tabs/costs-tab.tsx'
import { FollowUpsTab } from './tabs/followups-tab.tsx'
import { SkillsTab } from './tabs/skills-tab.tsx'

const w = words.ledger
const route = getRouteApi('/ledger')
const MINUTE = 60_000

export default function LedgerPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const now = useNow(MINUTE / 4)
  const head = useQuery(overviewQuery(toQueryString(search, now)))
  const empty = useNothing(head.data !== undefined && isNothing(head.data))
  const go = useCallback(
    (change: Change) =>
      void navigate({ search: (before) => readSearch({ ...before, ...change }), replace: true }),
    [navigate],
  )
  const clear = () => {
    go(clearFilters(search))
    toast({ text: w.filter.cleared, undo: () => go(search) })
  }
  const roomy = useMedia('(width >= 1100px)')
  const tab = selectedTab(search)
  const tabs = (
    <Segmented
      label={w.tabsLabel}
      segments={TABS.map((value) => ({ value, label: tabLabel(value, head.data?.followups) }))}
      value={tab}
      onChange={(value) => void navigate({ search: (before) => toTab(before, value) })}
    />
  )
  const tabProps = { search, now, go, onClear: clear }
  return (
    <Page title={w.title} {...(roomy && !empty ? { beside: tabs } : {})}>
      <LedgerStrips reading={head.data?.reading} />
      {empty ? (
        <NothingInLedger />
      ) : (
        <>
          {!roomy && (
            <div className="shrink-0 overflow-x-auto border-b border-line px-4 py-2 max-desk:px-2.5">
              {tabs}
            </div>
          )}
          {tab === 'overview' && (
            <>
              <Head {...tabProps} head={head} />
              <Summary search={search} now={now} head={head} />
            </>
          )}
          {tab !== 'overview' && <FilterBar {...tabProps} />}
          {tab === 'agents' && <AgentsTab key={searchKey(search)} {...tabProps} />}
          {tab === 'skills' && <SkillsTab {...tabProps} />}
          {tab === 'claims' && <ClaimsTab key={searchKey(search)} {...tabProps} />}
          {tab === 'costs' && <CostsTab key={searchKey(search)} {...tabProps} />}
          {tab === 'followups' && <FollowUpsTab key={searchKey(search)} {...tabProps} />}
        </>
      )}
    </Page>
  )
}

/** The totals and what they cover. */
function Head(props: {
  readonly search: LedgerSearch
  readonly now: number
  readonly go: (change: Change) => void
  readonly onClear: () => void
  readonly head: ReturnType<typeof useQuery<Parameters<typeof isNothing>[0]>>
}) {
  const { search, head, go } = props
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-6 gap-y-2 border-b border-line px-5 py-2 max-desk:px-3">
      {head.data && (
        <div aria-busy={head.isPlaceholderData} className={head.isPlaceholderData ? 'opacity-60' : ''}>
          <Stats overview={head.data} span={spanText(search, props.now)} />
        </div>
      )}
      {head.error !== null && (
        <div className="min-w-64 flex-1 px-3.5">
          <Failure error={head.error} onRetry={() => void head.refetch()} />
        </div>
      )}
      <search
        aria-label={w.filter.label}
        className="ml-auto flex min-h-10 flex-wrap items-center gap-1.5 max-desk:ml-0"
      >
        <ScopeFilters search={search} now={props.now} go={go} onClear={props.onClear} />
        <SpanPicker search={search} now={props.now} go={go} />
      </search>
    </div>
  )
}

/** A new filter starts at the top of its list. */
const searchKey = (search: LedgerSearch): string =>
  JSON.stringify({ ...search, by: undefined, skill: undefined })

const tabLabel = (tab: Tab, followups: number | undefined): string =>
  tab === 'followups' && followups !== undefined && followups > 0
    ? w.tabCount(w.tabs[tab], followups)
    : w.tabs[tab]

/** Whether there is no data at all: no session in any time range, and no skill. */
function useNothing(none: boolean): boolean {
  const ever = useQuery({ ...overviewQuery(''), enabled: none }).data
  const skills = useQuery({ ...skillsQuery, enabled: none })
  if (!none || ever === undefined || (skills.data === undefined && skills.error === null)) return false
  return isNothing(ever) && (skills.data?.skills.length ?? 0) === 0
}

/** How far sessions have been read, and what could not be read. */
function LedgerStrips({ reading }: { readonly reading: LedgerOverview['reading'] | undefined }) {
  const done = reading?.done ?? 0
  const isRunning = reading?.state === 'running'
  useEffect(() => {
    // Sessions read meanwhile change every other part, too.
    if (done > 0 && isRunning !== undefined) void invalidateLedger()
  }, [done, isRunning])
  return (
    <Strips what={w.listWord} reading={false}>
      {reading && isRunning && reading.total > 0 && (
        <Strip
          end={
            <div className="w-40">
              <Progress label={readingText(reading)} done={reading.done} total={reading.total} />
            </div>
          }
        >
          {readingText(reading)}. {w.readingNext}
        </Strip>
      )}
      {reading && reading.problem !== null && (
        <Strip
          alert
          glyph="failed"
          end={
            <Link to="/settings" hash="health" className={buttonClass()}>
              {w.health}
            </Link>
          }
        >
          {w.readFailed(toVisible(reading.problem))} {w.readFailedNext}
        </Strip>
      )}
    </Strips>
  )
}

const readingText = ({ done, total }: LedgerOverview['reading']): string =>
  w.reading(Math.min(done, total), total)

/** Shown before any agent was counted: how outcomes get here. */
function NothingInLedger() {
  return (
    <NothingYet title={w.empty.title} sources={w.empty.sources}>
      <p className="text-text-2">{w.empty.body}</p>
      <p className="text-text-2">{w.empty.next}</p>
    </NothingYet>
  )
}

const isNothing = ({ sessions, agents, claims, followups }: LedgerOverview): boolean =>
  sessions + agents + claims + followups === 0

/** The totals of the time range, one number each. */
function Stats({ overview, span }: { readonly overview: LedgerOverview; readonly span: string }) {
  const lacks = overview.sessions_without_price
  const isUnknown = overview.cost_micro_usd === 0 && lacks > 0
  const { outside_micro_usd: outside, outside_unknown: silent = 0 } = overview
  const isOutsideUnknown = outside === undefined || (outside === 0 && silent > 0)
  return (
    <dl aria-label={w.stats.label} className="flex flex-wrap gap-x-6 gap-y-2">
      <Figure
        value={isUnknown ? words.unknown : formatMicroUsd(overview.cost_micro_usd)}
        label={isUnknown ? w.stats.moneyUnknown(span) : w.stats.money(span, lacks)}
      />
      <Figure
        value={isOutsideUnknown ? words.unknown : outsideText(outside)}
        label={w.stats.outside(silent, isOutsideUnknown)}
        title={w.stats.outsideHint}
      />
      <Figure
        value={isUnknown ? words.unknown : formatMicroUsd(overview.saved_micro_usd)}
        label={w.stats.saved}
      />
      <Figure value={f.count(overview.agents)} label={w.stats.agents} />
      <Figure
        value={partText(overview.functional, overview.marked)}
        label={w.stats.functional}
        title={w.stats.functionalDetail(overview.functional, overview.marked)}
      />
      <Figure
        value={partText(overview.claims_failed, overview.claims_checked)}
        label={w.stats.claims}
        title={w.stats.claimsDetail(overview.claims_failed, overview.claims_checked, overview.claims)}
      />
    </dl>
  )
}

function Figure(props: { readonly value: string; readonly label: string; readonly title?: string }) {
  return (
    <div className="flex flex-col-reverse" title={props.title}>
      <dt className="text-11 text-text-3">{props.label}</dt>
      <dd className="text-18 font-semibold">{props.value}</dd>
    </div>
  )
}
