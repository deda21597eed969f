import type { PastSession } from '@panoptes/schema'
import { useNavigate } from '@tanstack/react-router'
import { toast } from '../../design/toast.tsx'
import { toSessionKey } from '../../live/data/agent-key.ts'
import { useKeys } from '../../shell/use-keys.ts'
import { words } from '../../words.ts'
import { copyEntry, copySession } from './copy.ts'
import type { SessionRef } from './pages.ts'
import type { ThreadTree } from './thread.ts'

/**
 * The shortcuts of an open transcript. They act on the current message; copying without one copies
 * everything.
 */
export function useTranscriptKeys(props: {
  readonly ref: SessionRef
  readonly session: PastSession | undefined
  readonly arranged: ThreadTree | undefined
  readonly scroll: HTMLElement | null
  readonly failed: readonly number[]
  /** The message that was stepped to, and the one in the address. */
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
    const from = current ?? topEntry(scroll) - 1
    const next = failed.find((n) => n > from) ?? failed[0]
    if (next === undefined) toast({ text: words.transcript.noErrors })
    else props.onGo(next)
  }
  const toLive = () => {
    const at = entry()?.message.ts ?? session?.last_at ?? null
    const key = toSessionKey({ source: ref.source, session_id: ref.id })
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
    o: () => toggleFolds(scroll, current ?? topEntry(scroll)),
    O: props.foldAll,
    e: nextError,
    c: copy,
    g: toLive,
  })
}

const NEAR = 6
const ENTRIES = '[data-entry], [data-unread]'

/**
 * Finds the next message from the current one or from the top of the viewport. If it is not drawn yet, it is
 * only scrolled into view.
 */
function stepTo(scroll: HTMLElement | null, current: number | null, by: 1 | -1): number | null {
  if (!scroll) return null
  const top = scroll.getBoundingClientRect().top
  const isAway = (one: Element) => one.getBoundingClientRect().top - top
  const all = [...scroll.querySelectorAll<HTMLElement>(ENTRIES)]
  const at = current === null ? -1 : all.findIndex((one) => one.dataset.entry === String(current))
  const next =
    at >= 0
      ? all[at + by]
      : by > 0
        ? all.find((one) => isAway(one) > -NEAR)
        : all.findLast((one) => isAway(one) < -NEAR)
  if (!next) return null
  if (next.dataset.entry === undefined) scroll.scrollTop += isAway(next) - NEAR
  else {
    next.scrollIntoView({ block: 'nearest' })
    // The focus makes screen readers read it.
    next.focus({ preventScroll: true })
  }
  return next.dataset.entry === undefined ? null : Number(next.dataset.entry)
}

/** The first message whose top is visible. */
function topEntry(scroll: HTMLElement | null): number {
  if (!scroll) return 0
  const top = scroll.getBoundingClientRect().top
  const all = [...scroll.querySelectorAll<HTMLElement>('[data-entry]')]
  return Number(all.find((one) => one.getBoundingClientRect().top >= top - NEAR)?.dataset.entry ?? 0)
}

/** Toggles all folds of a message. */
function toggleFolds(scroll: HTMLElement | null, n: number): void {
  const folds = [...(scroll?.querySelectorAll<HTMLElement>(`[data-fold-of="${n}"]`) ?? [])]
  const isOpen = (one: HTMLElement | undefined) => one?.ariaExpanded === 'true'
  const open = isOpen(folds[0])
  for (const fold of folds) if (isOpen(fold) === open) fold.click()
}
