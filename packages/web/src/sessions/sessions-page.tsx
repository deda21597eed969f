import type { FoundMessage, FoundSource, PastSession } from '@panoptes/schema'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { growingSourcesQuery } from '../api/queries.ts'
import { Button } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { NoMatch, NothingYet } from '../design/empty.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Strip } from '../design/strip.tsx'
import { toast } from '../design/toast.tsx'
import { pastSessionKey, toSessionKey } from '../live/data/agent-key.ts'
import { Page } from '../shell/page.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { useMedia } from '../shell/use-media.ts'
import { words } from '../words.ts'
import { type Change, FilterBar, NOTHING } from './filter-bar.tsx'
import { groupHits } from './hit-groups.ts'
import { Hits } from './hits.tsx'
import { indexStatusQuery, MOST_HITS, pastSessionsQuery, pastStatsQuery } from './queries.ts'
import { filterQuery, isNarrowed, parseSessionKey, readSearch } from './search-params.ts'
import { SessionTable } from './session-table.tsx'
import { SessionStrips } from './strips.tsx'
import { useHits } from './use-hits.ts'

const w = words.sessions
const route = getRouteApi('/sessions')
const glyphs = { found: 'done', absent: 'unknown', unreadable: 'failed' } as const
const ForgetDialog = lazy(() => import('./transcript/forget-dialog.tsx'))
const Transcript = lazy(() => import('./transcript/transcript.tsx'))

/** The session being forgotten. Once that started, nothing requests it any more. */
interface DeletionState {
  readonly session: PastSession
  readonly stage: 'asks' | 'goes' | 'gone'
}

export default function SessionsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const filter = filterQuery(search, Date.now())
  const list = useInfiniteQuery(pastSessionsQuery(filter))
  const { fetchNextPage } = list
  const status = useQuery(indexStatusQuery).data
  const many = useIsOfMany()
  const input = useRef<HTMLInputElement>(null)
  const narrow = useMedia('(width < 760px)')
  const tight = useMedia('(width < 1100px)')
  const grid = useRef<HTMLTableElement>(null)
  const pane = useRef<HTMLDivElement>(null)
  const isOpen = search.session !== undefined
  const open = useMemo(
    () => (search.session === undefined ? null : parseSessionKey(search.session)),
    [search.session],
  )
  const sessions = useMemo(() => list.data?.pages.flat() ?? [], [list.data])

  const go = useCallback(
    (change: Change, replace = false) =>
      void navigate({ search: (before) => readSearch({ ...before, ...change }), replace }),
    [navigate],
  )
  const onWords = useCallback((q: string | undefined) => go({ q }, true), [go])
  const onMore = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage])
  const onOpen = (session: PastSession) => go({ session: pastSessionKey(session), n: undefined })
  const openHit = (hit: FoundMessage) => go({ session: toSessionKey(hit), n: hit.n })
  const clear = () => {
    go(NOTHING)
    toast({ text: w.filter.cleared, undo: () => go(search) })
  }
  const [forget, setForget] = useState<DeletionState | null>(null)
  const isGoing =
    forget !== null && forget.stage !== 'asks' && pastSessionKey(forget.session) === search.session
  const close = () => {
    go({ session: undefined, n: undefined })
    requestAnimationFrame(() => grid.current?.focus())
  }
  const toList = () =>
    pane.current?.querySelector<HTMLElement>('ol[data-hits] button, table[role=grid]')?.focus()
  useKeys({ '/': () => input.current?.focus() })

  const reads = status?.some((one) => one.state === 'running') ?? true
  const q = search.q?.trim() ?? ''
  const searched = useHits(q, filter)
  const { hits } = searched
  const found =
    hits && w.search.found(hits.length, groupHits(hits).length, searched.more || hits.length >= MOST_HITS)
  const empty = q === '' && list.isSuccess && sessions.length === 0
  return (
    <Page title={w.title} {...useSub()}>
      <SessionStrips failure={list.error} onRetry={() => void list.refetch()} />
      <div className="relative flex min-h-0 flex-1">
        <div
          ref={pane}
          className={classes(
            '@container min-h-0 flex-col',
            narrow && isOpen ? 'hidden' : 'flex',
            isOpen ? 'w-88 shrink-0 border-r border-line' : 'min-w-0 flex-1',
          )}
        >
          <FilterBar
            search={search}
            many={many}
            onChange={go}
            onWords={onWords}
            onClear={clear}
            onDone={toList}
            input={input}
            found={q === '' ? undefined : found}
          />
          {empty && isNarrowed(search) && <NoMatch {...w.noMatch} clear={w.filter.clear} onClear={clear} />}
          {empty && !isNarrowed(search) && !reads && <NoSessions />}
          {q !== '' && <Hits q={q} {...searched} open={search.session} n={search.n} onOpen={openHit} />}
          {q === '' && sessions.length > 0 && (
            <SessionTable
              sessions={sessions}
              open={search.session}
              card={tight || isOpen}
              many={many}
              more={list.hasNextPage}
              onMore={onMore}
              onOpen={onOpen}
              grid={grid}
            />
          )}
        </div>
        {isOpen && open === null && <NoKey onClose={close} />}
        {open !== null && !isGoing && (
          <Suspense fallback={<Strip>{words.transcript.reading}</Strip>}>
            <Transcript
              key={search.session}
              session={open}
              n={search.n}
              q={search.q}
              narrow={narrow}
              onGo={(n) => go({ n }, true)}
              onForget={(session) => setForget({ session, stage: 'asks' })}
              onClose={close}
            />
          </Suspense>
        )}
        {forget && forget.stage !== 'gone' && (
          <Suspense>
            <ForgetDialog
              session={forget.session}
              onStart={() => setForget({ ...forget, stage: 'goes' })}
              onForgotten={() => {
                setForget({ ...forget, stage: 'gone' })
                close()
              }}
              onClose={() => setForget(null)}
            />
          </Suspense>
        )}
      </div>
    </Page>
  )
}

