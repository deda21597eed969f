import type { OutlinedAgent, OutlineReply, PastSession } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { getJson } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Strip } from '../../design/strip.tsx'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { words } from '../../words.ts'
import { errorText } from '../strips.tsx'
import { LooseAgents } from './agent-block.tsx'
import { copyEntry } from './copy.ts'
import { FactsPanel } from './facts-panel.tsx'
import { type AllFolds, FoldAll } from './fold.tsx'
import { Head } from './head.tsx'
import { outlineQuery, pageNumber, pageQuery, type SessionRef } from './pages.ts'
import { Reading, type ReadingState } from './reading-context.ts'
import { useScrollMemory } from './scroll-position.ts'
import { MarkedWords, wordsIn } from './search-highlights.ts'
import { Slots, slotId } from './slots.tsx'
import { buildThreads, findAncestors, groupUnattachedAgents, MAIN, type ThreadTree } from './thread.ts'
import { useShow } from './use-show.ts'
import { useTranscriptKeys } from './use-transcript-keys.ts'

const w = words.transcript
const LINE = 200

/** The transcript of a session, starting at one message. */
export default function Transcript(props: {
  readonly session: SessionRef
  readonly n: number | undefined
  readonly q: string | undefined
  readonly narrow: boolean
  /** Opens a message by its number. */
  readonly onGo: (n: number) => void
  readonly onForget: (session: PastSession) => void
  readonly onClose: () => void
}) {
  const { session: ref, n, q = '', narrow, onGo, onClose } = props
  const { session, outline, arranged, isRead, want, error, retry } = useTranscript(ref, n ?? 0)
  const [folds, setFolds] = useState<AllFolds>(() => ({ open: false, turn: 0, overrides: new Map() }))
  const [current, setCurrent] = useState<number | null>(null)
  const [showFacts, setShowFacts] = useState(false)
  const [scroll, setScroll] = useState<HTMLElement | null>(null)
  const box = useRef<HTMLElement>(null)
  const key = toSessionKey({ source: ref.source, session_id: ref.id })
  const agents = useMemo(() => new Map(outline?.agents.map((agent) => [agent.id, agent])), [outline])
  const loose = useMemo(() => groupUnattachedAgents(outline?.agents ?? []), [outline])
  const target = useTarget(n, arranged, agents)
  useScrollMemory(scroll)
  useShow(scroll, target.places)
  useEffect(() => {
    if (n !== undefined) setCurrent(null)
  }, [n])
  useEffect(() => {
    if (narrow) box.current?.focus()
  }, [narrow])

  const foldAll = () => setFolds({ open: !folds.open, turn: folds.turn + 1, overrides: new Map() })
  useTranscriptKeys({
    ref,
    session,
    arranged,
    scroll,
    failed: outline?.failed ?? [],
    current,
    target: target.n,
    setCurrent,
    foldAll,
    onGo,
    onClose,
  })
  const marked = useMemo(() => wordsIn(q), [q])
  const host = session?.host
  const reading = useMemo((): ReadingState | null => {
    if (!arranged) return null
    const copy = (at: number) => {
      const entry = [...arranged.threads.values()]
        .flatMap(({ entries }) => entries)
        .find((one) => one.n === at)
      if (entry) void copyEntry(ref, entry)
    }
    const { n: shown, above } = target
    return {
      ref,
      session: key,
      host,
      arranged,
      agents,
      loose,
      target: shown,
      above,
      current,
      scroll,
      isRead,
      want,
      copy,
    }
  }, [ref, key, host, arranged, agents, loose, target, current, scroll, isRead, want])
  const main = agents.get(MAIN)
  const last = main ? main.last : session ? session.messages - 1 : null
  return (
    <>
      <section
        ref={box}
        aria-label={w.label}
        className="relative flex min-w-0 flex-1 flex-col outline-none"
        tabIndex={-1}
      >
        {session && (
          <Head
            session={session}
            sessionRef={ref}
            liveKey={key}
            open={folds.open}
            narrow={narrow}
            onFold={foldAll}
            onFacts={() => setShowFacts(!showFacts)}
            onClose={onClose}
          />
        )}
        {error && (
          <Strip
            alert
            glyph="failed"
            end={
              <>
                <Button onClick={retry}>{words.actions.tryAgain}</Button>
                {!session && <Button onClick={onClose}>{w.close}</Button>}
              </>
            }
          >
            {session ? w.moreFailed : w.failed} {errorText(error)}
          </Strip>
        )}
        {session?.prompts_only && <Strip>{words.sessions.promptsOnlyNote(session.source)}</Strip>}
        {outline && <Unread outline={outline} />}
        {!session && !error && <Strip>{w.reading}</Strip>}
        {reading && session && (
          <div
            ref={setScroll}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
            tabIndex={0}
            className="min-h-0 flex-1 overflow-y-auto px-5 py-2 [overflow-anchor:none] max-desk:px-3"
          >
            <MarkedWords value={marked}>
              <FoldAll value={folds}>
                <Reading value={reading}>
                  {last !== null && <Slots agent={MAIN} first={main?.first ?? 0} last={last} />}
                  <LooseAgents of={MAIN} />
                </Reading>
              </FoldAll>
            </MarkedWords>
            <p className="py-3 text-center text-11 text-text-3">
              {session.messages === 0 ? w.nothing : w.end(session.messages)}
            </p>
          </div>
        )}
      </section>
      {session && (
        <FactsPanel
          session={session}
          outline={outline}
          current={current ?? target.n}
          shown={showFacts}
          onGo={onGo}
          onForget={props.onForget}
          onClose={() => setShowFacts(false)}
        />
      )}
    </>
  )
}

