import type { AchievementItem, ScanStatus } from '@panoptes/schema'
import type { ReactNode } from 'react'
import { ActionMenu } from '../design/action-menu.tsx'
import { Button } from '../design/button.tsx'
import { Chip } from '../design/chip.tsx'
import { Progress } from '../design/progress.tsx'
import { Segmented } from '../design/segmented.tsx'
import { words } from '../words.ts'
import { type AchievementsSearch, SORTS, type Sort, STATES } from './search-params.ts'
import { countCategories } from './selectors.ts'

const w = words.achievements

export type Change = { readonly [K in keyof AchievementsSearch]?: AchievementsSearch[K] | undefined }

/** Filters by category, state and source. */
export function FilterBar(props: {
  readonly items: readonly AchievementItem[]
  readonly search: AchievementsSearch
  readonly onChange: (change: Change) => void
  readonly end: ReactNode
}) {
  const { items, search, onChange } = props
  return (
    <search aria-label={w.cards} className="flex flex-col gap-3">
      <fieldset className="flex gap-1.5 max-desk:-mx-4 max-desk:overflow-x-auto max-desk:px-4 desk:flex-wrap">
        <legend className="sr-only">{w.categories}</legend>
        <Category
          name={w.all}
          count={items.length}
          on={search.category === undefined}
          onClick={() => onChange({ category: undefined })}
        />
        {countCategories(items).map(([name, count]) => (
          <Category
            key={name}
            name={name}
            count={count}
            on={search.category === name}
            onClick={() => onChange({ category: search.category === name ? undefined : name })}
          />
        ))}
      </fieldset>
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label={w.states.label}
          segments={(['all', ...STATES] as const).map((value) => ({ value, label: w.states[value] }))}
          value={search.state ?? 'all'}
          onChange={(state) => onChange({ state: state === 'all' ? undefined : state })}
        />
        <SourceSwitch search={search} onChange={onChange} />
        <div className="ml-auto flex flex-wrap items-center gap-2 max-desk:ml-0">{props.end}</div>
      </div>
    </search>
  )
}

/** Shown even if nothing was counted, because the other view may have sessions. */
export function SourceSwitch(props: {
  readonly search: AchievementsSearch
  readonly onChange: (change: Change) => void
}) {
  return (
    <Segmented
      label={w.sources.label}
      segments={(['all', 'hermes'] as const).map((value) => ({ value, label: w.sources[value] }))}
      value={props.search.source ?? 'all'}
      onChange={(source) => props.onChange({ source: source === 'all' ? undefined : source })}
    />
  )
}

function Category(props: {
  readonly name: string
  readonly count: number
  readonly on: boolean
  readonly onClick: () => void
}) {
  return (
    <Chip on={props.on} onClick={props.onClick}>
      {props.name} <b className="font-semibold text-text">{props.count}</b>
    </Chip>
  )
}

/** The actions on the list: sort, share card, rescan. */
export function Toolbar(props: {
  readonly status: ScanStatus | undefined
  /** The shown numbers are complete and only new sessions are being read. */
  readonly refreshes: boolean
  readonly sort: Sort
  readonly onSort: (sort: Sort) => void
  readonly onShare: (() => void) | undefined
  /** Missing if the person may not start a scan. */
  readonly onRescan: ((full: boolean) => void) | undefined
  readonly onReset: (() => void) | undefined
}) {
  const { status, sort, onRescan, onReset } = props
  const runs = status?.state === 'running'
  return (
    <>
      {runs && props.refreshes && <Refreshing progress={status.progress} />}
      <ActionMenu
        key={sort}
        label={w.sort.shown(w.sort[sort])}
        groups={[
          SORTS.map((one) => ({
            label: w.sort[one],
            ...(one === sort && { icon: 'check' as const }),
            run: () => props.onSort(one),
          })),
        ]}
      />
      {props.onShare && (
        <Button className="max-desk:hidden" onClick={props.onShare}>
          {w.actions.share}
        </Button>
      )}
      {onRescan && (
        <>
          <Button icon="rotate" disabled={runs} onClick={() => onRescan(false)}>
            {w.actions.rescan}
          </Button>
          <ActionMenu
            label={w.actions.more}
            groups={[
              [{ label: w.actions.full, icon: 'rotate', run: () => onRescan(true) }],
              ...(onReset ? [[{ label: w.actions.reset, icon: 'close' as const, run: onReset }]] : []),
            ]}
          />
        </>
      )}
    </>
  )
}

function Refreshing({ progress }: { readonly progress: ScanStatus['progress'] }) {
  const { done, total } = progress ?? { done: 0, total: 0 }
  return (
    <div role="status" className="flex items-center gap-2 text-11 text-text-2">
      {w.refreshing}
      {total > 0 && (
        <>
          <div className="w-20">
            <Progress label={w.reading(done, total)} done={done} total={total} />
          </div>
          <span>{w.refreshed(Math.min(done, total), total)}</span>
        </>
      )}
    </div>
  )
}
