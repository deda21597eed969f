import type { CostGroup } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { canChangeFiles, useMe } from '../api/me.ts'
import { Button, IconButton } from '../design/button.tsx'
import { Chip, ChipMenu, chipClass } from '../design/chip.tsx'
import { Icon } from '../design/icon.tsx'
import { Segmented } from '../design/segmented.tsx'
import { countChoices } from '../events/choices.ts'
import { parseSessionKey } from '../sessions/search-params.ts'
import { words } from '../words.ts'
import { costsQuery, outcomesQuery } from './queries.ts'
import {
  CHECKS,
  type Change,
  GROUPS,
  isNarrowed,
  type LedgerSearch,
  OUTCOMES,
  pickTime,
  SPANS,
  type Span,
  selectedSpan,
  selectedTab,
  TIERS,
  toQueryString,
  VERDICTS,
} from './search-params.ts'
import { spanText } from './span-text.ts'

const w = words.ledger.filter
const LONGEST = 60
const MOST = 60
const ReviewDialog = lazy(() => import('./review-dialog.tsx'))

interface FilterProps {
  readonly search: LedgerSearch
  readonly now: number
  readonly go: (change: Change) => void
  readonly onClear: () => void
}

/** The filters of the open tab, with the time range at the end. */
export function FilterBar(props: FilterProps) {
  const { search, go } = props
  const tab = selectedTab(search)
  return (
    <search
      aria-label={w.label}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-2 max-desk:flex-nowrap max-desk:overflow-x-auto max-desk:px-2.5"
    >
      {tab === 'costs' && (
        <Segmented
          label={words.ledger.costs.by}
          segments={GROUPS.map((value) => ({ value, label: words.ledger.costs.groups[value] }))}
          value={search.by ?? 'day'}
          onChange={(by: CostGroup) => go({ by })}
        />
      )}
      {tab === 'claims' && (
        <Segmented
          label={words.ledger.claims.views.label}
          segments={(['claims', 'calibration'] as const).map((value) => ({
            value,
            label: words.ledger.claims.views[value],
          }))}
          value={search.view ?? 'claims'}
          onChange={(view) => go({ view: view === 'calibration' ? view : undefined })}
        />
      )}
      {tab === 'agents' && <AgentFilters {...props} />}
      {tab === 'claims' && search.view === undefined && <ClaimFilters {...props} />}
      {tab === 'skills' ? (
        <OneOf
          name="verdict"
          search={search}
          go={go}
          values={VERDICTS}
          labels={words.ledger.skills.verdicts}
        />
      ) : (
        <ScopeFilters {...props} />
      )}
      {isNarrowed(search) && <IconButton icon="close" kind="quiet" label={w.clear} onClick={props.onClear} />}
      <span className="flex-1" />
      {tab === 'skills' ? <ReviewButton /> : <SpanPicker search={search} now={props.now} go={go} />}
    </search>
  )
}

