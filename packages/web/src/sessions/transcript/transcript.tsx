import type { PastSession } from '@panoptes/schema'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Strip } from '../../design/strip.tsx'
import { sessionKeyOf } from '../../live/data/key.ts'
import { words } from '../../words.ts'
import { saidBy } from '../strips.tsx'
import { LooseAgents } from './agent-block.tsx'
import { copyEntry } from './copy.ts'
import { FactsPanel } from './facts-panel.tsx'
import { type AllFolds, FoldAll } from './fold.tsx'
import { Head } from './head.tsx'
import { useKnownPlace } from './keep-place.ts'
import { looseAgents } from './loose.ts'
import { MarkedWords, wordsIn } from './marks.ts'
import type { SessionRef } from './pages.ts'
import { Reading, type ReadingState } from './reading.ts'
import { Slots } from './slots.tsx'
import { MAIN } from './thread.ts'
import { Unread } from './unread.tsx'
import { useShow } from './use-show.ts'
import { useTarget } from './use-target.ts'
import { useTranscript } from './use-transcript.ts'
import { useTranscriptKeys } from './use-transcript-keys.ts'

const w = words.transcript

/** A session as it went, from one message on. */
export default function Transcript(props: {
  readonly session: SessionRef
  readonly n: number | undefined
  readonly q: string | undefined
  readonly narrow: boolean
  /** Leads to a message by its place. */
  readonly onGo: (n: number) => void
  readonly onForget: (session: PastSession) => void
  readonly onClose: () => void
}) {
  const { session: ref, n, q = '', narrow, onGo, onClose } = props
  const { session, outline, arranged, isRead, want, error, retry } = useTranscript(ref, n ?? 0)
  const [folds, setFolds] = useState<AllFolds>(() => ({ open: false, turn: 0, kept: new Map() }))
  const [current, setCurrent] = useState<number | null>(null)
  const [showFacts, setShowFacts] = useState(false)
  const [scroll, setScroll] = useState<HTMLElement | null>(null)
  const box = useRef<HTMLElement>(null)
  const key = sessionKeyOf({ source: ref.source, session_id: ref.id })
  const agents = useMemo(() => new Map(outline?.agents.map((agent) => [agent.id, agent])), [outline])
  const loose = useMemo(() => looseAgents(outline?.agents ?? []), [outline])
  const target = useTarget(n, arranged, agents)
  useKnownPlace(scroll)
  useShow(scroll, target.places)
  useEffect(() => {
    if (n !== undefined) setCurrent(null)
  }, [n])
  useEffect(() => {
    if (narrow) box.current?.focus()
  }, [narrow])

  const foldAll = () => setFolds({ open: !folds.open, turn: folds.turn + 1, kept: new Map() })
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
            {session ? w.moreFailed : w.failed} {saidBy(error)}
          </Strip>
        )}
        {outline && <Unread outline={outline} />}
        {!session && !error && <Strip>{w.reading}</Strip>}
        {reading && session && (
          <div
            ref={setScroll}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key
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
