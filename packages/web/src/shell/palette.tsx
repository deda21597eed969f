import type { SessionSummary } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { sessionsQuery } from '../api/queries.ts'
import { classes } from '../design/class-names.ts'
import { Dialog } from '../design/dialog.tsx'
import { Icon } from '../design/icon.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { toSessionKey } from '../live/data/agent-key.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { sessionTitle } from '../live/model/names.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import type { MatchRanges } from './fuzzy-match.ts'
import { closeOverlay } from './overlays.ts'
import {
  type FoundItem,
  findItems,
  groupTitle,
  type PaletteItem,
  type PaletteQuery,
  parseQuery,
  shorten,
} from './palette-items.ts'
import { useAgentItems, usePaletteItems } from './use-palette-items.ts'

const w = words.palette

/** Opens pages, finds agents and sessions, and runs actions by name. */
export default function Palette() {
  const [value, setValue] = useState('')
  const [active, setActive] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const list = useId()
  const typed = parseQuery(value)
  const all = useFound(typed)
  const found = shorten(all, typed)
  // An offered search is not a result.
  const count = all.filter(({ item }) => item.group !== 'find').length
  const current = found[Math.min(active, found.length - 1)]

  const run = (item: PaletteItem) => {
    closeOverlay()
    item.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) setActive((active + step + found.length) % found.length)
    else if (event.key === 'Enter' && current) run(current.item)
    else return
    event.preventDefault()
  }
  return (
    <Dialog open onClose={closeOverlay} title={w.title} bare width="max-w-165" focus={input}>
      <div className="flex items-center gap-3 border-b border-line px-4 py-2.5">
        <Icon name="search" />
        <input
          ref={input}
          role="combobox"
          aria-expanded
          aria-controls={list}
          aria-activedescendant={current && `${list}-${current.item.id}`}
          aria-label={w.title}
          placeholder={words.topBar.find}
          className="h-8 min-w-0 flex-1 bg-transparent text-15 outline-none placeholder:text-text-3"
          value={value}
          onChange={(event) => {
            setValue(event.target.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
          autoComplete="off"
          spellCheck={false}
        />
        <span className="text-11 text-text-3 max-desk:hidden" role="status">
          {w.found(count)}
        </span>
        <button
          type="button"
          aria-label={w.escape}
          className="flex items-center justify-center touch:h-11 touch:w-11"
          onClick={closeOverlay}
        >
          <KeyCap>Esc</KeyCap>
        </button>
      </div>
      <Results id={list} all={all} found={found} active={current} typed={value} onRun={run} />
      <div className="flex items-center gap-4 border-t border-line px-4 py-2.5 text-11 text-text-3 max-desk:hidden">
        <Hint keys={['↑', '↓']} word={w.move} />
        <Hint keys={['↵']} word={w.open} />
        <span className="ml-auto" />
        <Hint keys={['@']} word={w.narrowAgents} />
        <Hint keys={['#']} word={w.narrowSessions} />
        <Hint keys={['>']} word={w.narrowDo} />
      </div>
    </Dialog>
  )
}

function useFound(typed: PaletteQuery): readonly FoundItem[] {
  const navigate = useNavigate()
  const pages = usePaletteItems()
  const agents = useAgentItems()
  const sessions = useSessionItems()
  const everything = [...pages, ...agents, ...sessions]
  const found = findItems(typed.text === '' && typed.only === null ? pages : everything, typed)
  const { seq, text } = typed
  const item = (id: string, title: string, hint: string, go: () => void): FoundItem => ({
    item: { id, group: 'find', icon: 'search', title, hint, run: go },
    match: { rank: 9, title: [], hint: [] },
  })
  if (seq !== null)
    return [
      ...found,
      item(
        'event',
        w.event(seq),
        w.eventHint,
        () => void navigate({ to: '/settings/events', search: { event: seq } }),
      ),
    ]
  if (text === '' || typed.only !== null) return found
  const search = item(
    'search',
    w.search(text),
    w.searchHint,
    () => void navigate({ to: '/settings/events', search: { text } }),
  )
  const past = item(
    'search-sessions',
    w.searchSessions(text),
    w.searchSessionsHint,
    () => void navigate({ to: '/sessions', search: { q: text } }),
  )
  return [...found, past, search]
}

function Results(props: {
  readonly id: string
  readonly all: readonly FoundItem[]
  readonly found: readonly FoundItem[]
  readonly active: FoundItem | undefined
  readonly typed: string
  readonly onRun: (item: PaletteItem) => void
}) {
  const { found, active } = props
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active) box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={box}
      id={props.id}
      role="listbox"
      aria-label={w.title}
      className="min-h-0 flex-1 overflow-y-auto p-2"
    >
      {found.length === 0 && (
        <div className="px-2 py-6 text-center text-12 text-text-3">
          {w.empty(props.typed)}
          <br />
          {w.emptyNext}
        </div>
      )}
      {found.map(({ item, match }, i) => {
        const first = found[i - 1]?.item.group !== item.group
        const on = active?.item.id === item.id
        return (
          <div key={item.id} role="presentation">
            {first && (
              <div
                className="flex justify-between px-2 pt-3 pb-1 text-11 font-medium text-text-3"
                role="presentation"
              >
                <span>{groupTitle(item.group)}</span>
                {item.group !== 'find' && (
                  <span>
                    {w.ofGroup(countInGroup(found, item.group), countInGroup(props.all, item.group))}
                  </span>
                )}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys of this list */}
            <div
              id={`${props.id}-${item.id}`}
              role="option"
              aria-selected={on}
              tabIndex={-1}
              className={classes(
                'relative flex h-8.5 cursor-pointer items-center gap-2.5 rounded-control border px-2 touch:h-11',
                on ? 'border-line-strong bg-high' : 'border-transparent hover:bg-high',
              )}
              onClick={() => props.onRun(item)}
            >
              {on && <span className="absolute top-1.5 bottom-1.5 -left-2 w-[3px] rounded-r-tag bg-gold" />}
              <span className="text-text-2">
                <Icon name={item.icon} />
              </span>
              <span className="shrink-0 font-medium">
                <Marked text={item.title} marks={match.title} />
              </span>
              <span className="min-w-0 flex-1 truncate text-12 text-text-3">
                <Marked text={item.hint} marks={match.hint} />
              </span>
              {item.end !== undefined && <span className="shrink-0 text-12 text-text-3">{item.end}</span>}
              {item.key !== undefined && <KeyCap>{item.key}</KeyCap>}
            </div>
          </div>
        )
      })}
    </div>
  )
}

const countInGroup = (found: readonly FoundItem[], group: PaletteItem['group']): number =>
  found.filter(({ item }) => item.group === group).length

function Hint({ keys, word }: { readonly keys: readonly string[]; readonly word: string }) {
  return (
    <span className="flex items-center gap-1">
      {keys.map((key) => (
        <KeyCap key={key}>{key}</KeyCap>
      ))}
      <span className="ml-0.5">{word}</span>
    </span>
  )
}

/** A text with its matched letters in gold and underlined. */
function Marked({ text, marks }: { readonly text: string; readonly marks: MatchRanges }) {
  const parts: ReactNode[] = []
  let at = 0
  for (const [from, to] of marks) {
    if (from > at) parts.push(text.slice(at, from))
    parts.push(
      <mark
        key={from}
        className="bg-transparent font-semibold text-gold-text underline decoration-2 underline-offset-3"
      >
        {text.slice(from, to)}
      </mark>,
    )
    at = to
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}

/** Recent sessions, searchable by title, project or id. A finished session opens at its end. */
function useSessionItems(): readonly PaletteItem[] {
  const { agents } = useStore(pageAgents)
  const sessions = useQuery(sessionsQuery).data ?? []
  const navigate = useNavigate()
  const alive = new Set(agents.filter((agent) => isAlive(agent.state)).map(toSessionKey))
  const now = Date.now()
  return sessions.map((session) => {
    const key = toSessionKey(session)
    const runs = alive.has(key)
    return {
      id: `session-${key}`,
      group: 'sessions',
      icon: runs ? 'live' : 'events',
      title: sessionTitle(session),
      hint: sessionHint(session),
      end: runs ? words.palette.sessionRuns : words.ago(session.last_at, now),
      run: () =>
        void navigate({ to: '/', search: { session: key, ...(runs ? {} : { at: session.last_at }) } }),
    }
  })
}

const sessionHint = ({ title, project, source, session_id }: SessionSummary): string =>
  [title === null ? null : project, source, session_id].filter((part) => part !== null).join(' · ')