/** The number of sessions, beside the title. */
function useSub(): { readonly sub?: string } {
  const sources = useQuery(pastStatsQuery('source')).data
  if (!sources) return {}
  const all = sources.reduce((sum, source) => sum + source.sessions, 0)
  return { sub: w.sub(all, sources.length) }
}

function NoKey({ onClose }: { readonly onClose: () => void }) {
  return (
    <div className="min-w-0 flex-1">
      <Strip alert glyph="failed" end={<Button onClick={onClose}>{words.transcript.close}</Button>}>
        {words.transcript.noKey}
      </Strip>
    </div>
  )
}

/** Whether there are sessions of several computers, because only then each shows its computer. */
function useIsOfMany(): boolean {
  const rows = useQuery(pastStatsQuery('host')).data ?? []
  return rows.filter(({ name }) => name !== words.unknown).length > 1
}

/** Shows where Panoptes looked for sessions and what it found there. */
function NoSessions() {
  const { data } = useQuery(growingSourcesQuery)
  const agents = data?.sources.filter((source) => source.kind === 'agent') ?? []
  return (
    <NothingYet title={w.empty.title} sources={w.empty.sources}>
      <p className="text-text-2">{w.empty.body}</p>
      <ul aria-label={w.empty.looked} className="flex flex-col gap-2 text-12">
        {agents.map((source) => (
          <li key={source.id} className="grid grid-cols-[16px_110px_minmax(0,1fr)] items-start gap-x-2">
            <Glyph name={glyphs[source.state]} size={14} />
            <span>{source.name}</span>
            <span className="text-text-2 [overflow-wrap:anywhere]">
              {sourceText(source)}
              {w.retention(source) && <span className="block">{w.retention(source)}</span>}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-text-2">{w.empty.next}</p>
    </NothingYet>
  )
}

const sourceText = ({ state, path, detail, next }: FoundSource): string =>
  [state === 'found' ? path : detail, state === 'unreadable' ? next : null]
    .filter((part) => part !== null)
    .join(' · ')
