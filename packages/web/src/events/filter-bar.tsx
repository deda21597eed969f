import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { agentsQuery, statusQuery } from '../api/queries.ts'
import { addSpaceParam } from '../api/space.ts'
import { Button, buttonClass, IconButton } from '../design/button.tsx'
import { Chip, ChipMenu, type Choice } from '../design/chip.tsx'
import { Icon } from '../design/icon.tsx'
import { WordsField } from '../design/search-field.tsx'
import { words } from '../words.ts'
import { agentChoices, countChoices, sessionChoices } from './choices.ts'
import { type Filter, isNarrowed, toSearchParams } from './filter.ts'

const w = words.events.filter

export interface FilterBarProps {
  readonly filter: Filter
  readonly onChange: (change: Partial<Record<keyof Filter, unknown>>) => void
  readonly onClear: () => void
  readonly paused: boolean
  readonly onPause: () => void
  readonly input: RefObject<HTMLInputElement | null>
}

export function FilterBar({ filter, onChange, onClear, paused, onPause, input }: FilterBarProps) {
  const counters = useQuery(statusQuery).data?.counters
  const agents = useQuery({ ...agentsQuery, refetchInterval: 15_000 }).data ?? []
  const kinds = countChoices(counters?.by_kind ?? {}, filter.kinds)
  const one = (name: 'source' | 'session' | 'agent', label: string, choices: readonly Choice[]) => {
    const chosen = filter[name]
    return (
      <ChipMenu
        label={label}
        shown={choices.find((choice) => choice.value === chosen)?.label ?? label}
        choices={choices}
        chosen={chosen === undefined ? [] : [chosen]}
        onChange={([value]) => onChange({ [name]: value })}
        empty={w.nothing}
      />
    )
  }
  return (
    <search
      aria-label={w.label}
      className="relative flex shrink-0 items-center gap-2 border-b border-line px-4 py-2 max-desk:overflow-x-auto desk:flex-wrap"
    >
      <WordsField
        label={w.words}
        text={filter.text ?? ''}
        onChange={(text) => onChange({ text })}
        input={input}
        className="max-w-57"
      />
      <ChipMenu
        many
        label={w.kind}
        shown={filter.kinds ? w.kinds(filter.kinds.length) : `${w.allKinds} ${kinds.length || ''}`.trim()}
        choices={kinds}
        chosen={filter.kinds ?? []}
        onChange={(chosen) => onChange({ kinds: chosen.length > 0 ? chosen : undefined })}
        empty={w.nothing}
      />
      {one('source', w.source, countChoices(counters?.by_source ?? {}, filter.source))}
      {one('session', w.session, sessionChoices(agents, filter.session))}
      {one('agent', w.agent, agentChoices(agents, filter.session, filter.agent))}
      <Chip
        on={filter.failed === true}
        onClick={() => onChange({ failed: filter.failed ? undefined : true })}
      >
        {w.failed}
      </Chip>
      {isNarrowed(filter) && (
        <IconButton icon="close" kind="quiet" label={words.actions.clear} onClick={onClear} />
      )}
      <span className="flex-1 max-desk:hidden" />
      <Button icon={paused ? 'play' : 'pause'} aria-pressed={paused} onClick={onPause}>
        {paused ? words.events.goOn : words.events.pause}
      </Button>
      <a
        className={buttonClass()}
        href={`/api/export?${addSpaceParam(toSearchParams(filter))}`}
        download
        title={words.events.exportHint}
      >
        <Icon name="upload" size={14} />
        {words.events.export}
      </a>
    </search>
  )
}

export const NOTHING = {
  kinds: undefined,
  source: undefined,
  session: undefined,
  agent: undefined,
  text: undefined,
  failed: undefined,
}
