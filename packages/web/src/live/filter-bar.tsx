import { isAlive } from '@panoptes/schema/reading'
import type { RefObject } from 'react'
import { IconButton } from '../design/button.tsx'
import { Chip, ChipMenu, type Choice } from '../design/chip.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
import { ModelPips } from '../design/model-pips.tsx'
import { Segmented } from '../design/segmented.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { parseAgentKey, toSessionKey } from './data/agent-key.ts'
import type { Scene } from './data/source.ts'
import {
  countStates,
  indexSummaries,
  isNarrowed,
  type LiveFilter,
  matchesExceptState,
  NO_FILTER,
  STATES,
  type StateFilter,
  sessionHosts,
} from './model/filter.ts'
import { FAMILIES, modelFamily, sessionTitle } from './model/names.ts'
import { isRecentlyEnded } from './model/visibility.ts'

const w = words.live

export interface FilterBarProps {
  readonly scene: Scene
  /** Whether the agents have loaded. Until then, counts are unknown and shown as a dash. */
  readonly loaded: boolean
  readonly filter: LiveFilter
  readonly view: 'graph' | 'table'
  readonly onView: (view: 'graph' | 'table') => void
  readonly onChange: (change: { readonly [K in keyof LiveFilter]: LiveFilter[K] | undefined }) => void
  readonly first: RefObject<HTMLButtonElement | null>
}

/** Filters agents by state, source, project, computer and model. */
export function FilterBar({ scene, loaded, filter, view, onView, onChange, first }: FilterBarProps) {
  const sessions = indexSummaries(scene.sessions)
  const hosts = sessionHosts(scene.sessions)
  const now = scene.at ?? Date.now()
  const alive = scene.agents.filter((agent) => isAlive(agent.state))
  const counts = countStates(
    scene.agents.filter(
      (agent) =>
        (isAlive(agent.state) || isRecentlyEnded(agent, now)) && matchesExceptState(agent, filter, sessions),
    ),
  )
  const countText = (count: number) => (loaded ? f.count(count) : words.unknown)
  const menu = (
    name: 'source' | 'project' | 'host' | 'model',
    label: string,
    values: readonly (string | undefined)[],
  ) => (
    <ChipMenu
      label={label}
      shown={filter[name] ?? label}
      choices={toChoices(values, filter[name])}
      chosen={filter[name] === undefined ? [] : [filter[name]]}
      onChange={([value]) => onChange({ [name]: value })}
      empty={w.chips.nothing}
    />
  )
  return (
    <search
      aria-label={w.chips.label}
      className="relative flex shrink-0 items-center gap-2 border-b border-line px-4 py-2 max-desk:gap-1.5 max-desk:overflow-x-auto max-desk:pr-0 desk:flex-wrap"
    >
      <span className="max-desk:hidden">
        <Segmented
          label={w.view}
          value={view}
          onChange={onView}
          segments={[
            { value: 'graph', label: w.graph },
            { value: 'table', label: w.table },
          ]}
        />
      </span>
      <Chip
        ref={first}
        on={filter.state === undefined}
        className="max-desk:touch:px-2 desk:ml-2"
        onClick={() => onChange({ state: undefined })}
      >
        <span className="max-desk:hidden">{w.chips.all}</span>
        <span className="desk:hidden">
          {w.chips.allShort} <b className="font-semibold">{countText(counts.alive)}</b>
        </span>
      </Chip>
      {STATES.filter((state) => state !== 'stopped' || counts.stopped > 0 || filter.state === state).map(
        (state) => (
          <Chip
            key={state}
            className="max-desk:touch:px-2"
            on={filter.state === state}
            title={isEnd(state) ? w.chips.latelyTitle(w.chips[state]) : w.chips[state]}
            onClick={() => onChange({ state: filter.state === state ? undefined : state })}
          >
            <Glyph name={state} size={14} />
            <span>
              <span className={hideWord(state)}>{w.chips[state]} </span>
              <b className="font-semibold text-text">{countText(counts[state])}</b>
              {isEnd(state) && <span className="text-text-3 max-desk:sr-only"> {w.chips.lately}</span>}
            </span>
          </Chip>
        ),
      )}
      <span className="w-1 max-desk:hidden" />
      {menu(
        'source',
        w.chips.source,
        alive.map((agent) => agent.source),
      )}
      {menu(
        'project',
        w.chips.project,
        alive.map((agent) => sessions.get(toSessionKey(agent))?.project ?? undefined),
      )}
      {(hosts.size > 0 || filter.host !== undefined) &&
        menu(
          'host',
          w.chips.host,
          alive.map((agent) => sessions.get(toSessionKey(agent))?.host),
        )}
      {menu(
        'model',
        w.chips.model,
        alive.map((agent) => modelFamily(agent.model)),
      )}
      {filter.session !== undefined && (
        <Chip on onClick={() => onChange({ session: undefined })} title={w.chips.sessionClear}>
          <span className="max-w-36 truncate">{w.chips.session(titleOfKey(scene, filter.session))}</span>
          <Icon name="close" size={12} />
        </Chip>
      )}
      {isNarrowed({ ...filter, session: undefined }) && (
        <IconButton icon="close" kind="quiet" label={w.clear} onClick={() => onChange(NO_FILTER)} />
      )}
      <span className="flex-1" />
      <span className="sticky right-0 bg-surface px-2 desk:hidden">
        <IconButton
          icon={view === 'table' ? 'live' : 'table'}
          label={view === 'table' ? w.graph : w.table}
          onClick={() => onView(view === 'table' ? 'graph' : 'table')}
        />
      </span>
      <Legend />
    </search>
  )
}

const isEnd = (state: StateFilter): boolean => state === 'failed' || state === 'stopped' || state === 'done'

/** The bar lacks room for every word, so ended states are glyphs, and on a phone Working is, too. */
function hideWord(state: StateFilter): string {
  if (isEnd(state)) return 'sr-only'
  return state === 'working' ? 'max-desk:sr-only' : ''
}

function titleOfKey(scene: Scene, key: string): string {
  const session = scene.sessions.find((one) => toSessionKey(one) === key)
  return session ? sessionTitle(session) : (parseAgentKey(`${key}~main`)?.session_id.slice(0, 8) ?? key)
}

function Legend() {
  return (
    <ul aria-label={w.legend} className="flex items-center gap-3 text-12 text-text-2 max-roomy:hidden">
      {FAMILIES.map((family) => (
        <li key={family} className="flex items-center gap-1.5">
          <ModelPips model={family} />
          {w.models[family]}
        </li>
      ))}
    </ul>
  )
}

function toChoices(values: readonly (string | undefined)[], chosen: string | undefined): readonly Choice[] {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  if (chosen !== undefined && !counts.has(chosen)) counts.set(chosen, 0)
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([value, count]) => ({ value, label: value, note: f.count(count) }))
}
