import type { PastSession } from '@panoptes/schema'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../design/toast.tsx'
import { sessionKeyOf } from '../../live/data/key.ts'
import { useKeys } from '../../shell/use-keys.ts'
import { words } from '../../words.ts'
import { copyEntry, copySession } from './copy.ts'
import type { SessionRef } from './pages.ts'
import { foldOf, stepTo, topOf } from './step.ts'
import type { Arranged } from './thread.ts'

/** The keys of an open transcript. They act on the message that was stepped to; copying without one copies all. */
export function useTranscriptKeys(props: {
  readonly ref: SessionRef
  readonly session: PastSession | undefined
  readonly arranged: Arranged | undefined
  readonly scroll: HTMLElement | null
  readonly failed: readonly number[]
  /** The message that was stepped to, and the one that was asked for. */
  readonly current: number | null
  readonly target: number | null
  readonly setCurrent: (n: number | null) => void
  readonly foldAll: () => void
  readonly onGo: (n: number) => void
  readonly onClose: () => void
}): void {
  const { ref, session, arranged, scroll, failed, setCurrent } = props
  const current = props.current ?? props.target
  const navigate = useNavigate()
  const step = (by: 1 | -1) => {
    const next = stepTo(scroll, current, by)
    if (next !== null) setCurrent(next)
  }
  const entry = () =>
    current === null
      ? undefined
      : [...(arranged?.threads.values() ?? [])]
          .flatMap(({ entries }) => entries)
          .find(({ n }) => n === current)
  const nextError = () => {
    const from = current ?? topOf(scroll) - 1
    const next = failed.find((n) => n > from) ?? failed[0]
    if (next === undefined) toast({ text: words.transcript.noErrors })
    else props.onGo(next)
  }
  const toLive = () => {
    const at = entry()?.message.ts ?? session?.last_at ?? null
    const key = sessionKeyOf({ source: ref.source, session_id: ref.id })
    void navigate({ to: '/', search: { session: key, ...(at === null ? {} : { at }) } })
  }
  const copy = () => {
    const one = entry()
    void (one ? copyEntry(ref, one) : copySession(ref))
  }
  useKeys({
    Escape: () => (props.current === null ? props.onClose() : setCurrent(null)),
    j: () => step(1),
    k: () => step(-1),
    o: () => foldOf(scroll, current ?? topOf(scroll)),
    O: props.foldAll,
    e: nextError,
    c: copy,
    g: toLive,
  })
}
