import type { StoredChatMessage } from '@panoptes/schema'
import { memo, useLayoutEffect, useRef } from 'react'
import { useNear } from '../../sessions/transcript/use-near.ts'
import { words } from '../../words.ts'
import { runtimeTitle } from '../runtimes.ts'
import type { ChatRow } from '../state/rows.ts'
import { Answer, type AnswerActions } from './answer.tsx'
import { UserMessage } from './user-message.tsx'

/** The number of messages that are drawn or skipped together. */
const SLOT = 8
/** The estimated height of a message that was not drawn yet. */
const GUESS = 110

export interface ThreadActions extends AnswerActions {
  readonly onEdit: (message: StoredChatMessage) => void
}

export const slotId = (at: number): string => `messages-${Math.floor(at / SLOT)}`

/** Draws only the messages near the viewport, and always the last ones. */
export function Slots(props: {
  readonly rows: readonly ChatRow[]
  readonly scroll: HTMLElement | null
  readonly actions: ThreadActions
}) {
  const { rows } = props
  const count = Math.ceil(rows.length / SLOT)
  return Array.from({ length: count }, (_, at) => (
    <Slot
      // biome-ignore lint/suspicious/noArrayIndexKey: a slot is identified by its position
      key={at}
      at={at}
      rows={rows.slice(at * SLOT, (at + 1) * SLOT)}
      isLast={at >= count - 3}
      scroll={props.scroll}
      actions={props.actions}
    />
  ))
}

interface SlotProps {
  readonly at: number
  readonly rows: readonly ChatRow[]
  readonly isLast: boolean
  readonly scroll: HTMLElement | null
  readonly actions: ThreadActions
}

const Slot = memo(
  function Slot({ at, rows, isLast, scroll, actions }: SlotProps) {
    const [box, { near, height }] = useNear(scroll)
    const isDrawn = near || isLast
    const guess = height ?? rows.length * GUESS
    const guessed = useRef(guess)
    useLayoutEffect(() => {
      const own = box.current
      if (!own || !scroll) return
      // Text below must not move when the slot gets its measured height.
      if (isDrawn && own.getBoundingClientRect().top < scroll.getBoundingClientRect().top)
        scroll.scrollTop += own.offsetHeight - guessed.current
      guessed.current = guess
    }, [box, scroll, isDrawn, guess])
    if (!isDrawn) return <div ref={box} id={slotId(at * SLOT)} style={{ height: guess }} />
    return (
      <div ref={box} id={slotId(at * SLOT)} className="flex flex-col gap-3.5 pb-3.5">
        {rows.map((row) => (
          <Row key={row.key} row={row} actions={actions} />
        ))}
      </div>
    )
  },
  (before, now) =>
    before.isLast === now.isLast &&
    before.scroll === now.scroll &&
    before.actions === now.actions &&
    before.rows.length === now.rows.length &&
    before.rows.every((row, i) => row === now.rows[i]),
)

const Row = memo(function Row({ row, actions }: { readonly row: ChatRow; readonly actions: ThreadActions }) {
  if (row.kind === 'user')
    return (
      <UserMessage
        message={row.message}
        canEdit={row.isStored && !actions.isBusy && actions.mayTell}
        onEdit={actions.onEdit}
      />
    )
  return (
    <>
      {row.handoverCount !== null && (
        <SwitchLine>
          {words.chat.thread.handover(runtimeTitle(actions.runtimes, row.message.runtime), row.handoverCount)}
        </SwitchLine>
      )}
      <Answer row={row} actions={actions} />
    </>
  )
})

/** A divider that names the runtime that continues. */
function SwitchLine({ children }: { readonly children: string }) {
  return (
    <p className="flex items-center gap-2.5 text-11 text-text-3">
      <span aria-hidden="true" className="h-px flex-1 bg-line" />
      {children}
      <span aria-hidden="true" className="h-px flex-1 bg-line" />
    </p>
  )
}