interface Target {
  /** The number under which the message is shown; a result is shown with its call. */
  readonly n: number | null
  /** The agents around it. */
  readonly above: ReadonlySet<string>
  /** The ids of the elements that contain it, from the message outwards. */
  readonly places: readonly string[]
}

/** Finds where the message in the address is shown. */
function useTarget(
  n: number | undefined,
  arranged: ThreadTree | undefined,
  agents: ReadonlyMap<string, OutlinedAgent>,
): Target {
  const shown = n === undefined ? undefined : arranged?.shownAt.get(n)
  const at = shown?.n
  const agent = shown?.agent
  return useMemo(() => {
    if (at === undefined || agent === undefined) return { n: null, above: new Set(), places: [] }
    const above = findAncestors(agent, agents)
    const slots = above.flatMap((id) => {
      const made = agents.get(id)
      return made?.made_at == null ? [] : [slotId(made.parent_id ?? MAIN, made.made_at)]
    })
    return { n: at, above: new Set(above), places: [`message-${at}`, slotId(agent, at), ...slots] }
  }, [at, agent, agents])
}

/** More loaded pages than this are dropped, the oldest first. */
const MOST_PAGES = 60
/** When the session has grown, this many pages load again at once; others follow when they come into view. */
const READ_AGAIN = 8
const AGAIN_MS = 3_000
const RECENT_MS = 600_000

interface TranscriptRead {
  readonly session: PastSession | undefined
  readonly outline: OutlineReply | undefined
  readonly arranged: ThreadTree | undefined
  readonly isRead: (page: number) => boolean
  readonly want: (page: number) => void
  readonly error: Error | null
  readonly retry: () => void
}

/** Loads a session page by page as pages come near the viewport, starting at message `n`. */
function useTranscript(ref: SessionRef, n: number): TranscriptRead {
  const client = useQueryClient()
  const [wanted, setWanted] = useState<readonly number[]>(() => [pageNumber(n)])
  const want = useCallback(
    (page: number) =>
      setWanted((before) => (before.includes(page) ? before : [...before, page].slice(-MOST_PAGES))),
    [],
  )
  useEffect(() => want(pageNumber(n)), [n, want])
  const pages = useQueries({ queries: wanted.map((page) => pageQuery(ref, page)) })
  const outline = useQuery(outlineQuery(ref)).data
  const read = pages.map((page) => page.dataUpdatedAt).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` changes whenever a page changes
  const arranged = useMemo(() => {
    const loadedPages = pages.flatMap(({ data }) => data ?? [])
    const latest = pages.reduce<(typeof pages)[number] | undefined>(
      (best, page) => (page.data && page.dataUpdatedAt > (best?.dataUpdatedAt ?? 0) ? page : best),
      undefined,
    )?.data
    if (!latest) return undefined
    const messages = loadedPages.flatMap((page) => page.messages).sort((a, b) => a.n - b.n)
    return { session: latest.session, arranged: buildThreads(messages, latest.agents) }
  }, [read])
  const isThere = pages.flatMap((page, i) => (page.data ? [wanted[i]] : [])).join()
  const isRead = useMemo(() => {
    const read = new Set(isThere.split(',').map(Number))
    return (page: number) => isThere !== '' && read.has(page)
  }, [isThere])
  const now = useGrowth(ref, arranged?.session)
  const fingerprint = arranged?.session.fingerprint
  useEffect(() => {
    if (now === undefined || fingerprint === undefined || now === fingerprint) return
    setWanted((before) => before.slice(-READ_AGAIN))
    void client.invalidateQueries({ queryKey: ['transcript', ref.source, ref.id] })
  }, [client, ref, now, fingerprint])
  const error = pages.find((page) => page.error)?.error ?? null
  return {
    session: arranged?.session,
    outline,
    arranged: arranged?.arranged,
    isRead,
    want,
    error,
    retry: () => {
      for (const page of pages) if (page.error) void page.refetch()
    },
  }
}

/** The fingerprint of a session that may still be growing. */
function useGrowth(ref: SessionRef, session: PastSession | undefined): string | undefined {
  const isRecent = session !== undefined && Date.now() - (session.last_at ?? 0) < RECENT_MS
  const { data } = useQuery({
    queryKey: ['past', 'session', ref.source, ref.id],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ source: ref.source, id: ref.id, limit: '20' })
      return getJson<readonly PastSession[]>(`/api/past/sessions?${query}`, signal)
    },
    enabled: isRecent,
    refetchInterval: AGAIN_MS,
  })
  return data?.find((one) => one.id === ref.id)?.fingerprint
}

/** Lists the parts of the session that could not be read. */
function Unread({ outline }: { readonly outline: OutlineReply }) {
  const reasons = outline.unread_parts.map(({ place, reason }) =>
    toVisibleLine(w.unreadPart(place, reason), LINE),
  )
  const [first] = reasons
  if (first === undefined) return null
  return (
    <div title={reasons.join('\n')} className="border-b border-line [overflow-wrap:anywhere]">
      <Strip glyph="failed">{w.unread(outline.unread, first)}</Strip>
    </div>
  )
}
