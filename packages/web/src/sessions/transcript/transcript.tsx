import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Strip } from '../../design/strip.tsx'
import { sessionKeyOf } from '../../live/data/key.ts'
import { useKeys } from '../../shell/use-keys.ts'
import { words } from '../../words.ts'
import { saidBy } from '../strips.tsx'
import { ThreadEntries } from './agent-block.tsx'
import { copySession } from './copy.ts'
import { Facts } from './facts.tsx'
import { type AllFolds, FoldAll } from './fold.tsx'
import { Head } from './head.tsx'
import { MarkedWords, wordsIn } from './marks.ts'
import { Reading } from './reading.ts'
import { stepTo } from './step.ts'
import { useKeptPlace } from './use-kept-place.ts'
import { useReadOn } from './use-read-on.ts'
import { type SessionRef, useTranscript } from './use-transcript.ts'

const w = words.transcript

/** A session as it went, from one message on. */
export default function Transcript(props: {
  readonly session: SessionRef
  readonly n: number | undefined
  readonly q: string | undefined
  readonly narrow: boolean
  readonly onClose: () => void
}) {
  const { session: ref, n, q = '', narrow, onClose } = props
  const { query, arranged, session, agents } = useTranscript(ref, n ?? 0)
  const { fetchNextPage, hasNextPage, isFetching } = query
  const [folds, setFolds] = useState<AllFolds>({ open: false, turn: 0 })
  const box = useRef<HTMLElement>(null)
  const navigate = useNavigate()
  const key = sessionKeyOf({ source: ref.source, session_id: ref.id })
  const target = n === undefined ? null : (arranged?.shownAt.get(n) ?? null)
  const [scroll, setScroll] = useState<HTMLElement | null>(null)
  useKeptPlace(scroll, query.data?.pages[0]?.from)
  const end = useReadOn(hasNextPage && !isFetching, () => void fetchNextPage())

  useEffect(() => {
    if (target === null) return
    // Blocks above take their height once they are drawn: the second look is the right one.
    const show = () => document.getElementById(`message-${target}`)?.scrollIntoView({ block: 'center' })
    show()
    const frame = requestAnimationFrame(show)
    return () => cancelAnimationFrame(frame)
  }, [target])
  useEffect(() => {
    if (narrow) box.current?.focus()
  }, [narrow])

  const foldAll = () => setFolds({ open: !folds.open, turn: folds.turn + 1 })
  const toLive = () => {
    const at = session?.last_at ?? null
    void navigate({ to: '/', search: { session: key, ...(at === null ? {} : { at }) } })
  }
  useKeys({
    Escape: onClose,
    j: () => stepTo(box.current, '[data-entry]', 1),
    k: () => stepTo(box.current, '[data-entry]', -1),
    e: () => stepTo(box.current, '[data-failed]', 1),
    O: foldAll,
    c: () => void copySession(ref),
    g: toLive,
  })
  const marked = useMemo(() => wordsIn(q), [q])
  const reading = useMemo(
    () => ({ session: key, target, more: hasNextPage, readOn: () => void fetchNextPage() }),
    [key, target, hasNextPage, fetchNextPage],
  )
  return (
    <>
      <section
        ref={box}
        aria-label={w.label}
        className="flex min-w-0 flex-1 flex-col outline-none"
        tabIndex={-1}
      >
        {session && (
          <Head
            session={session}
            liveKey={key}
            open={folds.open}
            narrow={narrow}
            onFold={foldAll}
            onCopy={() => void copySession(ref)}
            onClose={onClose}
          />
        )}
        {query.error && (
          <Strip
            alert
            glyph="failed"
            end={
              <>
                <Button onClick={() => void query.refetch()}>{words.actions.tryAgain}</Button>
                {!session && <Button onClick={onClose}>{w.close}</Button>}
              </>
            }
          >
            {session ? w.moreFailed : w.failed} {saidBy(query.error)}
          </Strip>
        )}
        {query.isPending && <Strip>{w.reading}</Strip>}
        {arranged && session && (
          <div
            ref={setScroll}
            data-scroll=""
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key
            tabIndex={0}
            className="min-h-0 flex-1 overflow-y-auto px-5 py-2 max-desk:px-4"
          >
            {query.hasPreviousPage && (
              <Button onClick={() => void query.fetchPreviousPage()}>{w.earlier}</Button>
            )}
            <MarkedWords value={marked}>
              <FoldAll value={folds}>
                <Reading value={reading}>
                  <ThreadEntries thread={arranged.main} />
                </Reading>
              </FoldAll>
            </MarkedWords>
            <p ref={end} className="py-3 text-center text-11 text-text-3">
              {hasNextPage ? w.readingMore : session.messages === 0 ? w.nothing : w.end(session.messages)}
            </p>
          </div>
        )}
      </section>
      {session && <Facts session={session} agents={agents} />}
    </>
  )
}
