import type { MoaTurn, PresetsReply } from '@panoptes/schema'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { Button, IconButton } from '../design/button.tsx'
import { Segmented } from '../design/segmented.tsx'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { errorText } from '../sessions/strips.tsx'
import { oneLine } from '../sessions/visible-text.ts'
import { Strips } from '../shell/connection-strips.tsx'
import { Page } from '../shell/page.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { words } from '../words.ts'
import { NoTurns } from './empty-state.tsx'
import { shortId } from './format.ts'
import { useRunning } from './list/running-card.tsx'
import { TurnList } from './list/turn-list.tsx'
import { PresetsView } from './presets/presets-view.tsx'
import { neighboursQuery, presetsQuery, turnQuery, turnsQuery } from './queries.ts'
import { type Change, type MoaSearch, readSearch, toQueryString, toTurn } from './search-params.ts'
import { TurnView } from './turn/turn-view.tsx'

const w = words.moa
const route = getRouteApi('/moa')
const PARTS = ['turns', 'presets'] as const

export default function MoaPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const presets = useQuery(presetsQuery)
  const go = useCallback(
    (change: Change) => {
      // Opening a turn or a preset adds a history entry; a filter change replaces the current one.
      const replace = change.turn === undefined && change.open === undefined && change.make === undefined
      void navigate({ search: (before) => readSearch({ ...before, ...change }), replace })
    },
    [navigate],
  )
  if (search.turn !== undefined)
    return (
      <TurnPage
        id={search.turn}
        search={search}
        presets={presets.data}
        go={go}
        onTurn={(turn) => void navigate({ search: toTurn(search, turn) })}
      />
    )
  const part = search.tab ?? 'turns'
  const tabs = (
    <Segmented
      label={w.partLabel}
      segments={PARTS.map((value) => ({ value, label: w.parts[value] }))}
      value={part}
      onChange={(value) => void navigate({ search: value === 'presets' ? { tab: 'presets' } : {} })}
    />
  )
  return (
    <Page title={w.title} beside={tabs}>
      <Strips what={w.listWord} reading={false}>
        {presets.error !== null && (
          <Strip
            alert
            glyph="failed"
            end={<Button onClick={() => void presets.refetch()}>{words.actions.tryAgain}</Button>}
          >
            {w.presets.failed} {errorText(presets.error)}
          </Strip>
        )}
      </Strips>
      {part === 'presets' ? (
        presets.data ? (
          <PresetsView presets={presets.data} search={search} go={go} />
        ) : (
          presets.error === null && <Strip>{w.presets.wait}</Strip>
        )
      ) : (
        <Turns search={search} presets={presets.data} go={go} />
      )}
    </Page>
  )
}

function Turns(props: {
  readonly search: MoaSearch
  readonly presets: PresetsReply | undefined
  readonly go: (change: Change) => void
}) {
  const { data } = useInfiniteQuery(turnsQuery(toQueryString(props.search)))
  const [isTrying, setIsTrying] = useState(false)
  const isEmpty = data?.pages[0]?.total === 0 && toQueryString(props.search) === ''
  // The running test would end with this view and is itself the first turn of the list, so the view stays.
  if ((isEmpty || isTrying) && props.presets) return <NoTurns presets={props.presets} onTry={setIsTrying} />
  return <TurnList {...props} />
}

function TurnPage(props: {
  readonly id: string
  readonly search: MoaSearch
  readonly presets: PresetsReply | undefined
  readonly go: (change: Change) => void
  readonly onTurn: (turn: string | undefined) => void
}) {
  const { id, search, onTurn } = props
  const turn = useQuery(turnQuery(id)).data?.turn
  // A running turn is fetched again after each of its calls.
  useRunning()
  return (
    <Page
      title={w.title}
      {...(turn ? { sub: subtitle(turn) } : {})}
      beside={<Steps turn={turn} search={search} onTurn={onTurn} />}
    >
      <Strips what={w.listWord} reading={false}>
        {null}
      </Strips>
      <TurnView id={id} search={search} presets={props.presets} go={props.go} />
    </Page>
  )
}

/** Links to the newer and the older turn and to the list. */
function Steps(props: {
  readonly turn: MoaTurn | undefined
  readonly search: MoaSearch
  readonly onTurn: (turn: string | undefined) => void
}) {
  const { turn, search, onTurn } = props
  const near = useQuery({
    ...neighboursQuery(turn ?? NO_TURN, toQueryString(search)),
    enabled: turn !== undefined,
  }).data
  const [older, newer] = [near?.older ?? null, near?.newer ?? null]
  const to = (id: string | null) => () => {
    if (id !== null) onTurn(id)
  }
  useKeys({ '[': to(older), ']': to(newer), Escape: () => onTurn(undefined) })
  return (
    <span className="flex items-center gap-1">
      <IconButton icon="left" label={w.turn.older} disabled={older === null} onClick={to(older)} />
      <IconButton icon="right" label={w.turn.newer} disabled={newer === null} onClick={to(newer)} />
      <Button kind="quiet" icon="events" onClick={() => onTurn(undefined)}>
        <span className="max-desk:sr-only">{w.turn.all}</span>
      </Button>
    </span>
  )
}

const NO_TURN = { id: '', started_at: 0 }

const subtitle = ({ preset, id, started_at }: MoaTurn): string =>
  w.turn.about(oneLine(preset, 60), shortId(id), f.clock(started_at))
