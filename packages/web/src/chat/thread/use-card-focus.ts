import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react'

/** A key that was on its way when the question came was meant for something else. */
const UNMEANT_MS = 700

/** Takes the focus where nothing is being written, and gives it back when the question is over. */
export function useCardFocus(): {
  readonly card: RefObject<HTMLDivElement | null>
  readonly areKeysMeant: () => boolean
} {
  const card = useRef<HTMLDivElement>(null)
  const cameAt = useRef(Number.NEGATIVE_INFINITY)
  useLayoutEffect(() => {
    const own = card.current
    const from = document.activeElement
    if (own === null || !isFree(from)) return
    cameAt.current = performance.now()
    own.focus({ preventScroll: true })
    return () => {
      if (from instanceof HTMLTextAreaElement && own.contains(document.activeElement)) from.focus()
    }
  }, [])
  const areKeysMeant = useCallback(() => performance.now() - cameAt.current > UNMEANT_MS, [])
  return { card, areKeysMeant }
}

const isFree = (element: Element | null): boolean =>
  element === null ||
  element === document.body ||
  (element instanceof HTMLTextAreaElement && element.value === '')
