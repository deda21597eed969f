import type { MoaTurn, PresetsReply } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { canDecideForAll, hasRole, useMe } from '../api/me.ts'
import { sourcesQuery } from '../api/queries.ts'
import { Button, buttonClass, IconButton } from '../design/button.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import { Empty } from '../design/empty.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Segmented } from '../design/segmented.tsx'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { errorText } from '../sessions/strips.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { Page } from '../shell/page.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { words } from '../words.ts'
import { shortId } from './format.ts'
import { useRunning } from './list/running-card.tsx'
import { TurnList } from './list/turn-list.tsx'
import { PresetsView } from './presets/presets-view.tsx'
import { findUsableProviders, suggestedConfig } from './presets/suggestion.ts'
import { neighborsQuery, presetsQuery, turnQuery, turnsQuery } from './queries.ts'
import { TestRun } from './run/test-run.tsx'
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
    ...neighborsQuery(turn ?? NO_TURN, toQueryString(search)),
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
  w.turn.about(toVisibleLine(preset, 60), shortId(id), f.clock(started_at))

/** Shown before the first turn: a preset to try, or what is missing and the next step. */
function NoTurns({
  presets,
  onTry,
}: {
  readonly presets: PresetsReply
  /** Called when a test run becomes visible or disappears. */
  readonly onTry: (isTrying: boolean) => void
}) {
  const usable = presets.presets.filter(({ preset, problems }) => preset.enabled && problems.length === 0)
  const ready = usable.find(({ name }) => name === presets.default_preset) ?? usable[0]
  if (ready) return <Ready preset={ready.name} onTry={onTry} />
  return <NotReady presets={presets} />
}

function Ready(props: { readonly preset: string; readonly onTry: (isTrying: boolean) => void }) {
  const { preset, onTry } = props
  const navigate = useNavigate()
  const me = useMe()
  return (
    <Empty title={w.empty.title} eye>
      <p className="text-text-2">
        {w.empty.ready(toVisibleLine(preset, 60))}{' '}
        {w.empty.anyClient(words.moa.model(toVisibleLine(preset, 60)))}
      </p>
      {hasRole(me, 'member') && (
        <TestRun
          preset={preset}
          isSaved
          isReady
          onRun={onTry}
          onDone={({ id }) => void navigate({ to: '/moa', search: { turn: id } })}
        />
      )}
      <div>
        <Link to="/moa" search={{ tab: 'presets', open: preset }} className={buttonClass('quiet')}>
          {canDecideForAll(me) ? w.empty.edit : w.empty.look}
        </Link>
      </div>
    </Empty>
  )
}

function NotReady({ presets }: { readonly presets: PresetsReply }) {
  const sources = useQuery(sourcesQuery).data?.sources ?? []
  const mayMake = canDecideForAll(useMe())
  const found = findUsableProviders(presets.providers, sources)
  const config = suggestedConfig(found)
  return (
    <Empty title={w.empty.title} eye>
      <p className="text-text-2">{found.length === 0 ? w.empty.noProvider : w.empty.noPreset}</p>
      <section aria-label={w.empty.found} className="flex flex-col gap-1">
        <h3 className="text-11 font-semibold text-text-3">{w.empty.found}</h3>
        {found.length === 0 && <p className="text-12 text-text-3">{w.empty.none}</p>}
        <ul className="flex flex-col gap-1">
          {presets.providers
            .filter(({ name }) => found.includes(name))
            .map((provider) => (
              <li key={provider.name} className="flex items-center gap-2 text-12">
                <Glyph name={provider.from === 'local' || provider.has_key ? 'done' : 'unknown'} size={14} />
                <b className="font-semibold">{toVisibleLine(provider.name, 40)}</b>
                <span className="min-w-0 truncate text-text-3">{providerOrigin(provider)}</span>
              </li>
            ))}
        </ul>
      </section>
      {presets.presets.map(({ name, problems }) => (
        <p key={name} className="text-12 text-stuck">
          {toVisibleLine(name, 40)}: {problems.map((one) => toVisible(one)).join(' ')}
        </p>
      ))}
      <p className="text-12 text-text-2">{found.length === 0 ? w.empty.nextProvider : w.empty.nextPreset}</p>
      <section aria-label={w.empty.config} className="relative rounded-control border border-line bg-app">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
          tabIndex={0}
          className="scroll-cue overflow-x-auto rounded-control px-3 py-2 text-12 text-text"
        >
          {config}
        </pre>
        <span className="absolute top-1 right-1">
          <CopyButton text={config} iconOnly kind="quiet" />
        </span>
      </section>
      {found.length > 0 && mayMake && (
        <div>
          <Link to="/moa" search={{ tab: 'presets', make: true }} className={buttonClass('main')}>
            {w.empty.make}
          </Link>
        </div>
      )}
    </Empty>
  )
}

function providerOrigin({ from, key, has_key, base_url }: PresetsReply['providers'][number]): string {
  if (from === 'local') return `${w.empty.providers.local} · ${base_url ?? ''}`
  if (key !== null && has_key) return w.empty.providers.environment(toVisible(key))
  return [w.empty.providers.config, ...(base_url === null ? [] : [base_url])].join(' · ')
}
