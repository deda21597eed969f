import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, type RefObject, Suspense, useState } from 'react'
import { IconButton } from '../design/button.tsx'
import { Chip, ChipMenu, type Choice, chipClass } from '../design/chip.tsx'
import { WordsField } from '../design/search-field.tsx'
import { countChoices } from '../events/choices.ts'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { pastStatsQuery, savedFiltersQuery, tagsQuery } from './queries.ts'
import {
  COSTS,
  isNarrowed,
  NARROWING,
  type Named,
  parseDays,
  type SessionsSearch,
  SINCE,
} from './search-params.ts'

const w = words.sessions.filter
const MOST = 60
const LONGEST = 60

export type Change = Partial<Record<keyof SessionsSearch, unknown>>

export const NOTHING: Change = Object.fromEntries(NARROWING.map((name) => [name, undefined]))

export function FilterBar(props: {
  readonly search: SessionsSearch
  /** There are sessions of several computers. */
  readonly many: boolean
  readonly onChange: (change: Change) => void
  readonly onWords: (text: string | undefined) => void
  readonly onClear: () => void
  /** Moves the focus on from the search field. */
  readonly onDone: () => void
  readonly input: RefObject<HTMLInputElement | null>
  /** The number of results, at the end of the search field. */
  readonly found?: ReactNode
}) {
  const { search, onChange } = props
  const [all, setAll] = useState(false)
  const shows = (name: keyof SessionsSearch) => all || search[name] !== undefined
  return (
    <search
      aria-label={w.label}
      className="flex shrink-0 flex-col gap-1.5 border-b border-line px-3 py-2 @min-[780px]:flex-row"
    >
      <WordsField
        label={w.words}
        text={search.q ?? ''}
        onChange={props.onWords}
        input={props.input}
        most={1_000}
        end={props.found}
        onDone={props.onDone}
        className="basis-auto! flex-none! @min-[780px]:w-80"
      />
      <div className="relative flex min-w-0 items-center gap-1.5 max-desk:overflow-x-auto desk:flex-wrap">
        <Narrow name="source" chosen={search.source} onChange={onChange} />
        <Narrow name="project" chosen={search.project} onChange={onChange} />
        {(props.many || search.host !== undefined) && (
          <Narrow name="host" chosen={search.host} onChange={onChange} />
        )}
        <Narrow name="model" chosen={search.model} onChange={onChange} />
        <Dates search={search} onChange={onChange} />
        <Chip
          on={search.errors === true}
          onClick={() => onChange({ errors: search.errors ? undefined : true })}
        >
          {w.errors}
        </Chip>
        {shows('tool') && <Narrow name="tool" chosen={search.tool} onChange={onChange} />}
        {shows('tag') && <Tags chosen={search.tag} onChange={onChange} />}
        {shows('cost') && <Costs chosen={search.cost} onChange={onChange} />}
        {all && <SavedFilters search={search} onUse={onChange} />}
        <button type="button" aria-expanded={all} className={chipClass(all)} onClick={() => setAll(!all)}>
          {all ? w.fewer : w.more}
        </button>
        {isNarrowed(search) && (
          <IconButton icon="close" kind="quiet" label={words.actions.clear} onClick={props.onClear} />
        )}
      </div>
    </search>
  )
}

interface ChoiceProps<T> {
  readonly chosen: T | undefined
  readonly onChange: (change: Change) => void
}

function Narrow(props: ChoiceProps<string> & { readonly name: Exclude<Named, 'tag'> }) {
  const { name } = props
  const rows = useQuery(pastStatsQuery(name)).data ?? []
  return <Counted {...props} counts={rows.map((row) => [row.name, row.sessions])} />
}

function Tags(props: ChoiceProps<string>) {
  const tags = useQuery(tagsQuery).data ?? []
  return <Counted {...props} name="tag" counts={tags.map((one) => [one.tag, one.sessions])} />
}

function Counted(
  props: ChoiceProps<string> & { readonly name: Named; readonly counts: readonly [string, number][] },
) {
  const { name, chosen } = props
  const counts = Object.fromEntries(props.counts.filter(([value]) => value !== '' && value !== words.unknown))
  const choices = countChoices(counts, chosen).slice(0, MOST)
  return (
    <ChipMenu
      label={w[name]}
      shown={chosen === undefined ? w[name] : toVisibleLine(chosen, LONGEST)}
      choices={choices.map((choice) => ({ ...choice, label: toVisibleLine(choice.label, LONGEST) }))}
      chosen={chosen === undefined ? [] : [chosen]}
      onChange={([value]) => props.onChange({ [name]: value })}
      empty={w.nothing}
    />
  )
}

function Dates({
  search,
  onChange,
}: {
  readonly search: SessionsSearch
  readonly onChange: ChoiceProps<never>['onChange']
}) {
  const { since, until } = search
  const days = parseDays(since)
  const isChosen = since !== undefined || until !== undefined
  const formatDay = (time: string | undefined) =>
    time === undefined ? null : f.day(new Date(time).getTime(), Date.now())
  const shown =
    days !== null && until === undefined
      ? w.sinceDays(days)
      : isChosen
        ? w.between(days === null ? formatDay(since) : w.sinceDays(days), formatDay(until))
        : w.since
  return (
    <ChipMenu
      label={w.since}
      shown={shown}
      choices={SINCE.map((count): Choice => ({ value: `${count}d`, label: w.sinceDays(count) }))}
      chosen={isChosen ? [since ?? ''] : []}
      onChange={([value]) => onChange({ since: value || undefined, until: undefined })}
      empty={w.nothing}
    />
  )
}

function Costs({ chosen, onChange }: ChoiceProps<number>) {
  const label = (cost: number) => w.costOver(f.money(cost))
  return (
    <ChipMenu
      label={w.cost}
      shown={chosen === undefined ? w.cost : label(chosen)}
      choices={COSTS.map((cost): Choice => ({ value: String(cost), label: label(cost) }))}
      chosen={chosen === undefined ? [] : [String(chosen)]}
      onChange={([value]) => onChange({ cost: value === undefined ? undefined : Number(value) })}
      empty={w.nothing}
    />
  )
}

const SavedDialog = lazy(() => import('./saved-dialog.tsx'))

/** The button for saved filters. */
function SavedFilters(props: { readonly search: SessionsSearch; readonly onUse: (change: Change) => void }) {
  const [open, setOpen] = useState(false)
  const { data: saved } = useQuery(savedFiltersQuery)
  const client = useQueryClient()
  return (
    <>
      <button type="button" aria-haspopup="dialog" className={chipClass(false)} onClick={() => setOpen(true)}>
        {words.sessions.filter.saved}
      </button>
      {open && (
        <Suspense>
          <SavedDialog
            saved={saved ?? []}
            search={props.search}
            onUse={props.onUse}
            onChanged={() => void client.invalidateQueries({ queryKey: savedFiltersQuery.queryKey })}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
