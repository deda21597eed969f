import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type SectionId, sections } from './sections.ts'

/** A section counts as reached when its heading is this close to the top. */
const LINE = 80
const MARGIN = 16

/** Which section is being read, and how to go to another. `box` scrolls; its first child is what grows. */
export function useSpy(box: HTMLElement | null): {
  readonly current: SectionId
  readonly onScroll: () => void
  readonly goTo: (id: SectionId) => void
} {
  const [current, setCurrent] = useState<SectionId>('sources')
  /** The section that was asked for: it stays in view while the ones above it fill, until someone scrolls. */
  const pinned = useRef<SectionId | null>(null)
  const hash = useLocation({ select: (location) => location.hash })

  const navigate = useNavigate()

  const show = useCallback(
    (id: SectionId) => {
      pinned.current = id
      setCurrent(id)
      const place = document.getElementById(id)
      // Not scrollIntoView, which would also move what lies around the box.
      if (box && place)
        box.scrollTop += place.getBoundingClientRect().top - box.getBoundingClientRect().top - MARGIN
    },
    [box],
  )

  useEffect(() => {
    const asked = sections.find((section) => section.id === hash)
    if (asked && box) show(asked.id)
  }, [hash, box, show])

  useEffect(() => {
    const content = box?.firstElementChild
    if (!box || !content) return
    const release = () => {
      pinned.current = null
    }
    const observer = new ResizeObserver(() => pinned.current && show(pinned.current))
    observer.observe(content)
    const kinds = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
    for (const kind of kinds) box.addEventListener(kind, release, { passive: true })
    return () => {
      observer.disconnect()
      for (const kind of kinds) box.removeEventListener(kind, release)
    }
  }, [box, show])

  const goTo = useCallback(
    (id: SectionId) => {
      show(id)
      void navigate({ to: '/settings', hash: id, hashScrollIntoView: false, replace: true })
    },
    [navigate, show],
  )

  const onScroll = useCallback(() => {
    if (!box || pinned.current) return
    const line = box.getBoundingClientRect().top + LINE
    const reached = sections.filter(({ id }) => {
      const place = document.getElementById(id)
      return place !== null && place.getBoundingClientRect().top <= line
    })
    const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 2
    setCurrent((atEnd ? sections : reached).at(-1)?.id ?? 'sources')
  }, [box])

  return { current, onScroll, goTo }
}
