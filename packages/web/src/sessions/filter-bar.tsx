import type { StatsGroup } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { IconButton } from '../design/button.tsx'
import { Chip } from '../design/chip.tsx'
import { ChipMenu, type Choice } from '../design/chip-menu.tsx'
import { WordsField } from '../design/words-field.tsx'
import { countChoices } from '../events/choices.ts'
import { words } from '../words.ts'
import { pastStatsQuery } from './queries.ts'
import { isNarrowed, type SessionsSearch, SINCE } from './search.ts'

const w = words.sessions.filter
const MOST = 60

export type Change = Partial<Record<keyof SessionsSearch, unknown>>

export const NOTHING: Change = {
  source: undefined,
  project: undefined,
  model: undefined,
  since: undefined,
  errors: undefined,
}

export function FilterBar(props: {
  readonly search: SessionsSearch
  readonly onChange: (change: Change) => void
  readonly onWords: (text: string | undefined) => void
  readonly onClear: () => void
  readonly input: RefObject<HTMLInputElement | null>
}) {
  const { search, onChange } = props
  const dates = SINCE.map((value): Choice => ({ value, label: w.sinceNames[value] }))
  return (
    <search
      aria-label={w.label}
      className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2"
    >
      <WordsField
        label={w.words}
        text={search.q ?? ''}
        onChange={props.onWords}
        input={props.input}
        most={1_000}
        className="min-w-full @min-[780px]:max-w-80 @min-[780px]:min-w-60"
      />
      {(['source', 'project', 'model'] as const).map((name) => (
        <Narrow key={name} name={name} chosen={search[name]} onChange={onChange} />
      ))}
      <ChipMenu
        label={w.since}
        shown={search.since ? w.sinceNames[search.since] : w.since}
        choices={dates}
        chosen={search.since ? [search.since] : []}
        onChange={([since]) => onChange({ since })}
        empty={w.nothing}
      />
      <Chip
        on={search.errors === true}
        onClick={() => onChange({ errors: search.errors ? undefined : true })}
      >
        {w.errors}
      </Chip>
      {isNarrowed(search) && (
        <IconButton icon="close" kind="quiet" label={words.actions.clear} onClick={props.onClear} />
      )}
    </search>
  )
}

function Narrow(props: {
  readonly name: Exclude<StatsGroup, 'day'>
  readonly chosen: string | undefined
  readonly onChange: (change: Change) => void
}) {
  const { name, chosen } = props
  const rows = useQuery(pastStatsQuery(name)).data ?? []
  const counts = Object.fromEntries(
    rows.filter((row) => row.name !== '').map((row) => [row.name, row.sessions]),
  )
  return (
    <ChipMenu
      label={w[name]}
      shown={chosen ?? w[name]}
      choices={countChoices(counts, chosen).slice(0, MOST)}
      chosen={chosen === undefined ? [] : [chosen]}
      onChange={([value]) => props.onChange({ [name]: value })}
      empty={w.nothing}
    />
  )
}
