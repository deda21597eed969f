import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { useShow } from '../../sessions/transcript/use-show.ts'
import { words } from '../../words.ts'
import type { ChatRow } from '../state/rows.ts'
import { Slots, slotId, type ThreadActions } from './slots.tsx'

const w = words.chat.thread

/** Shows the conversation from its end. A message named in the address is scrolled into view. */
export function Thread(props: {
  readonly conversation: string
  readonly rows: readonly ChatRow[]
  readonly message: string | undefined
  readonly sentAt: number | null
  readonly actions: ThreadActions
}) {
  const { rows, message } = props
  const [scroll, setScroll] = useState<HTMLElement | null>(null)
  const content = useRef<HTMLDivElement>(null)
  const at = message === undefined ? -1 : rows.findIndex(({ key }) => key === message)
  const { isAtEnd, toEnd } = useEnd(scroll, content, { key: props.conversation, isElsewhere: at >= 0 })
  const { sentAt } = props
  useEffect(() => {
    if (sentAt !== null) toEnd()
  }, [sentAt, toEnd])
  useShow(scroll, at < 0 || message === undefined ? [] : [`message-${message}`, slotId(at)])
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <section
        ref={setScroll}
        role="log"
        aria-label={w.label}
        // Screen readers do not hear each piece of an answer; the announcer reports it instead.
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col overflow-y-auto px-6 [overflow-anchor:none] max-desk:px-3 focus-visible:-outline-offset-2"
      >
        <div ref={content} className="mt-auto pt-3">
          <Slots rows={rows} scroll={scroll} actions={props.actions} />
        </div>
      </section>
      {!isAtEnd && (
        <span className="absolute right-6 bottom-2 max-desk:static max-desk:flex max-desk:shrink-0 max-desk:justify-end max-desk:px-3 max-desk:pt-1">
          <Button icon="down" className="shadow-float" onClick={toEnd}>
            {w.toEnd}
          </Button>
        </span>
      )}
    </div>
  )
}

const NEAR_PX = 48

/** Keeps the end in view while the reader is there, and leaves readers who scrolled up where they are. */
function useEnd(
  scroll: HTMLElement | null,
  content: RefObject<HTMLElement | null>,
  start: { readonly key: string; readonly isElsewhere: boolean },
): { readonly isAtEnd: boolean; readonly toEnd: () => void } {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const follows = useRef(true)
  const toEnd = useCallback(() => {
    follows.current = true
    setIsAtEnd(true)
    if (scroll) scroll.scrollTop = scroll.scrollHeight
  }, [scroll])
  const { key, isElsewhere } = start
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation starts at its end
  useLayoutEffect(() => {
    follows.current = !isElsewhere
    if (!isElsewhere) toEnd()
  }, [key, isElsewhere, toEnd])
  useEffect(() => {
    if (!scroll || !content.current) return
    let last = scroll.scrollTop
    const isNear = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_PX
    const onScroll = () => {
      // Scrolling up stops following the end; content that grows below does not.
      if (scroll.scrollTop < last - 1 && !isNear()) follows.current = false
      if (isNear()) follows.current = true
      last = scroll.scrollTop
      setIsAtEnd(isNear() || follows.current)
    }
    const observer = new ResizeObserver(() => {
      if (follows.current) scroll.scrollTop = scroll.scrollHeight
      else setIsAtEnd(isNear())
    })
    observer.observe(content.current)
    observer.observe(scroll)
    scroll.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      scroll.removeEventListener('scroll', onScroll)
    }
  }, [scroll, content])
  return { isAtEnd, toEnd }
}