function ReviewButton() {
  const mayReview = canChangeFiles(useMe())
  const [open, setOpen] = useState(false)
  if (!mayReview) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.ledger.skills.review}</Button>
      {open && (
        <Suspense>
          <ReviewDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

export function SpanPicker({ search, now, go }: Pick<FilterProps, 'search' | 'now' | 'go'>) {
  const span = selectedSpan(search)
  return (
    <ChipMenu
      label={words.ledger.span}
      shown={spanText(search, now)}
      choices={SPANS.map((value) => ({ value, label: words.ledger.spans[value] }))}
      chosen={[search.from ?? span]}
      onChange={([value]) =>
        go({ days: (value ?? '30') as Exclude<Span, '30'>, from: undefined, to: undefined })
      }
      empty={w.nothing}
    />
  )
}

/** The source filter, on every tab except Skills, whose rates cover everyone's sessions. */
export function ScopeFilters({ search, now, go }: FilterProps) {
  return (
    <>
      {search.session !== undefined && <SessionChip session={search.session} go={go} />}
      <Spent name="project" search={search} now={now} go={go} />
      <Spent name="source" search={search} now={now} go={go} />
    </>
  )
}

function SessionChip({ session, go }: { readonly session: string; readonly go: FilterProps['go'] }) {
  const id = parseSessionKey(session)?.id ?? session
  return (
    <button
      type="button"
      className={`${chipClass(true)} max-w-60`}
      title={w.sessionClear}
      onClick={() => go({ session: undefined })}
    >
      <span className="truncate">{w.sessionLabel(toVisibleLine(id, LONGEST))}</span>
      <Icon name="close" size={12} />
    </button>
  )
}

/** A filter over the values with costs in the time range. */
function Spent(
  props: Pick<FilterProps, 'search' | 'now' | 'go'> & { readonly name: 'project' | 'source' | 'model' },
) {
  const { name, search, now } = props
  const rows = useQuery(costsQuery(toQueryString(pickTime(search), now, { by: name }))).data ?? []
  const counts = rows.filter((row) => row.name !== '' && row.name !== words.unknown)
  return (
    <Counted
      label={w[name]}
      chosen={search[name]}
      counts={counts.map((row) => [row.name, row.sessions])}
      onChange={(value) => props.go({ [name]: value })}
    />
  )
}

function AgentFilters({ search, now, go }: FilterProps) {
  const rows = useQuery(outcomesQuery(toQueryString(pickTime(search), now))).data ?? []
  return (
    <>
      <OneOf name="outcome" search={search} go={go} values={OUTCOMES} labels={words.ledger.outcomes.names} />
      <Counted
        label={w.type}
        chosen={search.type}
        counts={rows.map(({ type, agents }) => [type, agents])}
        onChange={(type) => go({ type })}
      />
      <Spent name="model" search={search} now={now} go={go} />
      <Chip on={search.flagged === true} onClick={() => go({ flagged: search.flagged ? undefined : true })}>
        {w.flagged}
      </Chip>
    </>
  )
}

function ClaimFilters({ search, now, go }: FilterProps) {
  return (
    <>
      <OneOf name="check" search={search} go={go} values={CHECKS} labels={words.ledger.claims.checks} />
      <OneOf name="tier" search={search} go={go} values={TIERS} labels={words.ledger.claims.tiers} />
      <Spent name="model" search={search} now={now} go={go} />
    </>
  )
}

function Counted(props: {
  readonly label: string
  readonly chosen: string | undefined
  readonly counts: readonly (readonly [string, number])[]
  readonly onChange: (value: string | undefined) => void
}) {
  const { label, chosen } = props
  const choices = countChoices(Object.fromEntries(props.counts.filter(([value]) => value !== '')), chosen)
  return (
    <ChipMenu
      label={label}
      shown={chosen === undefined ? label : toVisibleLine(chosen, LONGEST)}
      choices={choices
        .slice(0, MOST)
        .map((choice) => ({ ...choice, label: toVisibleLine(choice.label, LONGEST) }))}
      chosen={chosen === undefined ? [] : [chosen]}
      onChange={([value]) => props.onChange(value)}
      empty={w.nothing}
    />
  )
}

function OneOf<T extends string>(props: {
  readonly name: 'outcome' | 'check' | 'tier' | 'verdict'
  readonly search: LedgerSearch
  readonly go: FilterProps['go']
  readonly values: readonly T[]
  readonly labels: Readonly<Record<T, string>>
}): ReactNode {
  const { name, values, labels } = props
  const chosen = values.find((value) => value === props.search[name])
  return (
    <ChipMenu
      label={w[name]}
      shown={chosen === undefined ? w[name] : labels[chosen]}
      choices={values.map((value) => ({ value, label: labels[value] }))}
      chosen={chosen === undefined ? [] : [chosen]}
      onChange={([value]) => props.go({ [name]: value })}
      empty={w.nothing}
    />
  )
}
