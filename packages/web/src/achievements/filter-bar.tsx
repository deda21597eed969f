import type { AchievementItem } from '@panoptes/schema'
import type { ReactNode } from 'react'
import { Chip } from '../design/chip.tsx'
import { Segmented } from '../design/segmented.tsx'
import { words } from '../words.ts'
import { type AchievementsSearch, STATES } from './search-params.ts'
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
