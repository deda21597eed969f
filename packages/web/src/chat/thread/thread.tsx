import { useEffect, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { useShow } from '../../sessions/transcript/use-show.ts'
import { words } from '../../words.ts'
import type { ChatRow } from '../state/rows.ts'
import { Slots, slotId, type ThreadActions } from './slots.tsx'
import { useEnd } from './use-end.ts'

const w = words.chat.thread

/** What was said, from its end; a message that the address names is brought into view. */
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
        // Not each piece of an answer: what is told of it is told beside it.
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key
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
