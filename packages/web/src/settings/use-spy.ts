import { useLocation } from '@tanstack/react-router'
import { type RefObject, useCallback, useEffect, useState } from 'react'
import { type SectionId, sections } from './sections.ts'

/** Which section is being read, and how to go to another. */
export function useSpy(box: RefObject<HTMLElement | null>): {
  readonly current: SectionId
  readonly onScroll: () => void
  readonly goTo: (id: SectionId) => void
} {
  const [current, setCurrent] = useState<SectionId>('sources')
  const hash = useLocation({ select: (location) => location.hash })

  const goTo = useCallback((id: SectionId) => {
    document.getElementById(id)?.scrollIntoView({ block: 'start' })
    setCurrent(id)
  }, [])

  useEffect(() => {
    const asked = sections.find((section) => section.id === hash)
    if (asked) goTo(asked.id)
  }, [hash, goTo])

  const onScroll = useCallback(() => {
    const scroller = box.current
    if (!scroller) return
    const line = scroller.getBoundingClientRect().top + 80
    const atEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2
    const passed = sections.filter(({ id }) => {
      const place = document.getElementById(id)
      return place !== null && place.getBoundingClientRect().top <= line
    })
    setCurrent((before) => {
      const reached = passed.at(-1)?.id ?? 'sources'
      // At the end the last sections cannot reach the line; keep the one that was asked for.
      const order = (id: SectionId) => sections.findIndex((section) => section.id === id)
      return atEnd && order(before) > order(reached) ? before : reached
    })
  }, [box])

  return { current, onScroll, goTo }
}
